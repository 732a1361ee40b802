"""The simulated table: a match played before a camera that is not there, with the truth of every frame."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from companion.errors import InputError, RuleError, SourceError
from companion.rules.notation.mat import read_mat
from companion.rules.record import MatchRecord
from companion.sim.film import FilmPrinter
from companion.sim.from_record import script_of
from companion.sim.incidents import Incident, read_incidents
from companion.sim.looks import Limits, habits_of, looks_of, standard_scene, table_scene
from companion.sim.play import play_match
from companion.sim.scene import Scene
from companion.sim.script import MatchScript
from companion.sim.stage import Outlook, Pace, Segment, Stage
from companion.sim.tails import plan_match, turn_at, with_standing
from companion.sim.truth import frame_truth
from companion.sources.base import Frame, Image

DEFAULT_FPS = 8.0
DEFAULT_SIZE = (1280, 960)
DEMO_SEED = 0
DEMO_PACE = Pace(reach=0.24, carry=0.3, leave=0.26, settle=0.75, think=0.15, tumble=0.6, set_up=3.0)
"""Brisk players: the demo match takes about four minutes."""
DEMO = Path(__file__).with_name("demo.mat")


class Printer(Protocol):
    """Draws frames: what rests, what moves on the same table, and a number that seeds the noise."""

    def picture(self, rest: Scene, moving: Scene, number: int) -> Image: ...


@dataclass(frozen=True, slots=True)
class Drift:
    """Slow changes of light and exposure, in stops."""

    amount: float
    period: float
    phase: float

    def at(self, t: float) -> float:
        """Stops brighter than on average."""
        slow = math.sin(2 * math.pi * t / self.period + self.phase)
        quick = 0.25 * math.sin(2 * math.pi * 7.3 * t / self.period + 2 * self.phase)
        return self.amount * (slow + quick)


class SimulatedTable:
    """A recorded source: plays a match lossless, as fast as frames are asked for.

    `events`: what a perfect transcription would tell, with times in seconds on the film's clock. Every frame carries
    `meta["truth"]` (see `companion.sim.truth.frame_truth`).
    """

    live = False

    def __init__(
        self,
        script: MatchScript,
        *,
        name: str = "match",
        seed: int = 0,
        fps: float = DEFAULT_FPS,
        size: tuple[int, int] = DEFAULT_SIZE,
        scene: Scene | None = None,
        limits: Limits | None = None,
        pace: Pace | None = None,
        printer: Printer | None = None,
    ) -> None:
        """Stages the whole match at once (no picture is drawn yet); the same arguments give the same film."""
        self.name = name
        for incident in script.incidents:
            turn_at(script, incident)
        self.script = script
        self.fps = fps
        self._scene = scene if scene is not None else _look(seed, size, limits)
        layout = self._scene.layout
        stage = Stage(layout, habits_of(seed, layout), looks_of(seed, layout), pace or Pace(), seed)
        play_match(stage, script)
        self.events: tuple[dict[str, Any], ...] = tuple(stage.events)
        self.segments: tuple[Segment, ...] = tuple(stage.segments)
        self.duration = stage.t
        self.first = 0
        self._drift = _drift(seed)
        self._printer = printer or FilmPrinter()
        self._closed = False

    @property
    def total(self) -> int:
        """How many frames the film has."""
        return int(self.duration * self.fps)

    def start_after(self, place: tuple[int, int] | None) -> None:
        """Begin the film where so many turns of that game (from 0) are over: a match goes on after a restart."""
        if place is None:
            return
        game, turns = place
        kinds = ("game_start",) if turns <= 0 else ("turn_end",)
        times = [e["t"] for e in self.events if e["type"] in kinds and e["game"] == game]
        if times:
            self.first = min(self.total - 1, math.ceil(times[min(max(turns, 1), len(times)) - 1] * self.fps))

    def frames(self) -> Iterator[Frame]:
        """All frames in order, with truth; planted faults of the film leave gaps in `seq` or repeat a picture."""
        last: Image | None = None
        index = 0
        for seq in range(self.first, self.total):
            if self._closed:
                return
            t = seq / self.fps
            index = self._find(t, index)
            fault = self._film_fault(self.segments[index])
            if fault == "dropped_frames" and seq % 4:
                continue
            if fault != "duplicated_frames" or last is None or seq % 2 == 0:
                last = self._picture(self.segments[index], t, seq)
            yield Frame(seq, t, last, {"truth": self.truth(t)})

    def _film_fault(self, segment: Segment) -> str:
        planted = self.script.at(segment.facts.game, segment.facts.turn)
        return next((i.kind for i in planted if i.kind in ("dropped_frames", "duplicated_frames")), "")

    def _find(self, t: float, start: int = 0) -> int:
        index = start if start < len(self.segments) and self.segments[start].t0 <= t else 0
        while index + 1 < len(self.segments) and self.segments[index].t1 <= t:
            index += 1
        return index

    def frame(self, seq: int) -> Frame:
        """Frame `seq` alone, without playing what comes before."""
        t = seq / self.fps
        return Frame(seq, t, self._picture(self.segments[self._find(t)], t, seq), {"truth": self.truth(t)})

    def scene(self, t: float) -> Scene:
        """What stands before the camera at time t."""
        segment = self.segments[self._find(t)]
        return self._composed(segment, t)

    def truth(self, t: float) -> dict[str, Any]:
        """The truth at time t."""
        segment = self.segments[self._find(t)]
        return frame_truth(segment, segment.at(t), _seen(self._scene, segment.outlook), t)

    def _picture(self, segment: Segment, t: float, seq: int) -> Image:
        rest, moving = self._parts(segment, t)
        return self._printer.picture(rest, moving, seq)

    def _parts(self, segment: Segment, t: float) -> tuple[Scene, Scene]:
        """The table with what rests, and with what moves at time t."""
        scene = _seen(self._scene, segment.outlook)
        isp = replace(scene.isp, exposure=scene.isp.exposure + self._drift.at(t))
        scene = replace(scene, isp=isp, props=(*scene.props, *segment.props), position=segment.position)
        still, now = segment.rest, segment.at(t)
        checkers, dice = now.checkers[len(still.checkers) :], now.dice[len(still.dice) :]
        moving = scene.with_objects(checkers, dice, None if segment.cube is None else now.cube, now.hands)
        return scene.with_objects(still.checkers, still.dice, still.cube), moving

    def _composed(self, segment: Segment, t: float) -> Scene:
        rest, moving = self._parts(segment, t)
        things = segment.at(t)
        return rest.with_objects(things.checkers, things.dice, things.cube, moving.hands)

    def close(self) -> None:
        self._closed = True


def _look(seed: int, size: tuple[int, int], limits: Limits | None) -> Scene:
    """Seed 0 is the standard table of the demo, every other seed another board, light and camera."""
    if seed == 0 and limits is None:
        return standard_scene(size)
    return table_scene(seed, size, limits or Limits())


def _drift(seed: int) -> Drift:
    rng = random.Random(f"drift {seed}")
    return Drift(rng.uniform(0.02, 0.12), rng.uniform(40, 160), rng.uniform(0, 6.28))


def _seen(scene: Scene, outlook: Outlook) -> Scene:
    """The scene with the bumped camera and the switched lamp."""
    if outlook == Outlook():
        return scene
    camera, (dx, dy) = scene.camera, outlook.shift
    x, y, z = camera.target
    camera = replace(
        camera, azimuth=camera.azimuth + outlook.azimuth, roll=camera.roll + outlook.roll, target=(x + dx, y + dy, z)
    )
    first, *others = scene.light.lamps
    light = replace(scene.light, lamps=(replace(first, power=first.power * outlook.lamp), *others))
    return replace(scene, camera=camera, light=light)


def read_match(path: Path) -> MatchRecord:
    """A .mat file. Raises SourceError naming the file when it cannot be read or played."""
    try:
        record = read_mat(path.read_text(encoding="utf-8-sig", errors="replace"))
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror})") from None
    except (RuleError, InputError) as error:
        raise SourceError(f"{path}: not a match that can be played: {error}") from None
    if not any(game.actions for game in record.games):
        raise SourceError(f"{path}: holds no play")
    return record


def match_table(
    path: Path,
    *,
    seed: int = 0,
    fps: float | None = None,
    incidents: Sequence[Incident] | None = None,
    limits: Limits | None = None,
    size: tuple[int, int] = DEFAULT_SIZE,
    pace: Pace | None = None,
    printer: Printer | None = None,
) -> SimulatedTable:
    """A .mat file on the simulated table. Incidents default to `NAME.incidents.json` beside it, if there is one."""
    record = read_match(path)
    beside = path.with_suffix(".incidents.json")
    if incidents is None:
        incidents = read_incidents(beside) if beside.is_file() else ()
    script = with_standing(random.Random(seed), script_of(record, tuple(incidents)))
    return SimulatedTable(
        script,
        name=f"match:{path}",
        seed=seed,
        fps=fps or DEFAULT_FPS,
        limits=limits,
        size=size,
        pace=pace,
        printer=printer,
    )


ANYWHERE = Limits(tilt=40.0, quarters=(0, 1, 2, 3))
"""Cameras up to 40 degrees from overhead, the board at any quarter turn."""


def planned_table(
    path: Path,
    *,
    seed: int,
    share: float = 0.12,
    limits: Limits = ANYWHERE,
    fps: float = DEFAULT_FPS,
    size: tuple[int, int] = DEFAULT_SIZE,
    printer: Printer | None = None,
) -> SimulatedTable:
    """A .mat file as a test match: board, camera, light, players and incidents (in `share` of the turns) by the seed.

    `events` of the table is what a transcription must tell; the match may differ from the file where an illegal play
    was made to stand (see `companion.sim.tails`).
    """
    script = plan_match(random.Random(seed), read_match(path), share=share)
    name = f"match:{path}"
    return SimulatedTable(script, name=name, seed=seed, fps=fps, size=size, limits=limits, printer=printer)


def demo_table(*, seed: int = DEMO_SEED, fps: float | None = None, printer: Printer | None = None) -> SimulatedTable:
    """The bundled demo match with its incidents, about four minutes."""
    table = match_table(DEMO, seed=seed, fps=fps, pace=DEMO_PACE, printer=printer)
    table.name = "demo"
    return table
