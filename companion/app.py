"""The only place that wires real objects: source, vision, table, log and page become one running service."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

import cv2
import msgspec
from flask import Flask

from companion.app_heal import board_fault, heal, keys_fault, log_fault, settings_fault
from companion.app_health import ErrorMemory, Health, SettingsFile
from companion.app_keep import FilmSwitch, Housekeeper
from companion.app_light import Light
from companion.app_records import Records
from companion.app_register import register
from companion.app_rules import Law
from companion.app_sources import SIMULATED, Opened, SourcePlan
from companion.app_vision import Wizard
from companion.config import Config
from companion.errors import CalibrationError, InputError
from companion.hall.publisher import Publisher, health_of
from companion.record.evidence import EvidenceStore
from companion.record.film import FilmWriter
from companion.record.log import LOG_FILE, MatchLog
from companion.rules.position import START, Position
from companion.sources.base import Frame, Image
from companion.sources.patience import CAMERA
from companion.table.commands import NewMatch
from companion.table.runner import TableRunner
from companion.table.state import Phase
from companion.vision.types import Calibration
from companion.web import PageOptions, Services, create_app
from companion.web.auth import load_keys
from companion.web.ports import Settings
from companion.web.serve import PageServer, listen

log = logging.getLogger(__name__)
PIN_FILE = "operator.json"
SETTINGS_FILE = "settings.json"
STOP_S = 1.5
LEARN_S = 60.0
"""A slow machine takes so long to learn a board from one picture, at the most."""


class Notifier(Protocol):
    """Whoever watches over the service (systemd): told of its life. Every call is quick and never raises."""

    def ready(self, text: str) -> None: ...

    def alive(self, service: Service) -> None:
        """Once a second while running: says so onward only if the table makes progress."""

    def stopping(self) -> None: ...


class Silent:
    """Nobody watches."""

    def ready(self, text: str) -> None:
        """Nothing to tell."""

    def alive(self, service: Service) -> None:
        """Nothing to tell."""

    def stopping(self) -> None:
        """Nothing to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """`companion run` as asked for. None: the configuration decides."""

    config: Config
    data: Path
    source: str | None = None
    board: Path | None = None
    profile: str | None = None
    host: str | None = None
    port: int | None = None
    from_id: str | None = None
    on_roll: str | None = None
    record: Path | None = None


def lock_data(data: Path) -> IO[str]:
    """One service a data directory; the lock goes with the process."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        file = (data / "lock").open("a", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--data {data}: cannot be used ({error.strerror}); name another folder") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise InputError(f"--data {data}: another companion runs with this folder; stop it or name another") from error
    return file


def own_address() -> str:
    """This machine's address in its network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def addresses(host: str, port: int) -> tuple[str, ...]:
    """Where people reach the page, best first."""
    if host not in ("0.0.0.0", "::", ""):
        name = f"[{host}]" if ":" in host else host
        return (f"http://{name}:{port}/",)
    found = [own_address(), f"{socket.gethostname()}.local"]
    return tuple(f"http://{name}:{port}/" for name in found)


def learner(
    board_file: Path, position: Callable[[], Position], light: Light
) -> Callable[[Image], Calibration | None]:  # fmt: skip
    """Learns the board from a frame of the position expected, and keeps what it learned."""
    from companion.vision.calibrate import calibrate, save

    said = ""

    def learn(image: Image) -> Calibration | None:
        nonlocal said
        CAMERA.announce("learning the board", LEARN_S)
        try:
            made = msgspec.structs.replace(calibrate(image, position=position()), exposure=light.held())
        except CalibrationError as error:
            log.info("not calibrated yet: %s", error)
            return None
        except InputError as error:
            if str(error) != said:
                log.error("%s", error)
            said = str(error)
            return None
        save(made, board_file)
        return made

    return learn


