"""The ring of pictures: capped, oldest first, disputed turns never dropped, tampering noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.record.evidence import EvidenceStore
from companion.record.log import MatchLog
from companion.sources.base import Image


def picture(seed: int) -> Image:
    return np.random.default_rng(seed).integers(0, 255, (60, 80, 3), dtype=np.uint8)


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(MatchLog(tmp_path / "matches.db"), tmp_path / "evidence", cap_bytes=40_000)


def test_a_kept_picture_is_found_by_name_and_named_by_its_content(store: EvidenceStore) -> None:
    name = store.keep("m1", picture(1))
    path = store.path(name)
    assert path is not None
    assert path.is_file()
    assert store.keep("m1", picture(1)) == name
    assert store.names("m1") == (name,)


def test_the_ring_stays_within_its_cap_and_drops_the_oldest(store: EvidenceStore) -> None:
    names = [store.keep("m1", picture(n)) for n in range(30)]
    assert store.total_bytes() <= 40_000
    assert store.path(names[0]) is None
    assert store.path(names[-1]) is not None
    assert len(list(store.folder.glob("*.jpg"))) == len(store.names("m1"))


def test_a_disputed_turn_is_never_dropped(store: EvidenceStore) -> None:
    disputed = store.keep("m1", picture(100), pinned=True)
    late = store.keep("m1", picture(101))
    store.pin([late])
    for n in range(30):
        store.keep("m1", picture(n))
    assert store.path(disputed) is not None
    assert store.path(late) is not None


def test_a_changed_or_missing_picture_is_named(store: EvidenceStore) -> None:
    good, bad, gone = (store.keep("m1", picture(n)) for n in range(3))
    assert store.verify("m1") == ()
    (store.folder / bad).write_bytes(b"other")
    (store.folder / gone).unlink()
    assert store.verify("m1") == (bad, gone)
    assert good not in store.verify("m1")


def test_a_name_that_is_not_in_the_list_is_no_way_to_a_file(store: EvidenceStore) -> None:
    (store.folder.parent / "secret.jpg").write_bytes(b"x")
    assert store.path("../secret.jpg") is None
