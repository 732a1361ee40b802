"""The `companion` command: names and exit codes as in CONTRACT.md; a command's code is imported only when called.

Exit 0 = done, 2 = bad arguments or unusable input (one clear line), 1 = anything else. JSON to stdout, logs to stderr.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import logging
import os
import sys
from typing import Any

import click

from companion import __version__
from companion.errors import CompanionError, SourceError

COMMANDS = {
    "run": ("companion.cli_run:run", "The service: camera -> referee -> page."),
    "pin": ("companion.cli_run:pin", "Show (or renew) the operator PIN."),
    "calibrate": ("companion.cli_vision:calibrate", "Learn board, colours and camera from the starting position."),
    "read": ("companion.cli_vision:read", "Read still images, one JSON object a line."),
    "transcribe": ("companion.cli_record:transcribe", "A video or frame folder to a match record."),
    "export": ("companion.cli_record:export", "Write a stored match as mat, sgf, json or html."),
    "matches": ("companion.cli_record:matches", "List the stored matches."),
    "verify": ("companion.cli_record:verify", "Prove that a stored match is untouched."),
    "legal": ("companion.cli_rules:legal", "All legal plays of a roll."),
    "check": ("companion.cli_rules:check", "Is this result of a roll legal; if not, why."),
    "hitodds": ("companion.cli_hitodds:hitodds", "Chance to hit a man while the other side bears off."),
    "doctor": ("companion.cli_service:doctor", "Check camera, models, disk, clock, page."),
    "install-service": ("companion.cli_service:install_service", "Print or write the systemd units."),
    "hall": ("companion.cli_hall:hall", "The director's page of all tables."),
    "bench": ("companion.cli:bench", "The project's benchmarks."),
}
"""Command name -> (where its click command lives, what it does)."""

BENCHES = {
    "rules": ("companion.bench.rules_bench:command", "Speed of the legal plays."),
    "hitodds": ("companion.bench.hitodds_bench:command", "Time and memory of the hit odds."),
    "read": ("companion.bench.read_bench:command", "CPU time of reading a board."),
    "accuracy": ("companion.bench.accuracy:command", "Accuracy on the generated hold-out."),
    "dice": ("companion.bench.dice_bench:command", "Dice and cube: rates and CPU time."),
    "page": ("companion.bench.page_bench:command", "Latency of the page under viewers."),
    "sim": ("companion.bench.sim_bench:command", "Speed of the simulated table."),
    "soak": ("companion.bench.soak_bench:command", "Hours of play: memory, threads, missed turns."),
}


def not_built(name: str) -> click.Command:
    """A command that says honestly that it does not exist yet."""

    @click.command(name, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
    @click.argument("args", nargs=-1, type=click.UNPROCESSED)
    def command(args: tuple[str, ...]) -> None:
        click.echo(f"companion {name}: not built yet", err=True)
        sys.exit(1)

    return command


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for: `companion read` starts without the web server."""

    def __init__(self, table: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module, _, attribute = self.table[cmd_name][0].partition(":")
        if importlib.util.find_spec(module) is None:
            return not_built(cmd_name)
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Help without importing every command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.table.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.table and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.table, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(self.table)}"
            ctx.fail(f"no command {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"companion {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Print it.")
@click.option("-v", "--verbose", is_flag=True, help="Log more, to stderr.")
def companion(verbose: bool) -> None:
    """A camera over a real backgammon board: referees, records, teaches."""
    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s")


@click.group("bench", cls=LazyGroup, table=BENCHES)
def bench() -> None:
    """The project's benchmarks: figures with counts and intervals, times as ratios within one run."""


def one_line(error: click.ClickException, args: list[str]) -> str:
    """A usage error in one line that names the command."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    name = context.command_path if context else "companion " + " ".join(args[:1])
    return f"{name}: {' '.join(error.format_message().split())}"


def exit_code(error: CompanionError) -> int:
    """2 for input that will never do, 1 for what may pass by itself."""
    return 1 if isinstance(error, SourceError) and error.temporary else 2


def main(argv: list[str] | None = None) -> None:
    """Entry point of the console script: every error a user can cause is one line, never a traceback."""
    args = sys.argv[1:] if argv is None else argv
    try:
        sys.exit(companion.main(args, prog_name="companion", standalone_mode=False) or 0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        click.echo("companion: interrupted", err=True)
        sys.exit(1)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        sys.exit(2)
    except click.ClickException as error:
        click.echo(one_line(error, args), err=True)
        sys.exit(2)
    except CompanionError as error:
        click.echo(f"companion: {error}", err=True)
        sys.exit(exit_code(error))
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing more to say, and no complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
