"""`companion doctor`: each fault is found and comes with one line on what to do; asking changes nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from click.testing import CliRunner

from companion.app import lock_data
from companion.cli_service import doctor, line_of
from companion.config import Config, Web
from companion.errors import SourceError
from companion.service import checks, checks_software, checks_table
from companion.service.checks import Check
from companion.service.doctor import Patient, examine, in_use
from companion.sources.base import Frame
from companion.vision.calibrate import save
from companion.vision.types import Calibration, ColourModel
from companion.web.auth import fresh_keys, store_keys

RNG = np.random.default_rng(8)
SHARP = RNG.integers(40, 200, (120, 160, 3), dtype=np.uint8)


def one_line(check: Check) -> bool:
    return "\n" not in check.found + check.mend and bool(check.ok) != bool(check.mend)


# --- the machine -------------------------------------------------------------------------------------------------


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.disk(tmp_path / "not" / "yet").ok
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda place: type("U", (), {"free": 2e8})())
    found = checks.disk(tmp_path)
    assert (found.ok, "0.2 GB free" in found.found) == (False, True)


def test_a_read_only_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(checks.tempfile, "TemporaryFile", refuse)
    found = checks.disk(tmp_path)
    assert not found.ok
    assert "memory card" in found.mend


def test_a_memory_card_comes_with_a_word_on_wear(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checks, "device_of", lambda place: "mmcblk0p2")
    assert "endurance" in checks.disk(tmp_path).found


@pytest.mark.parametrize(("text", "ok"), [("48200\n", True), ("81500\n", False)])
def test_heat(tmp_path: Path, text: str, ok: bool) -> None:
    (tmp_path / "temp").write_text(text)
    assert checks.temperature(tmp_path / "temp").ok is ok
    assert checks.temperature(tmp_path / "none").ok


@pytest.mark.parametrize(
    ("word", "found", "mend"),
    [
        ("0x0", "no under-voltage", ""),
        ("0x50005", "under-voltage now", "power supply"),
        ("80000", "since the start", "cool"),
    ],
)
def test_the_firmwares_word_on_power(tmp_path: Path, word: str, found: str, mend: str) -> None:
    (tmp_path / "word").write_text(word + "\n")
    check = checks.power(tmp_path / "word")
    assert found in check.found
    assert mend in check.mend
    assert check.ok is (word == "0x0")


def test_a_clock_not_synchronised_is_told() -> None:
    assert checks.clock(0).ok
    assert not checks.clock(checks.NOT_SYNCHRONISED).ok
    assert checks.clock_state() in range(6)


# --- what is installed -------------------------------------------------------------------------------------------


def test_a_clash_of_two_numpys_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "ValueError: numpy.dtype size changed, may indicate binary incompatibility"
    monkeypatch.setattr(checks_software, "importing", lambda module: why if module == "picamera2" else None)
    found = checks_software.picamera2(wanted=True)
    assert not found.ok
    assert "two builds of NumPy clash" in found.mend


@pytest.mark.parametrize(
    ("opencv", "numpy", "bad"),
    [("5.0.0.93", "1.26.4", True), ("4.11.0.86", "1.24.2", False), ("5.0.0.93", "2.2.4", False), ("", "2.0", False)],
)
def test_the_known_pairs_of_opencv_and_numpy(opencv: str, numpy: str, bad: bool) -> None:
    assert checks_software.clash(opencv, numpy) is bad


def test_a_missing_camera_library_matters_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks_software, "importing", lambda module: "ModuleNotFoundError: No module named 'picamera2'")
    assert checks_software.picamera2(wanted=False).ok
    assert "apt install" in checks_software.picamera2(wanted=True).mend


def test_a_module_that_crashes_at_import_does_not_crash_the_doctor(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "crashing.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "status -11" in checks_software.importing("crashing")
    assert checks_software.importing("json") is None
    assert "No module named" in checks_software.importing("no_such_module_here")


def test_a_changed_or_missing_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"net")
    digest = hashlib.sha256(b"net").hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{digest}  a.onnx\n{digest}  b.onnx\n")
    assert checks_software.models(tmp_path).found == "b.onnx is missing"
    (tmp_path / "b.onnx").write_bytes(b"torn")
    assert checks_software.models(tmp_path).found == "b.onnx is not as it was made"
    (tmp_path / "SHA256SUMS").unlink()
    assert not checks_software.models(tmp_path).ok


def test_the_list_of_models_is_that_of_the_models() -> None:
    folder = Path(__file__).parents[2] / "models"
    have = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.onnx")}
    assert checks_software.sums(folder) == have, "models/ has changed: (cd models && sha256sum *.onnx > SHA256SUMS)"


# --- the table ---------------------------------------------------------------------------------------------------


class Film:
    """A source of the same picture."""

    live = True
    name = "film"

    def __init__(self, image: np.ndarray, count: int = 100, meta: dict[str, object] | None = None) -> None:
        self.image, self.count, self.meta, self.closed = image, count, meta or {}, False

    def frames(self) -> Iterator[Frame]:
        for seq in range(self.count):
            yield Frame(seq, seq / 10, self.image, self.meta)

    def close(self) -> None:
        self.closed = True


class Steps:
    """A clock that goes on by a tenth with each look."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def seen(image: np.ndarray = SHARP, *, step: float = 0.05, meta: dict[str, object] | None = None) -> checks_table.Seen:
    return checks_table.look("film", lambda spec: Film(image, meta=meta), Steps(step))


