"""`companion bench dice`: real dice photographs, a generated hold-out of rolls, and the CPU time of dice and cube."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion.bench.rates import rate
from companion.errors import InputError
from companion.vision.dice import read_dice, read_dice_and_cube
from companion.vision.types import DieObservation

PHOTOS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "dice"
STATES = ("flat", "cocked", "on_checker", "on_bar", "stacked")
READ = (*STATES, "off_board", "unsure", "missed")
TILTS = ((0.0, 3.0), (3.0, 6.0), (6.0, 10.0), (10.0, 20.0), (20.0, 60.0))
EDGES = ((10, 12), (12, 14), (14, 16), (16, 18), (18, 20), (20, 23), (23, 27), (27, 32), (32, 40), (40, 60))
GOOD_ENOUGH = 0.99
"""Share of values right from which a die is large enough."""


@click.command("dice")
@click.option(
    "--photos", type=click.Path(path_type=Path), default=PHOTOS, help="Folder with labels.json and pictures/."
)
@click.option("--rolls", default=2000, show_default=True, help="Generated rolls of the hold-out (0 = none).")
@click.option("--seed", default=20261130, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Counts as JSON.")
def command(photos: Path, rolls: int, seed: int, as_json: bool) -> None:
    """Dice and cube: rates with intervals, CPU time."""
    cv2.setNumThreads(1)
    counts: Counter[str] = Counter()
    lines: list[str] = []
    if (photos / "labels.json").is_file():
        lines += photo_lines(photos, counts)
    else:
        lines.append(f"no dice photographs at {photos}: left out")
    if rolls:
        lines += holdout_lines(rolls, seed, counts)
    click.echo(json.dumps(dict(counts)) if as_json else "\n".join(lines))


def photo_lines(folder: Path, counts: Counter[str]) -> list[str]:
    """Values of the top faces on real photographs (labels.json as in ../shared/data/dice)."""
    labels = json.loads((folder / "labels.json").read_text())["images"]
    for name, label in sorted(labels.items()):
        image = cv2.imread(str(folder / "pictures" / name))
        if image is None:
            raise InputError(f"{folder / 'pictures' / name}: cannot be read as a picture")
        count_photo(read_dice(np.asarray(image, np.uint8), None), label["dice"], counts)
    n = counts["photo dice"]
    return [
        rate("photographs: value right", counts["photo right"], n),
        rate("photographs: WRONG", counts["photo wrong"], n),
        rate("photographs: refused", counts["photo refused"], n),
        rate("photographs: not found", counts["photo missed"], n),
        rate("photographs: invented (per picture)", counts["photo invented"], len(labels)),
    ]


def count_photo(seen: Iterable[DieObservation], truth: list[dict[str, Any]], counts: Counter[str]) -> None:
    """Pair each labelled top face with the nearest die read."""
    left = list(seen)
    for t in truth:
        x, y = t["x"] + t["w"] / 2, t["y"] + t["h"] / 2
        die = nearest(left, x, y, 30.0)
        counts["photo dice"] += 1
        if die is None:
            counts["photo missed"] += 1
            continue
        left.remove(die)
        counts["photo " + ("refused" if die.value is None else "right" if die.value == t["value"] else "wrong")] += 1
    counts["photo invented"] += len(left)


def nearest(dice: list[DieObservation], x: float, y: float, least: float) -> DieObservation | None:
    """The die read nearest to (x, y) px, None when none is within its own edge or `least` px."""
    ordered = sorted(dice, key=lambda d: (d.x - x) ** 2 + (d.y - y) ** 2)
    if not ordered or np.hypot(ordered[0].x - x, ordered[0].y - y) > max(ordered[0].edge_px, least):
        return None
    return ordered[0]


def holdout_lines(count: int, seed: int, counts: Counter[str]) -> list[str]:
    """Generated rolls: state by state read, values by size and light, faults by tilt, CPU time."""
    try:
        from companion.train.dice_holdout import rolls
    except ImportError as e:
        raise InputError(f"the hold-out needs {e.name}: pip install 'backgammon-companion[train]'") from None
    table: Counter[tuple[str, str]] = Counter()
    times = []
    for roll in rolls(count, seed):
        began = time.process_time()
        dice, _ = read_dice_and_cube(roll.image, roll.geometry)
        times.append(time.process_time() - began)
        count_roll(list(dice), roll, counts, table)
    return [*_table(table), *_bands(counts), *_sizes(counts), *_lights(counts), _time(times)]


def count_roll(dice: list[DieObservation], roll: Any, counts: Counter[str], table: Counter[tuple[str, str]]) -> None:
    """Add one roll's dice to the counts."""
    for thing in roll.things:
        if thing.kind != "die" or thing.visible < 0.6 or not _inside(thing.centre, thing.edge_px, roll.image):
            continue
        die = nearest(dice, float(thing.centre[0]), float(thing.centre[1]), 6.0)
        if die is not None:
            dice.remove(die)
        table[thing.state, die.state if die else "missed"] += 1
        _count_die(die, thing, roll.light, counts)
    counts["invented"] += sum(_inside((d.x, d.y), d.edge_px, roll.image) for d in dice)
    counts["rolls"] += 1


