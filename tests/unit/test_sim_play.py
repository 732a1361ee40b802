"""The simulated table in motion: it shows the match, what goes wrong goes wrong as planted, and all truth is told."""

from __future__ import annotations

import itertools
import math
import random
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.errors import InputError
from companion.rules.notation.mat import read_mat
from companion.rules.plays import legal_plays
from companion.rules.position import OFF, Side
from companion.rules.record import Double, MatchRecord, Play, Take
from companion.sim.from_record import script_of, written_hops
from companion.sim.illegal import carried, positions_on_the_way
from companion.sim.incidents import FAULTY_THROWS, KINDS, Incident, format_incidents, parse_incidents, random_incidents
from companion.sim.looks import standard_scene
from companion.sim.motion import Tumble, die_quat, resting_height
from companion.sim.scene import Die
from companion.sim.sketch import SketchPrinter
from companion.sim.stage import Segment
from companion.sim.table import DEMO, SimulatedTable, demo_table, match_table, planned_table, read_match
from companion.sim.tails import plan_match, with_standing
from companion.sim.truth import top_value
from companion.sources.base import Frame

SMALL = (320, 240)
MATCH = """ 3 point match

 Game 1
 Anna : 0                        Ben : 0
  1) 52: 13/8 13/11              23: 13/10 13/11
  2) 44: 24/20(2) 8/4(2)          Doubles => 2
  3)  Takes                      23: 13/11 10/7
  4) 46: 13/7 11/7               16: 13/7 8/7
  5) 32: 6/3 6/4                 25: 24/22* 13/8
  6) 66: Cannot Move             12: 24/22 7/6
"""
"""An opening, a double roll (turn 2), a cube taken (turn 3), a hit (turn 7) and a dance (turn 8)."""


def staged(*incidents: Incident, seed: int = 3, text: str = MATCH) -> SimulatedTable:
    script = with_standing(random.Random(seed), script_of(read_mat(text), incidents))
    return SimulatedTable(script, seed=seed, scene=standard_scene(SMALL), printer=SketchPrinter())


def events(table: SimulatedTable, *kinds: str) -> list[dict[str, Any]]:
    return [event for event in table.events if event["type"] in kinds]


def frames_of_first_turn(table: SimulatedTable) -> list[Frame]:
    """The first two dozen frames of the game's first turn."""
    played = (frame for frame in table.frames() if frame.meta["truth"]["turn"] == 0)
    return list(itertools.islice(played, 24))


def phase(table: SimulatedTable, name: str, turn: int) -> Segment:
    return next(s for s in table.segments if s.facts.phase == name and s.facts.turn == turn)


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    return read_match(DEMO)


