"""What a check of `companion doctor` answers, and the checks of the machine: disk, heat, power, clock."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from companion.app_health import TEMPERATURE, temperature_c

LEAST_FREE_GB = 1.0
HOT_C = 75.0
THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
THROTTLE_BITS = {0: "under-voltage", 1: "frequency capped", 2: "throttled", 3: "temperature limit"}
"""Bit of the Pi firmware's word -> now; the same 16 bits higher: since the start of the machine."""
NOT_SYNCHRONISED = 5  # adjtimex(2): TIME_ERROR
TIMEX_BYTES = 512  # more than sizeof(struct timex) on any Linux; the first field 0 = only ask


class Check(msgspec.Struct, frozen=True):
    """One finding. `mend`: what to do, one line, empty when all is well."""

    name: str
    ok: bool
    found: str
    mend: str = ""


def good(name: str, found: str) -> Check:
    return Check(name, True, found)


def bad(name: str, found: str, mend: str) -> Check:
    return Check(name, False, found, mend)


def disk(data: Path) -> Check:
    """Is there room for the record, and may it be written?"""
    place = next(folder for folder in (data, *data.parents) if folder.is_dir())
    free = shutil.disk_usage(place).free / 1e9
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        return bad("disk", f"{place}: cannot be written ({error.strerror})", writable_mend(error))
    if free < LEAST_FREE_GB:
        return bad("disk", f"{place}: {free:.1f} GB free", "delete old matches on the page, or films; 1 GB is needed")
    return good("disk", f"{place}: {free:.1f} GB free{wear(place)}")


def writable_mend(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "run it as the service's user or with sudo, or name your own folder with --data"
    return "make the disk writable: a full or worn memory card turns read-only; check it, restore it to a new one"


def wear(place: Path) -> str:
    """A word on memory cards, "" on other disks."""
    device = device_of(place)
    if not device.startswith("mmcblk"):
        return ""
    return "; a memory card: take an endurance card or a USB SSD, and copy the matches off now and then"


def device_of(place: Path) -> str:
    """Kernel name of the block device a folder lies on, "" when there is none (tmpfs, overlay)."""
    number = place.stat().st_dev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name if os.major(number) else ""


def temperature(path: Path = TEMPERATURE) -> Check:
    value = temperature_c(path)
    if value is None:
        return good("temperature", "not measured on this machine")
    if value >= HOT_C:
        return bad("temperature", f"{value:.0f} °C", "give it a heat sink or a fan; above 80 °C a Pi slows down")
    return good("temperature", f"{value:.0f} °C")


def throttling_of(word: int) -> Iterator[str]:
    """The firmware's word in words."""
    for bit, text in THROTTLE_BITS.items():
        if word >> bit & 1:
            yield f"{text} now"
        elif word >> (16 + bit) & 1:
            yield f"{text} since the start"


def power(path: Path = THROTTLED) -> Check:
    """Under-voltage and throttling, as a Pi's firmware tells them."""
    try:
        word = int(path.read_text().strip(), 16)
    except (OSError, ValueError):
        return good("power", "not told on this machine")
    found = ", ".join(throttling_of(word))
    if not found:
        return good("power", "no under-voltage, no throttling")
    mend = "use the Pi's own power supply and a short cable" if word & 0x10001 else "cool the machine"
    return bad("power", found, mend)


def clock(state: int | None = None) -> Check:
    """Does the kernel call its clock synchronised? Plays are ordered without it; only dates suffer."""
    state = clock_state() if state is None else state
    if state == NOT_SYNCHRONISED:
        mend = "only dates suffer; go online once, or: sudo timedatectl set-time 'YYYY-MM-DD HH:MM'"
        return bad("clock", "not synchronised", mend)
    return good("clock", "synchronised")


def clock_state() -> int:
    """adjtimex(2), asking only."""
    buffer = ctypes.create_string_buffer(TIMEX_BYTES)
    return int(ctypes.CDLL(None, use_errno=True).adjtimex(buffer))