def _inside(centre: Any, edge: float, image: NDArray[np.uint8]) -> bool:
    h, w = image.shape[:2]
    return bool(edge < centre[0] < w - edge and edge < centre[1] < h - edge)


def _count_die(die: DieObservation | None, thing: Any, light: str, counts: Counter[str]) -> None:
    band = next(f"{a:.0f}-{b:.0f}" for a, b in TILTS if a <= thing.tilt < b)
    faulty = die is not None and die.state not in ("flat", "unsure")
    counts[f"tilt {band} n"] += 1
    counts[f"tilt {band} fault"] += faulty
    if thing.state != "flat":
        return
    size = next((f"{a}-{b}" for a, b in EDGES if a <= thing.edge_px < b), None)
    verdict = "missed" if die is None else "refused" if die.value is None else str(die.value == thing.value)
    for key in (f"size {size}", f"light {light}", f"clear {size}" if light == "clear" else "", "all"):
        counts[f"{key} n"] += 1
        counts[f"{key} {verdict}"] += 1


def _table(table: Counter[tuple[str, str]]) -> list[str]:
    head = f"{'die is / read':14}" + "".join(f"{c:>11}" for c in READ)
    return [head, *(f"{a:14}" + "".join(f"{table[a, b]:11}" for b in READ) for a in STATES)]


def _bands(counts: Counter[str]) -> list[str]:
    lines = []
    for a, b in TILTS:
        key = f"tilt {a:.0f}-{b:.0f}"
        what = "called faulty (lying on things counts too)" if a == 0 else "caught"
        lines.append(rate(f"tilt {a:.0f}-{b:.0f} deg: {what}"[:44], counts[f"{key} fault"], counts[f"{key} n"]))
    return lines


def _sizes(counts: Counter[str]) -> list[str]:
    lines, enough = [], None
    for a, b in EDGES:
        key = f"size {a}-{b}"
        n, right, wrong = counts[f"{key} n"], counts[f"{key} True"], counts[f"{key} False"]
        lines += [rate(f"edge {a}-{b} px: right", right, n), rate(f"edge {a}-{b} px: WRONG", wrong, n)]
        clear = f"clear {a}-{b}"
        good = counts[f"{clear} n"] and counts[f"{clear} True"] >= GOOD_ENOUGH * counts[f"{clear} n"]
        enough = (enough or a) if good else None
    lines.append(f"smallest edge from which {GOOD_ENOUGH:.0%} of values are right in clear light: {enough or '-'} px")
    return lines


def _lights(counts: Counter[str]) -> list[str]:
    out = []
    for light in ("light clear", "light poor", "all"):
        n = counts[f"{light} n"]
        out += [
            rate(f"{light}: value {v}", counts[f"{light} {k}"], n) for v, k in (("right", "True"), ("WRONG", "False"))
        ]
    out.append(rate("invented (per roll)", counts["invented"], counts["rolls"]))
    return out


def _time(times: list[float]) -> str:
    ms = np.asarray(times) * 1e3
    return f"CPU a window, dice and cube: median {np.median(ms):.1f} ms, 90 % {np.percentile(ms, 90):.1f} ms"
