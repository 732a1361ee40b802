"""Things that move: legs of a path, hands, carried checkers, tumbling dice. Pure functions of the time passed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from companion.sim.scene import Checker, Cube, Die, Hand, Quat, Vec3

SHUTTER = 1 / 80
"""Seconds the shutter is open: how far moving dice smear."""


def ease(u: float) -> float:
    """Smooth start and end: 0 … 1 -> 0 … 1."""
    u = min(1.0, max(0.0, u))
    return u * u * (3.0 - 2.0 * u)


def mix(a: Vec3, b: Vec3, u: float) -> Vec3:
    """The point the share `u` of the way from a to b."""
    return (a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u, a[2] + (b[2] - a[2]) * u)


def distance(a: Vec3, b: Vec3) -> float:
    """Centimetres between two points."""
    return math.dist(a, b)


@dataclass(frozen=True, slots=True)
class Leg:
    """A way from a to b (cm), lifted in between like an arc."""

    a: Vec3
    b: Vec3
    lift: float = 0.0

    def at(self, u: float) -> Vec3:
        """Where one is after the share `u` of the leg's time."""
        s = ease(u)
        x, y, z = mix(self.a, self.b, s)
        return (x, y, z + self.lift * 4.0 * s * (1.0 - s))


def quat_mul(p: Quat, q: Quat) -> Quat:
    """Rotation q first, then p."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def quat_about(axis: Vec3, angle: float) -> Quat:
    """Rotation by `angle` radians about `axis` (any length above 0)."""
    n = math.hypot(*axis)
    s = math.sin(angle / 2) / n
    return (math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s)


_TOP: dict[int, Quat] = {
    1: (1.0, 0.0, 0.0, 0.0),
    6: quat_about((1.0, 0.0, 0.0), math.pi),
    3: quat_about((0.0, 1.0, 0.0), -math.pi / 2),
    4: quat_about((0.0, 1.0, 0.0), math.pi / 2),
    2: quat_about((1.0, 0.0, 0.0), math.pi / 2),
    5: quat_about((1.0, 0.0, 0.0), -math.pi / 2),
}
"""The body turned so that this face is up (body axes: +x 3, +y 2, +z 1; opposite faces sum to 7)."""


def die_quat(value: int, yaw: float, tilt: float = 0.0, towards: float = 0.0) -> Quat:
    """Orientation with `value` up, turned by `yaw`, then tipped by `tilt` so that the top leans to `towards`."""
    flat = quat_mul(quat_about((0.0, 0.0, 1.0), yaw), _TOP[value])
    if tilt == 0.0:
        return flat
    axis = (-math.sin(towards), math.cos(towards), 0.0)
    return quat_mul(quat_about(axis, tilt), flat)


def rotate(q: Quat, v: Vec3) -> Vec3:
    """The vector v turned by q."""
    _, x, y, z = quat_mul(quat_mul(q, (0.0, *v)), (q[0], -q[1], -q[2], -q[3]))
    return (x, y, z)


def resting_height(q: Quat, size: float) -> float:
    """Height of the centre of a cube of edge `size` whose lowest corner touches the ground."""
    return size / 2 * sum(abs(rotate(q, axis)[2]) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


@dataclass(frozen=True, slots=True)
class HandLook:
    """What stays the same about one player's hand."""

    shoulder: Vec3
    hand: Hand


@dataclass(frozen=True, slots=True)
class HandMove:
    """A hand on its way; the arm points back to the player's shoulder."""

    look: HandLook
    leg: Leg
    pose: str = "pinch"

    def at(self, u: float) -> Hand:
        tip = self.leg.at(u)
        sx, sy, _ = self.look.shoulder
        arm = math.degrees(math.atan2(sy - tip[1], sx - tip[0]))
        return replace(self.look.hand, tip=tip, arm=arm, pose=self.pose)


@dataclass(frozen=True, slots=True)
class CheckerMove:
    """A checker carried (loc `hand`) along a leg of its lower face's centre."""

    checker: Checker
    leg: Leg

    def at(self, u: float) -> Checker:
        x, y, z = self.leg.at(u)
        return replace(self.checker, x=x, y=y, z=z, loc="hand")


@dataclass(frozen=True, slots=True)
class CubeMove:
    """The doubling cube carried; it shows its new face from the middle of the way on."""

    before: Cube
    after: Cube
    leg: Leg

    def at(self, u: float) -> Cube:
        x, y, z = self.leg.at(u)
        shown = self.after if u > 0.5 else self.before
        spin = math.pi * (1.0 - ease(u))
        tumble = None if self.before.face == self.after.face else quat_about((1.0, 0.3, 0.2), spin)
        return replace(shown, x=x, y=y, z=z, quat=tumble)


@dataclass(frozen=True, slots=True)
class Tumble:
    """A die thrown: it flies from `start`, hops in ever lower bounces and rolls out into `die` (its rest)."""

    die: Die
    start: Vec3
    axis: Vec3
    turns: float
    seconds: float
    hop: float = 3.0

    def _centre(self, u: float) -> Vec3:
        s = 1.0 - (1.0 - u) ** 1.5
        x, y, z = mix(self.start, (self.die.x, self.die.y, self.die.z), s)
        if u < 0.3:
            z = self.start[2] + (self.die.z - self.start[2]) * (u / 0.3) ** 2
        else:
            z = self.die.z + self.hop * (1.0 - u) ** 2 * abs(math.sin(math.pi * (u - 0.3) / 0.7 * 3.0))
        return (x, y, z)

    def at(self, u: float) -> Die:
        if u >= 1.0:
            return self.die
        x, y, z = self._centre(u)
        nx, ny, _ = self._centre(min(1.0, u + SHUTTER / self.seconds))
        # Real dice stop abruptly: the last visible movement before the rest is still a fast one.
        spin = quat_about(self.axis, 2 * math.pi * self.turns * (1.0 - u) ** 1.2)
        quat = quat_mul(spin, self.die.quat)
        z = max(z, self.die.z - resting_height(self.die.quat, self.die.size) + resting_height(quat, self.die.size))
        return replace(self.die, x=x, y=y, z=z, quat=quat, cls="moving", detail="", blur=(nx - x, ny - y))


@dataclass(frozen=True, slots=True)
class DieMove:
    """A die lifted or shifted by a hand."""

    die: Die
    leg: Leg

    def at(self, u: float) -> Die:
        x, y, z = self.leg.at(u)
        return replace(self.die, x=x, y=y, z=z, cls="moving", detail="")