class TestDemo:
    def test_is_a_whole_three_point_match_of_legal_plays(self, record: MatchRecord) -> None:
        assert record.length == 3
        for game in record.games:
            position = game.start
            for play in (a for a in game.actions if isinstance(a, Play)):
                assert play.after in {p.after for p in legal_plays(position, play.side, play.dice)}
                position = play.after
        last = record.games[-1].result
        assert last is not None
        assert last.kind in ("gammon", "backgammon")

    def test_holds_what_a_visitor_should_see(self, record: MatchRecord) -> None:
        actions = [a for game in record.games for a in game.actions]
        assert any(isinstance(a, Double) and isinstance(b, Take) for a, b in itertools.pairwise(actions))
        told = Counter(e["type"] for e in demo_table(printer=SketchPrinter()).events)
        assert told["reroll"] >= 1
        assert told["illegal"] == told["corrected"] == 1
        assert told["match_end"] == 1

    def test_lasts_about_four_minutes(self) -> None:
        assert 200 < demo_table(printer=SketchPrinter()).duration < 300

    @pytest.mark.gnubg
    def test_is_read_by_gnubg_without_complaint(self, tmp_path: Path) -> None:
        gnubg = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
        if gnubg is None:
            pytest.skip("GNU Backgammon is not installed")
        commands = tmp_path / "commands"
        commands.write_text(f'import mat "{DEMO}"\nshow score\nquit\ny\n')
        done = subprocess.run(
            [gnubg, "-t", "-q", "-r", "-c", str(commands)], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert "WARNING" not in done.stdout + done.stderr
        assert "4 points" in done.stdout


class TestPlaying:
    def test_every_turn_ends_in_the_position_of_the_record(self) -> None:
        table = staged()
        turns = [turn for _, _, turn in table.script.turns() if turn.dice]
        assert [e["after"] for e in events(table, "turn_end")] == [turn.after for turn in turns]

    def test_there_are_always_thirty_checkers(self) -> None:
        for segment in staged(*(Incident(kind, 0, 2) for kind in ("knocked", "fallen", "tryout"))).segments:
            assert len(segment.rest.checkers) + len(segment.checkers) == 30

    def test_the_dice_show_the_roll_flat_in_the_throwers_right_half(self) -> None:
        table = staged()
        for number, turn in enumerate(table.script.games[0].turns[1:], start=1):
            dice = phase(table, "rolled", number).rest.dice
            assert sorted(top_value(d) for d in dice) == sorted(turn.dice or ())
            assert {d.zone for d in dice} == {"R" if turn.side is Side.WHITE else "L"}
            assert all(d.cls == "flat" for d in dice)

    def test_the_opening_is_one_die_each_and_the_higher_starts(self) -> None:
        table = staged()
        opening = events(table, "opening_roll")[-1]
        assert (opening["white"], opening["black"]) == (5, 2)
        assert {d.zone for d in phase(table, "rolled", 0).rest.dice} == {"L", "R"}

    def test_equal_dice_at_the_opening_are_thrown_again(self) -> None:
        ties = [e for seed in range(30) for e in events(staged(seed=seed), "opening_roll") if e["white"] == e["black"]]
        assert 1 <= len(ties) <= 20

    def test_no_die_comes_to_rest_in_or_on_a_checker_nor_where_the_play_will_put_one(self) -> None:
        table = staged()
        layout = standard_scene(SMALL).layout
        for segment in table.segments:
            if segment.facts.phase in ("rolled", "moved"):
                for die, checker in itertools.product(segment.rest.dice, segment.rest.checkers):
                    assert math.dist((die.x, die.y), (checker.x, checker.y)) > layout.checker / 2 + 0.5 * layout.die

    def test_a_hit_checker_goes_to_the_bar_and_a_dance_moves_nothing(self) -> None:
        table = staged()
        dance = phase(table, "moved", 8)
        assert dance.position == phase(table, "rolled", 8).position
        assert dance.position.white[25] == 1

    def test_a_double_is_offered_on_the_surface_and_taken_to_the_takers_end(self) -> None:
        table = staged()
        assert [e["type"] for e in events(table, "double", "take", "pass")] == ["double", "take"]
        offered = next(s for s in table.segments if s.facts.phase == "cube_offered").rest.cube
        taken = table.segments[-1].rest.cube
        assert offered is not None
        assert (offered.place, offered.face, offered.where) == ("offered", 2, "surface")
        assert taken is not None
        assert (taken.place, taken.face) == ("light", 2)

    def test_checkers_are_set_up_again_for_the_next_game(self) -> None:
        table = demo_table(printer=SketchPrinter())
        start = next(s for s in table.segments if s.facts.game == 1 and s.facts.phase == "start")
        assert start.position == table.script.games[1].start
        assert start.rest.cube is not None
        assert start.rest.cube.place == "centre"

    def test_borne_off_checkers_lie_in_the_tray_or_beside_the_board(self) -> None:
        table = demo_table(printer=SketchPrinter())
        off = [c for c in table.segments[-1].rest.checkers if c.loc == "off"]
        assert len(off) == sum(table.script.games[-1].turns[-1].after.of(side)[OFF] for side in Side)
        assert all(abs(c.x) > standard_scene(SMALL).layout.width / 2 for c in off)


class TestTruth:
    def test_every_frame_tells_position_dice_roll_and_phase(self) -> None:
        table = staged()
        for frame in itertools.islice(table.frames(), 0, 200, 20):
            truth = frame.meta["truth"]
            men = sum(sum(truth["position"][side.value]) for side in Side)
            assert men + truth["in_hand"] == 30
            assert truth["phase"]
            assert len(truth["corners"]) == 4

    def test_the_same_seed_gives_the_same_film_and_another_seed_another(self) -> None:
        a, b, c = staged(seed=3), staged(seed=3), staged(seed=4)
        assert a.segments == b.segments
        assert np.array_equal(a.frame(40).image, b.frame(40).image)
        assert a.segments != c.segments

    def test_a_frame_taken_alone_is_the_frame_of_the_film(self) -> None:
        film = {f.seq: f for f in itertools.islice(staged().frames(), 60)}
        alone = staged().frame(50)
        assert alone.t == film[50].t
        assert np.array_equal(alone.image, film[50].image)


@pytest.mark.parametrize("kind", sorted(FAULTY_THROWS))
def test_a_faulty_throw_is_told_with_its_reason_and_repeated(kind: str) -> None:
    table = staged(Incident(kind, 0, 2))
    (told,) = events(table, "reroll")
    assert told["reason"] == FAULTY_THROWS[kind]
    assert told["side"] is Side.WHITE
    bad = phase(table, "rolled_invalid", 2).rest.dice
    zones = {"split": {"L", "R"}, "wrong_half": {"L"}, "on_bar": {"R", "bar"}, "off_board": {"R", "table"}}
    assert {d.zone for d in bad} == zones.get(kind, {"R"})
    assert sorted(top_value(d) for d in phase(table, "rolled", 2).rest.dice) == [4, 4]


def test_a_cocked_die_stands_on_the_surface_and_leans() -> None:
    (_, die) = phase(staged(Incident("cocked", 0, 2)), "rolled_invalid", 2).rest.dice
    assert die.cls == "cocked"
    assert die.z == pytest.approx(resting_height(die.quat, die.size))
    assert die.z > 0.55 * die.size


class TestIncidents:
    @pytest.mark.parametrize("kind", [k for k in KINDS if k != "illegal_stands"])
    def test_none_but_an_illegal_play_that_stands_changes_the_record(self, kind: str) -> None:
        plain, table = staged(), staged(Incident(kind, 0, 2))
        assert [e["after"] for e in events(table, "turn_end")] == [e["after"] for e in events(plain, "turn_end")]

    @pytest.mark.parametrize(("kind", "final"), [("illegal_corrected", False), ("illegal_replayed", True)])
    def test_an_illegal_play_is_on_the_way_to_nothing_legal_and_is_put_right(self, kind: str, final: bool) -> None:
        table = staged(Incident(kind, 0, 1))
        (illegal,) = events(table, "illegal")
        turn = table.script.games[0].turns[1]
        assert turn.dice is not None
        assert illegal["final"] is final
        assert illegal["after"] not in positions_on_the_way(turn.before, turn.side, turn.dice)
        assert len(events(table, "corrected")) == 1

    def test_an_illegal_play_that_stands_changes_the_rest_of_the_game(self) -> None:
        table = staged(Incident("illegal_stands", 0, 4, play="13/8 11/7"))
        wrong = events(table, "turn_end")[4]
        assert wrong["legal"] is False
        assert wrong["after"] == carried(wrong["before"], Side.WHITE, written_hops("13/8 11/7"))
        later = events(table, "turn_end")[5:]
        assert later[0]["before"] == wrong["after"]
        assert later[-1]["after"].of(later[-1]["side"])[OFF] == 15

    def test_a_premature_roll_lies_beside_the_movers_dice(self) -> None:
        table = staged(Incident("premature", 0, 2))
        (told,) = events(table, "premature_roll")
        assert told["side"] is Side.BLACK
        assert [d.zone for d in phase(table, "premature", 2).rest.dice] == ["R", "R", "L", "L"]

    def test_a_bumped_board_stays_bumped(self) -> None:
        table = staged(Incident("bump", 0, 2))
        corners = [table.truth(t)["corners"] for t in (0.0, table.duration - 1)]
        moved = np.linalg.norm(np.subtract(*corners), axis=1)
        assert 1 < moved.max() < 40

    def test_a_lamp_switched_off_darkens_the_light_for_good(self) -> None:
        table = staged(Incident("lamp", 0, 2))
        before, after = (table.scene(t).light.lamps[0].power for t in (0.0, table.duration - 1))
        assert after < before

    def test_a_cover_lies_as_long_as_asked(self) -> None:
        table = staged(Incident("covered", 0, 2, amount=120))
        covered = phase(table, "covered", 2)
        assert covered.t1 - covered.t0 == pytest.approx(120)
        assert any(p.kind == "paper" for p in covered.props)

    def test_lost_frames_leave_gaps_and_doubled_ones_repeat_the_picture(self) -> None:
        seqs = [f.seq for f in frames_of_first_turn(staged(Incident("dropped_frames", 0, 0)))]
        assert {b - a for a, b in itertools.pairwise(seqs)} == {4}
        doubled = [f.image for f in frames_of_first_turn(staged(Incident("duplicated_frames", 0, 0)))]
        assert sum(a is b for a, b in itertools.pairwise(doubled)) > 5

    def test_they_are_written_and_read(self) -> None:
        planted = tuple(Incident(kind, 0, n, amount=0.5) for n, kind in enumerate(KINDS))
        assert parse_incidents(format_incidents(planted), "x") == planted
        assert parse_incidents(format_incidents(()), "x") == ()

    @pytest.mark.parametrize(
        "text", ["{", '[{"kind": "cocked"}]', '[{"kind": "flood", "game": 0, "turn": 0}]', '[{"kind": 3}]']
    )
    def test_a_bad_list_of_incidents_is_told_in_a_line(self, text: str) -> None:
        with pytest.raises(InputError) as error:
            parse_incidents(text, "x.json")
        assert "\n" not in str(error.value)

    def test_one_planted_nowhere_is_refused(self) -> None:
        with pytest.raises(InputError, match="no turn 99"):
            staged(Incident("cocked", 0, 99))

    def test_random_ones_are_seeded_and_leave_the_record_alone(self, record: MatchRecord) -> None:
        script = script_of(record)
        one, same = (random_incidents(random.Random(5), script, 0.5) for _ in range(2))
        assert one == same
        table = SimulatedTable(replace(script, incidents=one), scene=standard_scene(SMALL), printer=SketchPrinter())
        turns = [turn for _, _, turn in script.turns() if turn.dice]
        assert [e["after"] for e in events(table, "turn_end")] == [turn.after for turn in turns]

    def test_a_planned_match_may_hold_one_illegal_play_that_stands(self, record: MatchRecord) -> None:
        script = plan_match(random.Random(1), record, standing=1.0)
        wrong = [turn for _, _, turn in script.turns() if not turn.legal]
        assert len(wrong) == 1
        assert wrong[0].after not in {p.after for p in legal_plays(wrong[0].before, wrong[0].side, wrong[0].dice)}


def test_a_test_match_is_all_from_its_seed() -> None:
    one, same, other = (planned_table(DEMO, seed=seed, size=SMALL, printer=SketchPrinter()) for seed in (5, 5, 6))
    assert one.script == same.script
    assert one.segments == same.segments
    assert one.scene(0.0).layout != other.scene(0.0).layout


class TestMotion:
    @pytest.mark.parametrize("value", range(1, 7))
    def test_a_die_shows_what_it_should_however_it_is_turned(self, value: int) -> None:
        for yaw in (0.0, 0.7, 3.0):
            for tilt in (0.0, 0.4, 0.7):
                assert top_value(Die(0, 0, 0, die_quat(value, yaw, tilt, 1.0))) == value

    def test_a_thrown_die_never_sinks_into_the_board_and_rests_where_it_should(self) -> None:
        die = Die(5.0, 3.0, 0.75, die_quat(4, 0.3))
        throw = Tumble(die, (14.0, -20.0, 7.0), (1.0, 0.4, 0.2), 2.0, 0.8)
        for u in np.linspace(0, 0.999, 60):
            now = throw.at(float(u))
            assert now.z >= resting_height(now.quat, now.size) - 1e-9
            assert now.cls == "moving"
        assert throw.at(1.0) == die


class TestFilm:
    def test_a_film_is_the_renderers_picture_up_to_noise(self, tmp_path: Path) -> None:
        """Drawn piece by piece through two turns, the resting picture is still what the renderer draws at once."""
        from companion.sim.film import FilmPrinter
        from companion.sim.render import metered, shade

        path = tmp_path / "m.mat"
        path.write_text(MATCH)
        table = match_table(path, size=(480, 360), printer=FilmPrinter())
        last = phase(table, "moved", 1)
        for seq in range(0, int(last.t0 * table.fps), 3):
            table.frame(seq)
        printer = table._printer
        assert isinstance(printer, FilmPrinter)
        scene = table.scene(last.t0)
        printer.picture(scene, scene.with_objects(()), 0)
        base = printer._base
        assert base is not None
        whole = shade(scene)[0]
        assert metered(scene) > 0
        assert np.abs(base.sheet.colour - whole).mean() < 0.01 * whole.mean()
