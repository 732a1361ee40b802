"""The running table: the one impure file of the package. Its thread alone owns log, match and view.

Frames come from the capture thread, commands from anybody; both are worked off here, one after the other. Events
count only when the log has them on disk. After a kill the match goes on from the log.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

import cv2
import msgspec
import numpy as np

from companion.errors import CompanionError
from companion.record.evidence import EvidenceStore
from companion.record.log import LogError, MatchLog
from companion.record.pictures import Pictures
from companion.rules.position import Side
from companion.rules.profile import load_profile
from companion.sources.base import Frame, Image, Source
from companion.table import commands as cmd
from companion.table import events as ev
from companion.table.capture import Capture, CaptureState
from companion.table.clock import Clock, clock_for, pause, press, resume
from companion.table.fold import History, fold, step
from companion.table.orders import begin_match, obey
from companion.table.referee import referee
from companion.table.referee_state import RefereeState
from companion.table.settle import Reader, Watcher
from companion.table.state import MatchState, Phase
from companion.table.view import CameraView, ClockView, TableView
from companion.table.view_builder import Live, build_view
from companion.vision.types import Calibration

log = logging.getLogger(__name__)
SILENT_S = 5.0
"""Seconds without a frame after which the camera counts as lost."""
TICK_S = 0.5
AGAIN_S = 2.0
"""Seconds of film between two tries to find a bumped board again."""
COMMAND_S = 10.0


class MakeReader(Protocol):
    """Makes what reads frames."""

    def __call__(self, calibration: Calibration) -> Reader: ...


class TableRunner:
    """One table. `source_factory(match)` opens the source (a simulated one may start where the match stands).

    `begin`: a match to start when the log holds none that goes on. `make_reader`: `companion.vision.observe.Observer`.
    `register(image, calibration, match)`: finds the board again after a bump, None when it cannot.
    """

    def __init__(
        self,
        source_factory: Callable[[MatchState], Source],
        match_log: MatchLog,
        make_reader: MakeReader,
        *,
        calibration: Calibration | None = None,
        evidence: EvidenceStore | None = None,
        begin: cmd.NewMatch | None = None,
        register: Callable[[Image, Calibration, MatchState], Calibration | None] | None = None,
        learn: Callable[[Image], Calibration | None] | None = None,
        on_frame: Callable[[Frame], None] | None = None,
    ) -> None:
        self._log = match_log
        self._make_reader = make_reader
        self._register = register
        self._learn = learn
        self._on_frame = on_frame
        self._pictures = Pictures(evidence)
        self._history = History()
        self._state = RefereeState()
        self._mode: str | None = None
        self._clock = Clock()
        self._calibration: Calibration | None = None
        self._watcher: Watcher | None = None
        self._commands: queue.Queue[tuple[cmd.Command, Future[cmd.CommandResult]]] = queue.Queue()
        self._wake = threading.Event()
        self._changed = threading.Condition()
        self._stopping = False
        self._frame: Frame | None = None
        self._frame_at = 0.0
        self.beat = time.monotonic()
        """When the table's thread last began a round; a watchdog may ask."""
        self._rate: deque[float] = deque(maxlen=20)
        self._silent = False
        self._tried = -1e9
        self._fault: str | None = None
        self.errors: deque[str] = deque(maxlen=50)
        self._view = TableView()
        self._take_up(begin)
        self._capture = Capture(lambda: source_factory(self._state.match), self._wake.set)
        self._capture.begin_at(self._state.match.t)
        if calibration is not None:
            self._use(calibration)
        self._publish()
        self.thread = threading.Thread(target=self._run, name="table", daemon=True)

    # --- what others call (any thread) ---------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to look."""
        self._capture.start()
        self.thread.start()

    def stop(self) -> None:
        """End both threads; returns when they are gone. Everything logged is safe."""
        self._stopping = True
        self._wake.set()
        self._capture.stop()
        if self.thread.is_alive():
            self.thread.join(timeout=5.0)
        with self._changed:
            self._changed.notify_all()

    def view(self) -> TableView:
        """The newest snapshot."""
        return self._view

    def wait(self, revision: int, timeout: float) -> TableView:
        """Block until the view's revision differs from `revision`, at most `timeout` seconds; the newest view."""
        with self._changed:
            self._changed.wait_for(lambda: self._view.revision != revision or self._stopping, timeout)
        return self._view

    def submit(self, command: cmd.Command) -> cmd.CommandResult:
        """Queue a command for the table thread and wait for its answer."""
        if not self.thread.is_alive():
            return cmd.CommandResult(False, "the table is not running")
        future: Future[cmd.CommandResult] = Future()
        self._commands.put((command, future))
        self._wake.set()
        try:
            return future.result(COMMAND_S)
        except FutureTimeout:
            return cmd.CommandResult(False, "the table is busy: try again")

    def set_calibration(self, calibration: Calibration) -> None:
        """Use another calibration from the next frame on."""
        self._use(calibration)
        self._wake.set()

    def calibration(self) -> Calibration | None:
        """The calibration in use."""
        return self._calibration

    def latest_frame(self) -> Frame | None:
        """The newest frame."""
        return self._frame

    def latest_jpeg(self) -> bytes | None:
        """The newest picture of the camera, None before the first one."""
        frame = self._frame
        if frame is None:
            return None
        ok, code = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return code.tobytes() if ok else None

    def capture_state(self) -> CaptureState:
        """How the source does: frames given, frames dropped, why none come."""
        return self._capture.state

    @property
    def match_id(self) -> str:
        """The match on the table, "" when there is none."""
        return self._state.match.match_id

    # --- the table thread ----------------------------------------------------------------------------------------

    def _take_up(self, begin: cmd.NewMatch | None) -> None:
        """Go on with the last match of the log, or begin the one asked for."""
        last = self._log.last_match()
        history = History()
        if last is not None:
            for entry in self._log.entries(last):
                history.add(entry.seq, entry.event)
        if history.state.phase not in (Phase.NO_MATCH, Phase.MATCH_OVER):
            self._history = history
            self._adopt(RefereeState(match=history.state))
        elif begin is not None:
            self._begin(begin)

    def _adopt(self, state: RefereeState) -> None:
        """The referee of a match: its law and its clock."""
        match = state.match
        law = load_profile(match.profile, match.overrides)
        self._state = replace(state, law=law)
        self._clock = clock_for(law, match.length, match.score)
        if match.clock is not None:
            self._clock = replace(self._clock, left=match.clock.left)

    def _begin(self, order: cmd.NewMatch) -> None:
        now = datetime.now(UTC)
        match_id = now.strftime("%Y%m%d-%H%M%S-%f")[:-3]
        events = begin_match(order, match_id, now.date().isoformat())
        entries = self._log.append(match_id, events)
        self._history = History()
        for entry in entries:
            self._history.add(entry.seq, entry.event)
        old = self._state.seen
        self._adopt(
            RefereeState(match=self._history.state, seen=replace(RefereeState().seen, t=old.t, frame=old.frame))
        )

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(TICK_S)
            self._wake.clear()
            try:
                self._work_off()
            except LogError as error:
                self._note(str(error))
            except Exception as error:  # the supervisor: one bad frame or command must not end the match
                log.exception("table")
                self._note(f"internal fault: {error}")

    def _work_off(self) -> None:
        while not self._stopping:
            self.beat = time.monotonic()
            self._answer_all()
            frame = self._capture.take()
            if frame is None:
                break
            self._look_at(frame)
        self._check_camera()

    def _answer_all(self) -> None:
        while True:
            try:
                command, future = self._commands.get_nowait()
            except queue.Empty:
                return
            future.set_result(self._answer(command))
            self._publish()

    def _answer(self, command: cmd.Command) -> cmd.CommandResult:
        try:
            message = self._obey(command)
        except CompanionError as error:
            return cmd.CommandResult(False, str(error), max(0, self._state.match.seq), error.code, error.facts)
        return cmd.CommandResult(True, message, max(0, self._state.match.seq))

    def _obey(self, command: cmd.Command) -> str:
        match = self._state.match
        if isinstance(command, cmd.NewMatch):
            if match.started and match.game is not None and match.game.actions:
                raise CompanionError("a match is running: abandon it first", code="match_running")
            self._begin(command)
        elif isinstance(command, cmd.SetMode):
            if command.mode not in ("monitor", "recorder", "teacher"):
                raise CompanionError(f"mode {command.mode!r}: monitor, recorder or teacher")
            self._mode = command.mode
        elif isinstance(command, cmd.PressClock):
            self._press(command)
        else:
            self._commit(*obey(self._state, self._history, command))
        return ""

    def _press(self, command: cmd.PressClock) -> None:
        if self._clock.kind == "none":
            raise CompanionError("these rules have no clock", code="no_clock")
        side, now = Side(command.side), time.monotonic()
        actions: dict[str, Callable[[], Clock]] = {
            "press": lambda: press(self._clock, side, now),
            "pause": lambda: pause(self._clock, now),
            "resume": lambda: resume(self._clock, side, now),
        }
        if command.action not in actions:
            raise CompanionError(f"clock action {command.action!r}: press, pause or resume")
        clock = actions[command.action]()
        seen = self._state.seen
        event = ev.ClockPressed(
            t=seen.t, frame=seen.frame, who="clock", side=side, left=clock.left_at(now), action=command.action
        )
        state = replace(self._state, match=fold_on(self._state.match, event))
        self._commit(state, (event,))
        self._clock = clock

    def _commit(self, state: RefereeState, events: Sequence[ev.MatchEvent]) -> None:
        """Log first; only then does it count."""
        if events:
            kept = [self._pictures.attach(event, state.match) for event in events]
            for entry in self._log.append(state.match.match_id, kept):
                self._history.add(entry.seq, entry.event)
            state = replace(state, match=self._history.state)
        self._fault = None
        self._state = state

    def _look_at(self, frame: Frame) -> None:
        self._frame = frame
        now = time.monotonic()
        self._rate.append(now)
        self._frame_at = now
        if self._on_frame is not None:
            self._on_frame(frame)
        if self._silent:
            self._silent = False
            self._judge(ev.CameraBack(t=frame.t, frame=frame.seq))
        if self._watcher is None:
            self._try_to_learn(frame)
        if self._watcher is not None:
            for event in self._watcher.watch(frame):
                self._pictures.remember(frame.seq, frame.image, event)
                self._judge(event)
            self._find_again(frame)
        self._publish()

    def _judge(self, event: ev.TableEvent) -> None:
        self._commit(*referee(self._state, event))

    def _try_to_learn(self, frame: Frame) -> None:
        """Not calibrated yet: learn the board from a frame of the starting position, once a second."""
        if self._learn is None or frame.t - self._tried < 1.0:
            return
        self._tried = frame.t
        found = self._learn(frame.image)
        if found is not None:
            self._use(found)

    def _find_again(self, frame: Frame) -> None:
        """The camera or board was bumped: register anew while it rests, again and again until it is found.

        A still table is read once only, so what counts is the last reading, however old.
        """
        assert self._watcher is not None
        seen = self._watcher.last
        moved = seen is not None and not seen.obstructed and bool({"moved", "no_board"} & set(seen.problems))
        resting = not self._watcher.settled.hands and abs(frame.t - self._tried) >= AGAIN_S
        if not (moved and resting) or self._register is None or self._calibration is None:
            return
        self._tried = frame.t
        found = self._register(frame.image, self._calibration, self._state.match)
        if found is not None:
            self._use(found)

    def _use(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._watcher = Watcher(self._make_reader(calibration), calibration)
        # What the log says of the view is what has to be taken back when the view is clear.
        told = tuple(problem for problem in self._state.match.problems if problem != "camera_lost")
        self._watcher.settled = replace(self._watcher.settled, problems=told)

    def _check_camera(self) -> None:
        """Silence is told once; what is written there ends with the next frame."""
        lost = self._capture.state.lost
        silent = time.monotonic() - self._frame_at > SILENT_S and self._frame is not None
        if (lost or silent) and not self._silent:
            self._silent = True
            seen = self._state.seen
            self._judge(ev.CameraLost(t=seen.t, frame=seen.frame, reason=lost or "no picture"))
            self._publish()
        elif self._clock.running is not None or lost:
            self._publish()

    def _note(self, text: str) -> None:
        if text != self._fault:
            log.error("%s", text)
            self.errors.append(text)
        self._fault = text
        self._publish()

    def _publish(self) -> None:
        """A new snapshot for everybody who waits."""
        match = self._state.match
        law = self._state.law
        seen = self._state.seen
        live = Live(
            camera=self._camera_view(),
            hands=self._watcher is not None and self._watcher.settled.hands,
            throw=seen.throw,
            fresh=seen.fresh,
            clock=self._clock.view(time.monotonic()) if self._clock.kind != "none" else ClockView(kind="none"),
            home=self._calibration.home if self._calibration else "right",
            white_side=self._calibration.white_side if self._calibration else "bottom",
            can_undo=self._history.undo_target() is not None,
            can_redo=self._history.redo_target() is not None,
        )
        view = build_view(match, law, live, mode=self._mode or law.mode, revision=self._view.revision)
        if view == self._view:
            return
        with self._changed:
            self._view = msgspec.structs.replace(view, revision=self._view.revision + 1)
            self._changed.notify_all()

    def _camera_view(self) -> CameraView:
        state = self._capture.state if hasattr(self, "_capture") else None
        ok = self._frame is not None and not self._silent
        problems = self._state.match.problems
        if self._fault is not None:
            problems = (*problems, "fault")
        spans = np.diff(np.array(self._rate)) if len(self._rate) > 2 else np.array([])
        fps = round(float(1 / max(1e-3, spans.mean())), 0) if len(spans) else 0.0
        return CameraView(
            ok=ok,
            source=state.source if state else "",
            fps=fps,
            frame_age_s=None if self._frame is None else 0.0 if ok else round(time.monotonic() - self._frame_at),
            problems=problems,
            calibrated=self._calibration is not None,
        )


def fold_on(match: MatchState, event: ev.MatchEvent) -> MatchState:
    """The match after one more event."""
    return step(match, match.seq + 1, event)


def stored_match(match_log: MatchLog, match_id: str) -> MatchState:
    """A match of the log, folded."""
    return fold((entry.seq, entry.event) for entry in match_log.entries(match_id))
