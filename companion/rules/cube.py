"""The doubling cube (RULES.md G1-G6): what is agreed, who may turn it, what a turn would change."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.position import Side


@dataclass(frozen=True, slots=True)
class Cube:
    """What the players agreed (G4). `owner` None = centred; `offered_by` set while a double waits for its answer."""

    value: int = 1
    owner: Side | None = None
    offered_by: Side | None = None

    @property
    def offered_value(self) -> int:
        """The value a take would give."""
        return 2 * self.value

    def may_be_turned_by(self, side: Side) -> bool:
        """Access to the cube: centred or owned (G1, G3)."""
        return self.offered_by is None and self.owner in (None, side)

    def doubled(self, side: Side) -> Cube:
        """Offered by `side`; the caller has asked `refusal` first."""
        return Cube(self.value, self.owner, side)

    def taken(self) -> Cube:
        """The other side takes: it owns the cube at twice the value (G2)."""
        return Cube(2 * self.value, self.offered_by.other if self.offered_by else self.owner)

    def beavered(self) -> Cube:
        """The other side takes and turns at once, keeping the cube (G6)."""
        return Cube(4 * self.value, self.offered_by.other if self.offered_by else self.owner)


@dataclass(frozen=True, slots=True)
class CubeRefusal:
    """Why a cube action is not allowed. `code`: key for a translated text; `why`: one sentence."""

    rule: str
    code: str
    why: str


def refusal(
    cube: Cube, side: Side, *, on_roll: Side | None, rolled: bool, crawford: bool, opening: bool = False
) -> CubeRefusal | None:
    """Why `side` may not double now, None if it may (G1, G3, G5).

    `rolled`: the roll of this turn has begun (also with a throw that was called back). `opening`: nobody has played
    yet, the opening roll is to come. A closed-out side may double (D4).
    """
    who = side.value.capitalize()
    if crawford:
        return CubeRefusal("G5", "cube_crawford", "No double in the Crawford game.")
    if cube.offered_by is not None:
        return CubeRefusal("G2", "cube_waiting", "A double is waiting for its answer: take or pass.")
    if opening or on_roll is not side:
        return CubeRefusal("G1", "cube_not_turn", f"{who} may double only at the start of the own turn.")
    if rolled:
        return CubeRefusal("G1", "cube_after_roll", f"{who} has rolled: a double comes before the roll.")
    if not cube.may_be_turned_by(side):
        return CubeRefusal(
            "G3", "cube_not_owner", f"The cube belongs to {side.other.value.capitalize()}: only the owner may redouble."
        )
    return None


def beaver_refusal(cube: Cube, side: Side, *, beavers: bool) -> CubeRefusal | None:
    """Why `side` may not beaver the double offered to it (G6)."""
    if not beavers:
        return CubeRefusal("G6", "beaver_off", "Beavers are not played here.")
    if cube.offered_by is not side.other:
        return CubeRefusal("G6", "beaver_no_double", "Only the side that was doubled may beaver.")
    return None


def is_dead(cube: Cube, side: Side, *, length: int, score: int) -> bool:
    """Turning the cube gains `side` nothing: it wins the match with the present value already (G5).

    `score`: that side's points. Reported, not forbidden. At money no cube is dead.
    """
    return length > 0 and score + cube.value >= length
