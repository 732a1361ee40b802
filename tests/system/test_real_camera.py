"""The real picamera2 on libcamera's virtual camera, in a root of its own (tests/system/camera/root.sh).

The root is made once and kept in ~/.cache (or $COMPANION_ROOTS); it needs root rights, apt and a package index.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
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
ARM = os.environ.get("CAMERA_ARCH", "amd64")
"""amd64, or arm64 under qemu: twenty to forty times slower."""
QEMU = "qemu-aarch64-static"
NEEDED = ["apt-get", "dpkg-deb", "chroot", *([QEMU] if ARM == "arm64" else [])]
MISSING = [name for name in NEEDED if shutil.which(name) is None]

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
    if ARM == "arm64":
        shutil.copy(str(shutil.which(QEMU)), made / "usr/bin" / QEMU)
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
    mounted = 'mount -t proc proc "$0/proc" && exec env -i "${@:2:$1}" "$(command -v chroot)" "$0" "${@:$1+2}"'
    python = [*([f"/usr/bin/{QEMU}"] if ARM == "arm64" else []), "/usr/bin/python3.13", *arguments]
    command = ["unshare", "--mount", "--fork", "bash", "-c", mounted, str(root), str(len(variables)), *variables]
    return subprocess.run([*command, *python], capture_output=True, text=True)


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


READ = """
import json, time
import cv2
from companion.vision.calibrate import calibrate
from companion.vision.observe import Observer
image = cv2.imread('/frames/0.jpg')
began = time.process_time()
board = calibrate(image)
seen = Observer(board).study(image).observation
print(json.dumps({
    'corners': board.corners, 'seat': [board.white_side, board.home], 'sure': board.confidence,
    'points': [point.value for point in seen.points], 'sure_of': [point.confidence for point in seen.points],
    'dice': sorted(str(die.value) for die in seen.dice), 'cpu_s': round(time.process_time() - began, 1),
}))
"""


@pytest.mark.skipif(ARM != "arm64", reason="asks for CAMERA_ARCH=arm64 (make acceptance on a machine with qemu)")
def test_an_arm_processor_learns_and_reads_the_same(root: Path) -> None:
    """Same counts, seat and dice; corners within 3 pixels of 1280, confidences within 0.1.

    Single operations differ by a grey level (resize, warp); the search for the best corners makes 1.6 pixels of it.
    """
    arm = json.loads(inside(root, "-c", READ).stdout)
    here = subprocess.run(
        [sys.executable, "-c", READ.replace("/frames/0.jpg", str(root / "frames/0.jpg"))],
        capture_output=True, text=True, check=True, cwd=PROJECT,
    )  # fmt: skip
    x86 = json.loads(here.stdout)
    far = max(
        abs(a - b)
        for one, other in zip(arm["corners"], x86["corners"], strict=True)
        for a, b in zip(one, other, strict=True)
    )
    doubt = max(abs(a - b) for a, b in zip(arm["sure_of"], x86["sure_of"], strict=True))
    print(
        f"\ncorners {far:.2f} px apart, confidences {doubt:.3f}; CPU {arm['cpu_s']} s (emulated) and {x86['cpu_s']} s"
    )
    assert (arm["points"], arm["seat"], arm["dice"]) == (x86["points"], x86["seat"], x86["dice"])
    for one, other in zip(arm["corners"], x86["corners"], strict=True):
        assert one == pytest.approx(other, abs=3.0)
    assert arm["sure_of"] == pytest.approx(x86["sure_of"], abs=0.1)
