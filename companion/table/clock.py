"""The game clock (RULES.md "Profiles"): simple delay and Bronstein, as a pure function of presses and times."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.rules.match import Score, starting_minutes
from companion.rules.position import Side
from companion.rules.profile import Profile
from companion.table.view import ClockView


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """`left`: seconds of White and Black at `since`; `running`: whose time runs since then, None = stopped."""

    kind: str = "none"
    delay_s: float = 0.0
    left: tuple[float, float] = (0.0, 0.0)
    running: Side | None = None
    since: float = 0.0

    def left_at(self, t: float) -> tuple[float, float]:
        """Seconds left of both at time `t`; never below 0. The delay is free with a simple delay."""
        if self.running is None:
            return self.left
        free = self.delay_s if self.kind == "simple_delay" else 0.0
        used = max(0.0, t - self.since - free)
        return _less(self.left, self.running, used)

    def flag(self, t: float) -> Side | None:
        """The side whose time is up."""
        if self.kind == "none" or self.running is None:
            return None
        return self.running if self.left_at(t)[_index(self.running)] <= 0 else None

    def view(self, t: float) -> ClockView:
        flag = self.flag(t)
        running = self.running.value if self.running else None
        return ClockView(
            kind=self.kind,
            left=self.left_at(t),
            delay_s=self.delay_s,
            running=running,
            flag=flag.value if flag else None,
        )


def _index(side: Side) -> int:
    return 0 if side is Side.WHITE else 1


def _less(left: tuple[float, float], side: Side, used: float) -> tuple[float, float]:
    values = list(left)
    values[_index(side)] = max(0.0, values[_index(side)] - used)
    return (values[0], values[1])


def clock_for(profile: Profile, length: int, score: tuple[int, int]) -> Clock:
    """The clock at the start of a match, stopped."""
    rule = profile.clock
    standing = Score(length, *score)
    minutes = tuple(starting_minutes(profile, standing, side) for side in (Side.WHITE, Side.BLACK))
    return Clock(kind=rule.type, delay_s=rule.delay_s, left=(60 * minutes[0], 60 * minutes[1]))


def press(clock: Clock, side: Side, t: float) -> Clock:
    """`side` ends its turn: its time stops (Bronstein gives back up to the delay), the other's runs.

    At the opening the player with the lower die presses, which starts the other one's time.
    """
    if clock.running is side.other:
        return clock
    left = clock.left_at(t)
    if clock.kind == "bronstein" and clock.running is side:
        values = list(left)
        values[_index(side)] += min(clock.delay_s, t - clock.since)
        left = (values[0], values[1])
    return replace(clock, left=left, running=side.other, since=t)


def pause(clock: Clock, t: float) -> Clock:
    """Both times stand (a die off the table, a break)."""
    return replace(clock, left=clock.left_at(t), running=None, since=t)


def resume(clock: Clock, side: Side, t: float) -> Clock:
    """`side`'s time runs again."""
    return replace(clock, running=side, since=t)