def test_a_camera_that_gives_sharp_pictures_is_well_and_is_let_go() -> None:
    film = Film(SHARP, meta={"exposure": {"ExposureTime": 10_000.0}})
    found = checks_table.camera("picamera2", checks_table.look("picamera2", lambda spec: film, Steps(0.05)), None)
    assert found.ok
    assert "160x120, 10 frames a second, exposure held at 10.0 ms" in found.found
    assert film.closed


@pytest.mark.parametrize(
    ("image", "meta", "word"),
    [
        (np.full((120, 160, 3), 9, np.uint8), {}, "lamp"),
        (np.full((120, 160, 3), 255, np.uint8), {}, "mirrors"),
        (np.full((120, 160, 3), 120, np.uint8), {}, "focus"),
        (SHARP, {"problem": "exposure"}, "exposure"),
    ],
)
def test_a_poor_picture_is_told_with_its_mend(image: np.ndarray, meta: dict[str, object], word: str) -> None:
    found = checks_table.camera("film", seen(image, meta=meta), None)
    assert not found.ok
    assert word in found.mend


def test_a_slow_camera_is_told() -> None:
    assert not checks_table.camera("film", seen(step=0.5), None).ok


def test_a_camera_that_is_missing_or_gives_nothing_is_told() -> None:
    with pytest.raises(SourceError, match="no picture"):
        checks_table.look("film", lambda spec: Film(SHARP, count=0))
    found = checks_table.camera("picamera2", SourceError("picamera2:0: no such camera, 0 found"), None)
    assert "no such camera" in found.found


def test_the_running_services_own_view_of_its_camera_counts() -> None:
    state = {"ok": True, "source": "picamera2:0", "fps": 10.0, "problems": []}
    assert checks_table.running_camera({"camera": state}).ok
    assert "lamp" in checks_table.running_camera({"camera": {**state, "problems": ["dark"]}}).mend
    assert not checks_table.running_camera({"camera": {**state, "ok": False}}).ok


def board(path: Path) -> None:
    grey = ColourModel(mean=(128.0, 128.0, 128.0), std=(9.0, 9.0, 9.0))
    save(
        Calibration(
            image_size=(160, 120), corners=((10, 10), (150, 10), (150, 110), (10, 110)), white_side="bottom",
            home="right", aspect=0.8, bar=(0.46, 0.54), white=grey, black=grey, checker_diameter=0.06,
            checker_height=0.01, confidence=0.98,
        ),
        path,
    )  # fmt: skip


