"""The import rule of docs/architecture.md: who may know whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "companion"

VOCABULARY = ("companion.errors", "companion.rules.position")
ALLOWED = {
    "rules": ("companion.errors", "companion.rules"),
    "vision": (*VOCABULARY, "companion.vision", "companion.sources.base"),
    "sources": (*VOCABULARY, "companion.sources", "companion.sim"),
    "table": (*VOCABULARY, "companion.rules", "companion.table", "companion.vision", "companion.sources.base"),
    "record": (
        *VOCABULARY,
        "companion.rules",
        "companion.record",
        "companion.table",
        "companion.vision.types",
        "companion.sources.base",
    ),
    "sim": (*VOCABULARY, "companion.rules", "companion.sim", "companion.sources.base"),
    "advise": (*VOCABULARY, "companion.rules", "companion.advise"),
}
"""Package -> prefixes of our own modules that it may import. `web`, `train`, `bench`, the top modules wire things."""
EXCEPTIONS = {
    "companion/table/runner.py": ("companion.record",),  # the one impure file of the table: owns the log
}


def own_imports(path: Path) -> set[str]:
    """The modules of ours a file imports, in whatever place (TYPE_CHECKING too)."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.startswith("companion")}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("companion"):
            found |= {f"{node.module}.{a.name}" for a in node.names}
    return found


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_a_package_imports_only_what_it_may_know(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT.parent)} imports {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in sorted(own_imports(path))
        if not name.startswith(ALLOWED[package] + EXCEPTIONS.get(str(path.relative_to(ROOT.parent)), ()))
        and name != "companion.__version__"
    ]
    assert wrong == []


def test_the_pi_camera_library_is_imported_in_one_place_only() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (
            isinstance(node, ast.Import) and any(a.name.split(".")[0] in ("picamera2", "libcamera") for a in node.names)
        )
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("picamera2", "libcamera"))
    }
    assert users <= {"sources/picamera.py"}
