"""The real picamera2 on libcamera's virtual camera, in a root of its own (tests/system/camera/root.sh).

The root is made once and kept in ~/.cache (or $COMPANION_ROOTS); it needs root rights, apt and a package index.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
SCRIPT = HERE / "camera" / "root.sh"
CAMERA_FILE = """%YAML 1.1
---
"BoardCam":
  supported_formats:
  - {width: 1280, height: 960, frame_rates: [30, 30]}
  frames: {path: "/frames/"}
  location: "CameraLocationExternal"
  model: "imx708"
"""
MISSING = [name for name in ("apt-get", "dpkg-deb", "chroot") if shutil.which(name) is None]
ARM = os.environ.get("CAMERA_ARCH", "amd64")

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root (chroot, device nodes)"),
    pytest.mark.skipif(bool(MISSING), reason=f"not here: {', '.join(MISSING)}"),
    pytest.mark.timeout(0 if ARM == "arm64" else 900),
]


def made_root(folder: Path) -> Path:
    """The root for this script's text, made when it is not there; a half-made one is made anew."""
    digest = hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:12]
    root = folder / f"camera-{ARM}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / "ready").exists():
            shutil.rmtree(root, ignore_errors=True)
            done = subprocess.run(
                ["bash", str(SCRIPT), str(root), ARM], capture_output=True, text=True,
                env={**os.environ, "PYTHON": sys.executable},
            )  # fmt: skip
            if done.returncode != 0:
                shutil.rmtree(root, ignore_errors=True)
                pytest.skip(f"the root cannot be made here: {done.stderr.strip().splitlines()[-1:]}")
    return root


@pytest.fixture(scope="module")
def root() -> Path:
    """The root with the companion, its tests and a picture for the camera in it."""
    from companion.sim.table import demo_table

    made = made_root(Path(os.environ.get("COMPANION_ROOTS", Path.home() / ".cache" / "backgammon-companion")))
    source = made / "src"
    shutil.rmtree(source, ignore_errors=True)
    quiet = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("companion", "models", "tests/system/camera"):
        shutil.copytree(PROJECT / name, source / name, ignore=quiet)
    (made / "frames").mkdir(exist_ok=True)
    cv2.imwrite(str(made / "frames" / "0.jpg"), demo_table(fps=10).frame(0).image)
    place = made / "usr/share/libcamera/pipeline/virtual"
    place.mkdir(parents=True, exist_ok=True)
    (place / "virtual.yaml").write_text(CAMERA_FILE)
    return made


def inside(root: Path, *arguments: str, slow: float = 1.0) -> subprocess.CompletedProcess[str]:
    """Run Python of the root, with /proc of this machine."""
    variables = [
        "PATH=/usr/bin:/bin", "HOME=/tmp", "PYTHONPATH=/opt/site:/src", "PYTHONDONTWRITEBYTECODE=1", f"SLOW={slow}",
        "OMP_NUM_THREADS=1", "LIBCAMERA_PIPELINES_MATCH_LIST=virtual", "LIBCAMERA_LOG_LEVELS=*:FATAL",
        "QEMU_CPU=cortex-a72",
    ]  # fmt: skip
    mounted = 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i "$@"'
    command = ["unshare", "--mount", "--fork", "bash", "-c", mounted, str(root), *variables, "python3.13", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_companion_on_the_real_picamera2(root: Path) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-rs", "--rootdir=/src/tests", "/src/tests/system/camera/inside.py"]
    done = inside(root, "-m", "pytest", *options, slow=20.0 if ARM == "arm64" else 1.0)
    print(done.stdout[-3000:])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_doctor_knows_the_camera_and_its_library(root: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, '/src/tests/system/camera'); import virtual; virtual.install()\n"
        "from companion.service.checks_table import camera, look\n"
        "print(camera('picamera2', look('picamera2'), None))"
    )
    done = inside(root, "-c", code)
    assert "ok=True" in done.stdout, done.stdout + done.stderr
    assert "1280x960" in done.stdout