def test_a_calibration_is_missing_old_torn_or_well(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    assert "learns it by itself" in checks_table.calibration(path, None, 0.0).mend
    board(path)
    now = path.stat().st_mtime
    assert checks_table.calibration(path, None, now + 86400).ok
    assert checks_table.calibration(path, None, now - 1e8).ok, "a clock set back is no fault of the board"
    assert not checks_table.calibration(path, None, now + 61 * 86400).ok
    path.write_bytes(path.read_bytes()[:100])
    assert "calibrate again" in checks_table.calibration(path, None, now).mend


def test_a_board_that_was_moved_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board(tmp_path / "board.json")
    monkeypatch.setattr(checks_table, "drift", lambda known, frame: iter(["moved", "dark"]))
    found = checks_table.calibration(tmp_path / "board.json", seen(), (tmp_path / "board.json").stat().st_mtime)
    assert found.mend == checks_table.DRIFT


def test_a_frame_without_a_board_has_drifted(tmp_path: Path) -> None:
    board(tmp_path / "board.json")
    found = list(
        checks_table.drift(checks_table.load(tmp_path / "board.json"), Frame(0, 0.0, np.zeros_like(SHARP), {}))
    )
    assert found, "a black picture is not the calibrated view"


def test_the_pin_is_looked_for_never_made(tmp_path: Path) -> None:
    path = tmp_path / "operator.json"
    assert not checks_table.pin(path).ok
    assert not path.exists()
    store_keys(path, fresh_keys())
    assert checks_table.pin(path).ok
    path.write_text("{")
    assert "renew" in checks_table.pin(path).mend


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"status": "rolled", "camera": {"ok": True, "source": "picamera2:0", "fps": 9.0}}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def port() -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_a_running_service_is_asked_and_its_camera_left_alone(port: int, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(checks_software, "importing", lambda module: None)
    monkeypatch.setattr(checks_table, "look", lambda spec: pytest.fail("the service has the camera"))
    config = Config(web=Web(host="127.0.0.1", port=port))
    lock = lock_data(tmp_path)
    assert in_use(tmp_path)
    found = {check.name: check for check in examine(Patient(config, tmp_path, "picamera2"))}
    lock.close()
    assert not in_use(tmp_path)
    assert found["camera"].ok
    assert found["page"].ok
    assert all(one_line(check) for check in found.values())


def test_the_command_says_each_line_and_the_exit_code_tells(tmp_path: Path, monkeypatch) -> None:
    film = tmp_path / "film"
    film.mkdir()
    import cv2

    cv2.imwrite(str(film / "1.png"), SHARP)
    config = tmp_path / "c.toml"
    config.write_text("[web]\nhost = '127.0.0.1'\nport = 9\n")
    args = ["--data", str(tmp_path / "data"), "--source", f"frames:{film}", "--config", str(config)]
    monkeypatch.setattr(checks_software, "importing", lambda module: None)
    told = CliRunner().invoke(doctor, args)
    answer = CliRunner().invoke(doctor, [*args, "--json"])
    found = json.loads(answer.output)
    assert (told.exit_code, answer.exit_code, found["ok"]) == (1, 1, False)
    assert {check["name"] for check in found["checks"]} == {
        "libraries", "picamera2", "models", "disk", "temperature", "power", "clock", "camera", "calibration", "page",
        "pin",
    }  # fmt: skip
    assert all(bool(check["mend"]) != check["ok"] for check in found["checks"])
    assert "!!  page" in told.output
    assert not (tmp_path / "data").exists()


def test_all_well_is_exit_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.service.doctor.examine", lambda patient: iter([Check("camera", True, "fine")]))
    done = CliRunner().invoke(doctor, ["--data", os.devnull])
    assert (done.exit_code, done.output) == (0, "ok  camera      fine\n")
    assert "-> do this" in line_of(Check("x", False, "y", "do this"))
