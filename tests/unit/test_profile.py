"""Profiles: the table of RULES.md as data files, overrides, and errors that name the nearest key."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import InputError
from companion.rules.profile import ClockRule, Profile, load_profile, profile_names

DOCS = Path(__file__).resolve().parents[2] / "docs" / "profiles.md"

# RULES.md "Profiles": on_checker, half, premature, illegal_play, objection, turn_end, clock, delay,
# crawford, jacoby, mode
TABLE = {
    "classic": "reroll right void responsible roll_or_double dice_lift none 0 yes no monitor",
    "beginner": "reroll right void legal roll_or_double dice_lift none 0 yes no teacher",
    "money": "reroll right void responsible roll_or_double dice_lift none 0 no yes monitor",
    "wbgf_legal": "reroll right opponent_choice legal roll_or_double clock bronstein 12 yes no monitor",
    "ukbgf": "reroll right stands legal roll_or_double clock simple_delay 12 yes no monitor",
    "usbgf_2017": "valid right opponent_choice legal roll_or_double clock simple_delay 12 yes no monitor",
    "us_2008": "reroll right stands responsible roll_or_double clock simple_delay 12 yes no monitor",
}


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_the_rules(name):
    p = load_profile(name)
    yes = {True: "yes", False: "no"}
    row = [p.on_checker, p.half, p.premature, p.illegal_play, p.objection_until, p.turn_end, p.clock.type]
    row += [f"{p.clock.delay_s:g}", yes[p.crawford], yes[p.jacoby], p.mode]
    assert " ".join(row) == TABLE[name]
    assert not p.beavers
    assert not p.automatic_doubles


def test_the_default_is_classic_and_comes_first():
    assert load_profile().name == "classic"
    assert profile_names()[0] == "classic"
    assert set(profile_names()) == set(TABLE)


def test_all_clocks_are_two_minutes_a_point_less_one_a_point_scored():
    for name in profile_names():
        clock = load_profile(name).clock
        assert (clock.minutes_per_point, clock.less_per_point_scored) == (2.0, 1.0)


def test_a_cocked_roll_does_not_reset_the_delay_at_ukbgf_nor_stop_the_clock_in_the_us():
    assert not load_profile("ukbgf").clock.reset_after_cocked
    assert not load_profile("usbgf_2017").clock.cocked_stops_clock
    assert not load_profile("us_2008").clock.cocked_stops_clock


def test_what_was_only_reported_is_marked():
    assert load_profile("usbgf_2017").as_reported == ("premature",)
    assert load_profile("ukbgf").as_reported == ("clock.type",)
    assert "premature" in load_profile("wbgf_legal").as_reported
    assert load_profile("us_2008").as_reported == ()


def test_single_fields_are_overridden_for_a_match():
    profile = load_profile(
        "classic", {"half": "any", "mode": "recorder", "automatic_doubles": "yes", "clock.delay_s": "8"}
    )
    assert (profile.half, profile.mode, profile.automatic_doubles) == ("any", "recorder", True)
    assert profile.clock == ClockRule(delay_s=8.0)
    assert load_profile("classic").half == "right", "the profile itself stays as it is"


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"on_cheker": "valid"}, "unknown key 'on_cheker': did you mean 'on_checker'?"),
        ({"clock.dely_s": 3}, "unknown key 'clock.dely_s': did you mean 'clock.delay_s'?"),
        ({"zzzz": 1}, "known: name, title, on_checker"),
        ({"on_checker": "maybe"}, "on_checker: Invalid enum value 'maybe'; one of reroll, valid"),
        ({"clock.type": "sand"}, "one of bronstein, none, simple_delay"),
        ({"jacoby": "perhaps"}, "jacoby: Expected `bool`"),
        ({"clock.delay_s": "soon"}, "clock.delay_s: Expected `float`"),
        ({"clock": "none"}, "clock: Expected `object`"),
    ],
)
def test_a_wrong_override_is_named(overrides, said):
    with pytest.raises(InputError) as error:
        load_profile("classic", overrides)
    assert said in str(error.value)


def test_a_wrong_profile_names_the_nearest():
    with pytest.raises(InputError, match="no profile 'clasic': did you mean 'classic'"):
        load_profile("clasic")


def test_a_profile_of_ones_own(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text('on_checker = "valid"\n[clock]\ntype = "bronstein"\ndelay_s = 10\n')
    profile = load_profile(str(path))
    assert profile == Profile(name="club", on_checker="valid", clock=ClockRule(type="bronstein", delay_s=10.0))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("on_checker = ", "not TOML"),
        ("halve = 'any'", "did you mean 'half'"),
        ("as_reported = ['premture']", "did you mean 'premature'"),
        ("clock = 5", "clock: Expected `object`"),
    ],
)
def test_a_broken_file_is_named(tmp_path, text, said):
    path = tmp_path / "club.toml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_profile(str(path))
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_a_missing_file_is_named():
    with pytest.raises(InputError, match=r"/nowhere/club\.toml: cannot be read"):
        load_profile("/nowhere/club.toml")


def test_every_profile_and_field_is_documented():
    text = DOCS.read_text(encoding="utf-8")
    fields = [*Profile.__struct_fields__, *(f"clock.{field}" for field in ClockRule.__struct_fields__)]
    missing = [word for word in (*profile_names(), *fields) if f"`{word}`" not in text]
    assert not missing
