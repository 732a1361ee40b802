"""The commands `transcribe`, `export`, `matches`, `verify` (CONTRACT.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.errors import InputError

if TYPE_CHECKING:
    from companion.record.log import MatchLog
    from companion.sources.base import Frame, Source
    from companion.table.state import MatchState
    from companion.transcribe import Transcript

PROFILE_HELP = "Rule profile (classic, beginner, money …) or a TOML file."
DATA_HELP = "Data directory with the stored matches."


@click.command()
@click.argument("src")
@click.option("--board", type=click.Path(path_type=Path), help="Board file made by `companion calibrate`.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The match record (.mat) to write.")
@click.option("--events", "events_path", type=click.Path(path_type=Path), help="Also write all events, JSON lines.")
@click.option("--fps", type=float, help="Frames a second of a folder without times; a video is thinned to it.")
@click.option("--match-length", type=click.IntRange(0, 99), help="Points of the match, 0 = money (the default).")
@click.option("--white", help="Name of the player with the lighter checkers.")
@click.option("--black", help="Name of the player with the darker checkers.")
@click.option("--profile", default="classic", show_default=True, help=PROFILE_HELP)
@click.option("--from-id", help="Join in mid-game: XGID, or GNU position id in White's view.")
@click.option("--on-roll", type=click.Choice(["white", "black"]), help="Who is on roll at --from-id.")
def transcribe(src: str, out: Path, events_path: Path | None, fps: float | None, **options: Any) -> None:
    """A whole video or frame folder to a match record, faster than real time."""
    from companion.app_register import register
    from companion.cli_vision import load_board
    from companion.sources.open import open_source
    from companion.transcribe import Resume, Transcriber
    from companion.vision.observe import Observer

    _check_place(out, "--out")
    if events_path:
        _check_place(events_path, "--events")
    calibration = load_board(options["board"])
    source = open_source(src, fps=fps)
    job = _job(src, source, options)
    resume = Resume(out.with_name(out.name + ".resume"), job)
    resume.load()
    sink = events_path.open("w", encoding="utf-8") if events_path else None
    try:
        with Progress(source) as progress:
            transcriber = Transcriber(
                job, Observer, calibration, sink=sink, resume=resume, progress=progress.frame, register=register
            )
            transcript = transcriber.run(source)
    finally:
        if sink:
            sink.close()
    out.write_text(transcript.mat(), encoding="utf-8")
    resume.done()
    for line in summary(transcript):
        click.echo(line, err=True)


def _job(src: str, source: Source, options: dict[str, Any]) -> Any:
    """Names and length: from the options, else from the source where it knows them (a simulated match)."""
    from companion.rules.profile import load_profile
    from companion.transcribe import Job, joined_position

    load_profile(options["profile"])
    start, on_roll = joined_position(options["from_id"], options["on_roll"])
    script = getattr(source, "script", None)
    length = options["match_length"]
    return Job(
        source=src,
        length=length if length is not None else getattr(script, "length", 0),
        white=options["white"] or getattr(script, "white", "White"),
        black=options["black"] or getattr(script, "black", "Black"),
        profile=options["profile"],
        start=start,
        on_roll=on_roll,
    )


def _check_place(path: Path, option: str) -> None:
    if path.is_dir():
        raise InputError(f"{option} {path}: is a folder; name a file in it")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path}: the folder {path.parent} does not exist; create it first")


class Progress:
    """A progress bar on a terminal, nothing elsewhere."""

    def __init__(self, source: Source) -> None:
        total = getattr(source, "total", 0) or 0
        self._bar: Any = None
        if sys.stderr.isatty():
            self._bar = click.progressbar(length=total or None, label="transcribing", file=sys.stderr)

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.__exit__(*error)

    def frame(self, frame: Frame) -> None:
        if self._bar:
            self._bar.update(1)


def summary(transcript: Transcript) -> list[str]:
    """What was found, and every doubtful turn with its time."""
    state = transcript.state
    games = [*state.games, *([state.game] if state.game and state.game not in state.games else [])]
    turns = sum(game.turns for game in games)
    lines = [f"{turns} turns in {len(games)} game(s), {len(transcript.doubts)} doubtful"]
    for doubt in transcript.doubts:
        choice = f": {' or '.join(doubt.alternatives)}" if doubt.alternatives else ""
        lines.append(f"  {clock(doubt.t)} {doubt.about}: {doubt.text}{choice}")
    return lines


def clock(seconds: float) -> str:
    """h:mm:ss of film."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def _log(data: str | None) -> MatchLog:
    from companion.config import data_dir
    from companion.record.log import LOG_FILE, MatchLog

    path = data_dir(data) / LOG_FILE
    if not path.is_file():
        raise InputError(f"{path}: no match is stored here; name another folder with --data")
    return MatchLog(path)


def _state(log: MatchLog, name: str) -> tuple[str, MatchState]:
    from companion.table.fold import fold

    match_id = log.find(name)
    return match_id, fold((entry.seq, entry.event) for entry in log.entries(match_id))


@click.command()
@click.argument("match")
@click.option("--format", "form", type=click.Choice(["mat", "sgf", "json", "html"]), required=True)
@click.option("--data", help=DATA_HELP)
def export(match: str, form: str, data: str | None) -> None:
    """Write a stored match (its id, the beginning of it, or `last`) to standard output."""
    from companion.record.export import export as write

    _, state = _state(_log(data), match)
    click.echo(write(state, form), nl=False)


@click.command()
@click.option("--data", help=DATA_HELP)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def matches(data: str | None, as_json: bool) -> None:
    """List the stored matches, newest first."""
    import json
    from dataclasses import asdict

    for info in _log(data).matches():
        if as_json:
            click.echo(json.dumps(asdict(info)))
        else:
            length = f"{info.length} points" if info.length else "money"
            click.echo(
                f"{info.match_id}  {info.created[:16]}  {info.white} - {info.black}, {length}, {info.events} events"
            )


@click.command()
@click.argument("match")
@click.option("--data", help=DATA_HELP)
def verify(match: str, data: str | None) -> None:
    """Prove that the record of a match, and its pictures, are as they were written."""
    from companion.record.evidence import EvidenceStore

    log = _log(data)
    match_id = log.find(match)
    verdict = log.verify(match_id)
    spoilt = EvidenceStore(log, log.path.parent / "evidence").verify(match_id)
    if verdict.ok and not spoilt:
        click.echo(f"{match_id}: untouched, {verdict.events} events, last hash {verdict.last_hash}")
        return
    what = [verdict.fault] if verdict.fault else []
    what += [f"picture {name} is not as it was kept" for name in spoilt]
    click.echo(f"{match_id}: CHANGED: {'; '.join(what)}", err=True)
    sys.exit(1)
