"""One contract for every source: frames in order, a clock that never runs back, live drops and recorded blocks,
close ends it, and whatever is broken is told in one line instead of a hang or a traceback."""

from __future__ import annotations

import itertools
import logging
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import cv2
import mjpeg_server as servers
import numpy as np
import pytest

from companion.errors import InputError, SourceError
from companion.sources.base import Frame, Source
from companion.sources.live import LiveSource, Picture
from companion.sources.open import open_source
from companion.sources.simulated import RealTimeFilm

SIZE = (64, 48)
MATCH = """ 1 point match

 Game 1
 Anna : 0                        Ben : 0
  1) 31: 8/5 6/5                 41: 24/23 13/9
  2) 65: 24/13
"""


def write_frames(folder: Path, count: int = 12) -> Path:
    folder.mkdir(exist_ok=True)
    for n in range(count):
        (folder / f"p{n}.jpg").write_bytes(servers.jpeg(20 * n, SIZE))
    return folder


def write_video(path: Path, count: int = 20, fps: float = 10.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, SIZE)
    for n in range(count):
        writer.write(np.full((SIZE[1], SIZE[0], 3), 10 * n % 250, np.uint8))
    writer.release()
    return path


class Ticker:
    """A camera that ticks when told to, for the contract of live sources without any clock."""

    def __init__(self, count: int = 10_000) -> None:
        self.count = count
        self.go = threading.Semaphore(0)
        self.made = 0

    def pictures(self, stop: threading.Event) -> Iterator[Picture]:
        for n in range(self.count):
            while not self.go.acquire(timeout=0.02):
                if stop.is_set():
                    return
            self.made = n + 1
            yield Picture(n, n / 10, np.zeros((48, 64, 3), np.uint8))

    def interrupt(self) -> None:
        """Nothing blocks for long here."""


KINDS = ("frames", "frames with times", "video", "bare video", "mjpeg", "match", "match live", "demo", "demo live")


@pytest.fixture
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    """A working source of the kind named by the test's parameter."""
    with ExitStack() as stack:
        made = open_kind(request.param, tmp_path, stack)
        yield made
        made.close()


def open_kind(kind: str, tmp_path: Path, stack: ExitStack) -> Source:
    match = tmp_path / "m.mat"
    match.write_text(MATCH)
    folder = write_frames(tmp_path / "pictures")
    if kind == "frames with times":
        rows = "".join(f"p{n}.jpg,{1.5 * n}\n" for n in range(12))
        (folder / "frames.csv").write_text("file,seconds\n" + rows)
    video = write_video(tmp_path / "film.avi")
    address = stack.enter_context(servers.camera(servers.stream)) if kind == "mjpeg" else ""
    spec = {
        "frames": f"frames:{folder}",
        "frames with times": f"frames:{folder}",
        "video": f"video:{video}",
        "bare video": str(video),
        "mjpeg": address,
        "match": f"match:{match}",
        "match live": f"match:{match}",
        "demo": "demo",
        "demo live": "demo",
    }[kind]
    return open_source(spec, live=kind.endswith("live"), seed=1, timeout_s=3.0)


def take(source: Source, count: int) -> list[Frame]:
    frames = source.frames()
    try:
        return list(itertools.islice(frames, count))
    finally:
        frames.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("source", KINDS, indirect=True)
class TestEverySource:
    def test_is_a_source_with_a_name(self, source: Source) -> None:
        assert isinstance(source, Source)
        assert source.name

    def test_gives_pictures_of_one_size_in_order_on_its_own_clock(self, source: Source) -> None:
        frames = take(source, 3)
        assert len(frames) == 3
        assert all(f.image.dtype == np.uint8 and f.image.ndim == 3 and f.image.shape[2] == 3 for f in frames)
        assert len({f.image.shape for f in frames}) == 1
        for a, b in itertools.pairwise(frames):
            assert b.seq > a.seq
            assert b.t > a.t
        assert frames[0].t >= 0

    def test_close_ends_running_frames_and_may_be_called_twice(self, source: Source) -> None:
        frames = source.frames()
        next(frames)
        source.close()
        source.close()
        assert len(list(frames)) <= 1

    def test_a_closed_source_gives_nothing(self, source: Source) -> None:
        source.close()
        assert list(source.frames()) == []

    def test_leaves_no_thread_behind(self, source: Source) -> None:
        before = set(threading.enumerate())
        take(source, 2)
        source.close()
        left = [t for t in set(threading.enumerate()) - before if t.name.startswith("capture")]
        for thread in left:
            thread.join(timeout=5)
        assert not any(t.is_alive() for t in left)


@pytest.mark.parametrize("source", ["frames", "frames with times", "video", "bare video"], indirect=True)
def test_recorded_sources_lose_nothing_and_can_be_read_again(source: Source) -> None:
    first, again = [[f.seq for f in source.frames()] for _ in range(2)]
    assert not source.live
    assert first == again == list(range(len(first)))


