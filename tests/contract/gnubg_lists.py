"""GNU Backgammon's own list of legal plays for many rolls, through its embedded Python (FORMATS.md "headless")."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

GNUBG = shutil.which("gnubg") or ("/usr/games/gnubg" if os.access("/usr/games/gnubg", os.X_OK) else None)

_SCRIPT = """
import json, gnubg
for line in ("new session", "set jacoby off", "set automatic game off", "set player 0 human", "set player 1 human",
             "set display off", "set evaluation chequerplay evaluation plies 0", "set turn 1"):
    gnubg.command(line)
answers = []
for board_id, high, low in json.load(open(JOBS)):
    gnubg.command("set board " + board_id)
    gnubg.command("set turn 1")
    gnubg.command("set dice %d %d" % (high, low))
    hint = gnubg.hint(5000)
    answers.append([entry["move"] for entry in hint["hint"]] if hint else [])
json.dump(answers, open(ANSWERS, "w"))
"""


def gnubg_plays(jobs: list[tuple[str, int, int]], folder: Path) -> list[list[str]]:
    """For every (position id in the mover's view, die, die): gnubg's plays as text, in its own order."""
    todo, done, script = folder / "jobs.json", folder / "answers.json", folder / "list_plays.py"
    todo.write_text(json.dumps(jobs))
    script.write_text(f"JOBS, ANSWERS = {str(todo)!r}, {str(done)!r}\n{_SCRIPT}")
    assert GNUBG is not None
    command = [GNUBG, "-t", "-q", "-r", "-p", str(script)]
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, cwd=folder)
    answers: list[list[str]] = json.loads(done.read_text())
    return answers