def first_match(options: RunOptions, settings: Settings, opened: Opened) -> NewMatch | None:
    """The match to begin without being asked: a simulated one's own, or the one joined in mid-game."""
    profile = options.profile or settings.profile
    if opened.script is not None and not options.from_id:
        return NewMatch(length=opened.length, white=opened.white, black=opened.black, profile=profile)
    if options.from_id:
        return NewMatch(
            length=settings.length,
            white=settings.white,
            black=settings.black,
            profile=profile,
            from_id=options.from_id,
            on_roll=options.on_roll,
        )
    return None


@dataclass(slots=True)
class Service:
    """Everything that runs. `build` makes it, `start` sets it going, `stop` ends it within three seconds."""

    options: RunOptions
    runner: TableRunner
    app: Flask
    server: PageServer
    match_log: MatchLog
    addresses: tuple[str, ...]
    pin: str
    source: str
    film: FilmSwitch
    housekeeper: Housekeeper
    errors: ErrorMemory
    lock: IO[str]
    publisher: Publisher | None = None
    _stopped: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        self.runner.start()
        self.server.start()
        self.housekeeper.start()
        if self.publisher:
            self.publisher.start()

    def stop(self) -> bool:
        """Idempotent. Page and table end side by side; False when a source stuck in a driver was left behind."""
        if self._stopped.is_set():
            return True
        self._stopped.set()
        table = threading.Thread(target=self.runner.stop, name="stop-table", daemon=True)
        began = time.monotonic()
        table.start()
        if self.publisher:
            self.publisher.stop()
        self.server.stop()
        table.join(max(0.0, began + STOP_S - time.monotonic()))
        self.housekeeper.stop()
        self.film.close()
        self.match_log.close()
        logging.getLogger().removeHandler(self.errors)
        self.lock.close()
        return not table.is_alive()


def board_path(options: RunOptions, plan: SourcePlan) -> Path:
    """Where the calibration in use is kept: simulated tables have one of their own."""
    return options.data / ("board-simulated.json" if plan.kind in SIMULATED else "board.json")


def load_board(options: RunOptions, kept: Path) -> Calibration | None:
    """The board given, else the one kept; None: still to be learned."""
    from companion.vision.calibrate import load

    given = options.board or (Path(options.config.camera.board) if options.config.camera.board else None)
    if given:
        return load(given)
    return load(kept) if kept.exists() else None


def own_files(options: RunOptions, plan: SourcePlan) -> dict[Path, Callable[[Path], str]]:
    """The files a power cut could break, each with what finds the fault."""
    return {
        options.data / PIN_FILE: keys_fault,
        options.data / SETTINGS_FILE: settings_fault,
        board_path(options, plan): board_fault,
        options.data / LOG_FILE: log_fault,
    }


def first_settings(options: RunOptions) -> Settings:
    match, web = options.config.match, options.config.web
    return Settings(
        profile=options.profile or match.profile,
        length=match.length,
        white=match.white,
        black=match.black,
        language=web.language,
        keep_pictures_days=options.config.record.keep_pictures_days,
    )


def expected_position(runner: TableRunner) -> Position:
    """What lies on the board: the record's position in mid-game, else the starting position."""
    view = runner.view()
    return Position(view.white_position, view.black_position) if view.game and view.turns else START


def exposure_of(runner: TableRunner) -> Mapping[str, float]:
    """The camera's settings that belong to the calibration in use."""
    calibration = runner.calibration()
    return calibration.exposure if calibration else {}


def make_runner(
    options: RunOptions, plan: SourcePlan, match_log: MatchLog, evidence: EvidenceStore, settings: Settings,
    film: FilmSwitch, light: Light,
) -> TableRunner:  # fmt: skip
    """The table with its source and eyes."""
    from companion.vision.observe import Observer

    board_file = board_path(options, plan)
    opened = plan.describe()
    runner: TableRunner

    def filmed(frame: Frame) -> None:
        light.watch(frame, runner.view())
        film.match = runner.match_id
        film.write(frame)

    runner = TableRunner(
        lambda match: light.opened(plan.open(match)),
        match_log,
        Observer,
        calibration=load_board(options, board_file),
        evidence=evidence,
        begin=first_match(options, settings, opened),
        register=register,
        learn=learner(board_file, lambda: expected_position(runner), light),
        on_frame=filmed,
    )
    plan.ready = lambda: runner.calibration() is not None
    return runner