def test_live_sources_give_the_newest_picture_and_count_the_dropped_ones() -> None:
    ticker = Ticker(count=20)
    source = LiveSource("ticker", ticker, stall_s=5)
    frames = source.frames()
    ticker.go.release()
    assert next(frames).seq == 0
    ticker.go.release(19)
    last = [f.seq for f in frames][-1]
    assert source.live
    assert last == 19
    assert ticker.made == 20


def test_a_film_on_a_slow_machine_waits_rather_than_miss_a_roll() -> None:
    """Every picture takes as long as five frames: at most two frames in a row are left out."""

    class SlowFilm:
        name, fps, first, total = "slow", 100.0, 3, 40

        def frame(self, seq: int) -> Frame:
            threading.Event().wait(0.05)
            return Frame(seq, seq / self.fps, np.zeros((4, 4, 3), np.uint8))

    shown = [p.seq for p in RealTimeFilm(SlowFilm()).pictures(threading.Event())]
    assert shown[0] == 3
    assert all(b - a == 3 for a, b in itertools.pairwise(shown[1:]))


def test_the_demo_goes_on_where_a_restart_left_it() -> None:
    source = open_source("demo", resume=(0, 2))
    truth = next(source.frames()).meta["truth"]
    assert (truth["game"], truth["turn"]) == (0, 1)
    assert truth["phase"] == "turn_over"


def test_a_silent_device_is_a_temporary_fault_not_a_hang() -> None:
    source = LiveSource("ticker", Ticker(), stall_s=0.2)
    with pytest.raises(SourceError, match=r"ticker: no picture for 0\.2 s") as error:
        next(source.frames())
    assert error.value.temporary


