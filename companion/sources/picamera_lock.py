"""Exposure, gains and focus held still: a referee must not see a checker's colour change with a passing hand.

Values are kept flat (name -> number), as `Calibration.exposure` stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MAINS_US = {50: 10_000, 60: 8_333}
"""Half a period of the mains: lamps flicker with twice its frequency, so whole multiples see the same light."""
AUTO: dict[str, Any] = {"AeEnable": True, "AwbEnable": True}
CLOSE = 0.03
"""Share by which a sensor's own steps may differ from the value asked for."""
SETTLED_FRAMES = 6
AF_MANUAL = 0
AF_AUTO = 1
AF_TRIGGER_START = 0
AF_SETTLED = frozenset({2, 3})  # libcamera AfState: focused, failed

Limits = Mapping[str, tuple[Any, Any, Any]]
"""picamera2's `camera_controls`: name -> smallest, largest, default."""


def supported(wanted: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Only what this camera knows: setting an unknown control raises in picamera2."""
    return {name: value for name, value in wanted.items() if name in limits}


def _within(value: float, limits: Limits, name: str) -> float:
    low, high, _ = limits.get(name, (None, None, None))
    value = value if low is None else max(float(low), value)
    return value if not high else min(float(high), value)


def flicker_free(exposure_us: float, gain: float, limits: Limits, mains_hz: int = 50) -> tuple[float, float]:
    """Exposure time as a whole multiple of the mains' half period, and the gain that keeps the picture as bright.

    Light so strong that less than one half period is needed keeps its own time: daylight does not flicker.
    """
    step = MAINS_US[mains_hz]
    if exposure_us < step / 2:
        return exposure_us, gain
    product = exposure_us * gain
    lowest = float(limits["AnalogueGain"][0]) if "AnalogueGain" in limits else 1.0
    times = max(1, round(exposure_us / step))
    while times > 1 and product / (times * step) < lowest:
        times -= 1
    if product / (times * step) < lowest * (1 - CLOSE):
        return exposure_us, gain
    return float(times * step), _within(product / (times * step), limits, "AnalogueGain")


def locked_values(metadata: Mapping[str, Any], limits: Limits, mains_hz: int = 50) -> dict[str, float]:
    """What to hold, from the metadata of a settled picture; only what the camera tells of is in it."""
    found: dict[str, float] = {}
    if "ExposureTime" in metadata and "AnalogueGain" in metadata:
        time_us, gain = flicker_free(float(metadata["ExposureTime"]), float(metadata["AnalogueGain"]), limits, mains_hz)
        found |= {"ExposureTime": time_us, "AnalogueGain": gain}
    if "ColourGains" in metadata:
        red, blue = metadata["ColourGains"]
        found |= {"ColourGainRed": float(red), "ColourGainBlue": float(blue)}
    if "LensPosition" in metadata:
        found["LensPosition"] = float(metadata["LensPosition"])
    return found


def as_controls(values: Mapping[str, float], limits: Limits) -> dict[str, Any]:
    """Kept values as picamera2 controls with the automatics off."""
    wanted: dict[str, Any] = {}
    if "ExposureTime" in values and "AnalogueGain" in values:
        wanted |= {
            "AeEnable": False,
            "ExposureTime": int(values["ExposureTime"]),
            "AnalogueGain": float(values["AnalogueGain"]),
        }
    if "ColourGainRed" in values and "ColourGainBlue" in values:
        wanted |= {"AwbEnable": False, "ColourGains": (values["ColourGainRed"], values["ColourGainBlue"])}
    if "LensPosition" in values:
        wanted |= {"AfMode": AF_MANUAL, "LensPosition": float(values["LensPosition"])}
    return supported(wanted, limits)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= CLOSE * max(abs(a), abs(b), 1e-6)


def taken(values: Mapping[str, float], metadata: Mapping[str, Any]) -> bool:
    """Does the picture's metadata show the values asked for? True where the camera tells nothing of them."""
    told = [name for name in ("ExposureTime", "AnalogueGain") if name in values and name in metadata]
    return all(_near(float(metadata[name]), values[name]) for name in told)


@dataclass(slots=True)
class Settling:
    """Watches the metadata of pictures under automatic control until they stand still."""

    _before: tuple[float, ...] = ()
    _quiet: int = 0

    def settled(self, metadata: Mapping[str, Any]) -> bool:
        """True once exposure, gains and focus were the same in some pictures one after the other."""
        if "AfState" in metadata and int(metadata["AfState"]) not in AF_SETTLED:
            self._quiet = 0
            return False
        now = tuple(_numbers(metadata))
        same = len(now) == len(self._before) and all(_near(a, b) for a, b in zip(now, self._before, strict=True))
        self._quiet = self._quiet + 1 if same else 0
        self._before = now
        return self._quiet >= SETTLED_FRAMES


def _numbers(metadata: Mapping[str, Any]) -> Iterable[float]:
    for name in ("ExposureTime", "AnalogueGain", "LensPosition"):
        if name in metadata:
            yield float(metadata[name])
    yield from (float(gain) for gain in metadata.get("ColourGains", ()))