def build(options: RunOptions, plan: SourcePlan | None = None) -> Service:
    """All parts, wired, not yet running. `plan`: another source than the options'. InputError, SourceError."""
    lock = lock_data(options.data)
    cv2.setNumThreads(max(1, min(2, (os.cpu_count() or 1) - 1)))
    errors = ErrorMemory()
    logging.getLogger().addHandler(errors)
    plan = plan or SourcePlan(options.source or options.config.camera.source)
    for line in heal(own_files(options, plan)):
        log.error("%s", line)
    keys = load_keys(options.data / PIN_FILE)
    settings = SettingsFile(options.data / SETTINGS_FILE, first_settings(options))
    match_log = MatchLog(options.data / LOG_FILE)
    evidence = EvidenceStore(match_log, options.data / "evidence")
    films, cap = options.data / "film", int(options.config.record.film_gb * 1e9)
    fixed = FilmWriter(options.record, cap) if options.record else None
    film = FilmSwitch(films, fixed, cap, lambda: settings.current().keep_film)
    light = Light(lambda: exposure_of(runner))
    runner = make_runner(options, plan, match_log, evidence, settings.current(), film, light)
    web = options.config.web
    host = options.host or web.host
    port = options.port if options.port is not None else web.port
    sock = listen(host, port, search=options.port is None)
    where = addresses(host, sock.getsockname()[1])
    health = Health(runner.view, options.data, errors)
    services = Services(
        table=runner,
        records=Records(match_log, evidence, films),
        rules=Law(),
        vision=Wizard(
            runner.latest_jpeg,
            board_path(options, plan),
            runner.set_calibration,
            lambda: expected_position(runner),
            light.held,
        ),
        health=health,
        settings=settings,
    )
    page = PageOptions(
        keys_path=options.data / PIN_FILE,
        max_streams=web.max_streams,
        allowed_hosts=frozenset(name.lower() for name in web.allowed_hosts),
        addresses=where,
    )
    app = create_app(services, page)
    hub = app.extensions["companion"].hub
    server = PageServer(app, hub, sock)
    housekeeper = Housekeeper(
        match_log, evidence, films, lambda: settings.current().keep_pictures_days, lambda: runner.match_id
    )
    publisher = publishing(options.config, runner, where[0], health)
    return Service(
        options, runner, app, server, match_log, where, keys.pin, plan.spec, film, housekeeper, errors, lock, publisher
    )  # fmt: skip


def publishing(config: Config, runner: TableRunner, address: str, health: Health) -> Publisher | None:
    """Who tells the hall's broker of this table; None when no broker is configured."""
    if not config.hall.broker:
        return None
    return Publisher(config.hall, runner, address=address, health=lambda: health_of(health.report()))


def running_match(service: Service) -> str:
    """One line about what is on the table."""
    view = service.runner.view()
    if not view.match_id or view.status == Phase.NO_MATCH:
        return "no match yet: start one on the page"
    return f"match {view.match_id}: {view.white} - {view.black}, {view.score[0]}-{view.score[1]}"


def watch_over(service: Service, stop: threading.Event, notifier: Notifier) -> None:
    """Until `stop` is set: tell the watchdog, once a second."""
    notifier.ready(running_match(service))
    while not stop.wait(1.0):
        notifier.alive(service)
    notifier.stopping()


def as_json(service: Service) -> dict[str, Any]:
    """For scripts: where the page is."""
    return {"address": service.addresses[0], "port": service.server.port, "source": service.source}