class TestFolder:
    def test_name_order_counts_numbers_and_four_frames_a_second_is_the_default(self, tmp_path: Path) -> None:
        frames = list(open_source(f"frames:{write_frames(tmp_path / 'f')}").frames())
        assert [f.meta["file"] for f in frames] == [f"p{n}.jpg" for n in range(12)]
        assert [f.t for f in frames] == [n / 4 for n in range(12)]

    def test_fps_spaces_the_pictures(self, tmp_path: Path) -> None:
        frames = list(open_source(f"frames:{write_frames(tmp_path / 'f')}", fps=2).frames())
        assert frames[3].t == 1.5

    def test_a_table_of_times_beside_the_pictures_wins(self, tmp_path: Path) -> None:
        folder = write_frames(tmp_path / "f", 3)
        (folder / "frames.csv").write_text("file,seconds\np0.jpg,0.5\np1.jpg,2\np2.jpg,2.25\n")
        assert [f.t for f in open_source(f"frames:{folder}", fps=9).frames()] == [0.5, 2.0, 2.25]

    def test_half_a_jpeg_an_empty_and_a_foreign_file_are_skipped_with_a_warning(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        folder = write_frames(tmp_path / "f", 6)
        whole = (folder / "p1.jpg").read_bytes()
        (folder / "p1.jpg").write_bytes(whole[: len(whole) // 2])
        (folder / "p2.jpg").write_bytes(b"")
        (folder / "p3.jpg").write_bytes(b"no picture")
        with caplog.at_level(logging.WARNING):
            seqs = [f.seq for f in open_source(f"frames:{folder}").frames()]
        assert seqs == [0, 4, 5]
        assert all(name in caplog.text for name in ("p1.jpg", "p2.jpg", "p3.jpg"))

    @pytest.mark.parametrize(
        ("table", "told"),
        [
            ("p0.jpg,1\n", "file,seconds"),
            ("file,seconds\np0.jpg,soon\n", "'soon' is not a number"),
            ("file,seconds\np0.jpg,nan\n", "is not a number"),
            ("file,seconds\np0.jpg,5\np1.jpg,4\n", "earlier"),
            ("file,seconds\nother.jpg,5\n", "names none"),
        ],
    )
    def test_a_bad_table_of_times_is_told_with_its_place(self, tmp_path: Path, table: str, told: str) -> None:
        folder = write_frames(tmp_path / "f", 2)
        (folder / "frames.csv").write_text(table)
        with pytest.raises(SourceError, match=told):
            open_source(f"frames:{folder}")

    def test_a_folder_that_goes_away_is_told(self, tmp_path: Path) -> None:
        folder = write_frames(tmp_path / "f")
        frames = open_source(f"frames:{folder}").frames()
        next(frames)
        shutil.rmtree(folder)
        with pytest.raises(SourceError, match="gone away"):
            list(frames)

    def test_only_broken_pictures_are_an_error_not_an_empty_film(self, tmp_path: Path) -> None:
        (tmp_path / "a.jpg").write_bytes(b"x")
        with pytest.raises(SourceError, match="none of its 1 pictures"):
            list(open_source(f"frames:{tmp_path}").frames())

    def test_missing_and_empty_folders_are_told(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="no such folder"):
            open_source(f"frames:{tmp_path / 'none'}")
        with pytest.raises(SourceError, match="holds no pictures"):
            open_source(f"frames:{tmp_path}")


class TestVideo:
    def test_times_are_the_files_own(self, tmp_path: Path) -> None:
        times = [f.t for f in open_source(str(write_video(tmp_path / "v.avi"))).frames()]
        assert times == pytest.approx([n / 10 for n in range(20)], abs=1e-3)

    def test_fps_thins_a_video(self, tmp_path: Path) -> None:
        frames = list(open_source(str(write_video(tmp_path / "v.avi")), fps=5).frames())
        assert [f.seq for f in frames] == list(range(0, 20, 2))

    def test_a_cut_off_video_gives_what_it_holds_and_warns(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = write_video(tmp_path / "v.avi", count=60)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with caplog.at_level(logging.WARNING):
            count = len(list(open_source(str(path)).frames()))
        assert 0 < count < 60
        assert "cut off" in caplog.text

    @pytest.mark.parametrize("content", [b"", b"this is no video", b"\x00" * 5000])
    def test_what_is_no_video_is_told(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "v.mp4"
        path.write_bytes(content)
        with pytest.raises(SourceError, match=r"v\.mp4"):
            list(open_source(f"video:{path}").frames())

    def test_a_folder_or_nothing_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="no such video"):
            open_source(f"video:{tmp_path / 'none.mp4'}")
        with pytest.raises(SourceError, match="frames:"):
            open_source(f"video:{tmp_path}")


class TestNetworkCamera:
    @pytest.mark.parametrize(
        ("behaviour", "told", "temporary"),
        [
            (servers.dies, "ended the stream", True),
            (servers.hangs, "sends nothing for 0.5 s", True),
            (servers.never_answers, "sends nothing for 0.5 s", True),
            (servers.garbage, "broken pictures in a row", True),
            (servers.page, "sends text/html, no MJPEG stream", False),
            (servers.missing, "answers 404", False),
        ],
    )
    def test_its_faults_are_told_and_sorted_into_temporary_and_lasting(
        self, behaviour: servers.Behaviour, told: str, temporary: bool
    ) -> None:
        with servers.camera(behaviour) as address, pytest.raises(SourceError, match=told) as error:
            list(open_source(address, timeout_s=0.5).frames())
        assert error.value.temporary is temporary

    def test_torn_pictures_are_left_out(self, caplog: pytest.LogCaptureFixture) -> None:
        with servers.camera(servers.torn) as address:
            source = open_source(address, timeout_s=3)
            frames = take(source, 3)
            source.close()
        assert all(f.seq % 2 for f in frames)
        assert "cut off" in caplog.text

    def test_nobody_there_is_temporary(self) -> None:
        with pytest.raises(SourceError, match="is the camera on") as error:
            list(open_source("http://127.0.0.1:9/", timeout_s=0.5).frames())
        assert error.value.temporary

    def test_a_password_never_stands_in_a_message(self) -> None:
        with servers.camera(servers.missing) as address, pytest.raises(SourceError) as error:
            list(open_source(address.replace("//", "//anna:secret@"), timeout_s=0.5).frames())
        assert "secret" not in str(error.value)


class TestNames:
    @pytest.mark.parametrize(
        ("spec", "told"),
        [
            ("farmes:x", "did you mean frames"),
            ("vidoe:x", "did you mean video"),
            ("dmeo", "did you mean demo"),
            ("frames:", "nothing after the colon"),
            ("picamera2:left", "number"),
            ("picture.jpg", "one picture"),
            ("game.mat", "match:game.mat"),
        ],
    )
    def test_a_misspelt_source_names_the_nearest(self, spec: str, told: str) -> None:
        with pytest.raises(InputError, match=told) as error:
            open_source(spec)
        assert "\n" not in str(error.value)

    def test_a_folder_without_its_word_is_told_the_word(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=f"frames:{tmp_path}"):
            open_source(str(tmp_path))

    @pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), 5000.0])
    def test_a_rate_that_cannot_be_is_refused(self, fps: float) -> None:
        with pytest.raises(InputError, match="--fps"):
            open_source("demo", fps=fps)

    def test_a_webcam_that_is_not_plugged_in_is_a_temporary_fault(self) -> None:
        with pytest.raises(SourceError, match="plug it in") as error:
            next(open_source("v4l2:/dev/video97").frames())
        assert error.value.temporary

    @pytest.mark.parametrize("content", ["", "no match at all\n", " 5 point match\n"])
    def test_a_match_file_without_a_match_is_told(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "x.mat"
        path.write_text(content)
        with pytest.raises(SourceError, match=r"x\.mat"):
            open_source(f"match:{path}")
