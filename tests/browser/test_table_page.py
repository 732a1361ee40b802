"""The table in a real browser: live, loud where it must be, correctable in two taps, by finger or by keyboard."""

from __future__ import annotations

import msgspec
from conftest import until_commands
from webfakes import DOUBT, ILLEGAL, MIDDLE, OPENING, REROLL, TEACHER

from companion.rules.ids import gnu_position_id
from companion.rules.position import Position
from companion.table import commands as cmd
from companion.table.view import Banner, Choice, Message


def spot(page, place):
    return page.locator(f'.spot[data-place="{place}"]')


def text_of(page, selector: str) -> str:
    return page.locator(selector).inner_text()


def wait_for_command(page, server, kind):
    page.wait_for_selector(".toast")
    return next(command for command in server.table.commands if isinstance(command, kind))


def test_a_change_on_the_table_is_seen_without_reloading(server, open_page) -> None:
    page = open_page()
    server.table.change(score=(2, 1), white="Zoë")
    page.wait_for_selector("text=Zoë")
    assert text_of(page, ".plate.white .score") == "2"


def test_a_move_glides_and_is_drawn_as_an_arrow(server, open_page) -> None:
    server.table.show(OPENING)
    page = open_page()
    assert page.locator(".arrow").count() == 0
    server.table.show(MIDDLE)
    page.wait_for_selector(".arrow")
    assert "13/3*(2)" in text_of(page, ".turn-list")


def test_each_fault_has_its_banner_with_rule_and_choices(server, open_page) -> None:
    page = open_page(operator=True)
    for view, title, rule in [(REROLL, "Re-roll", "B4"), (ILLEGAL, "Illegal play", "D1")]:
        server.table.show(view)
        page.wait_for_selector(f'.banner h2:has-text("{title}")')
        assert rule in text_of(page, ".banner .rules")
        assert page.locator('[role="alert"] .banner').count() == 1
    assert "must enter first" in text_of(page, ".banner .sentence")
    page.click("text=Let it stand")
    until_commands(page, server, [cmd.Rule(choice="stand")])


def test_the_other_banners_speak_too_and_a_match_ends(server, open_page) -> None:
    page = open_page(operator=True)
    said = {
        "premature": Message("premature.opponent_choice", {"side": "white"}),
        "double": Message("status.double_offered", {"side": "white"}),
        "camera_lost": Message("status.camera_lost"),
        "game_end": Message("game.gammon", {"winner": "black", "n": 4}),
        "match_end": Message("match.won", {"winner": "black", "score": "5-3"}),
    }
    for kind, text in said.items():
        take = Choice(Message("choice.take"), {"command": "take", "side": "black"})
        server.table.change(banner=Banner(kind=kind, text=text, choices=(take,) if kind == "double" else ()))
        page.wait_for_selector(f'html[data-banner="{kind}"]')
        assert "{" not in text_of(page, ".banner")
        if kind == "double":
            page.click(".banner .primary")
    until_commands(page, server, [cmd.Take(side="black")])
    server.table.change(banner=None, status="match_over", status_text=Message("status.match_over", {"winner": "black"}))
    page.wait_for_selector('.status:has-text("Black wins")')


def test_a_doubt_is_solved_by_one_tap_on_its_answer(server, open_page) -> None:
    server.table.show(DOUBT)
    page = open_page(operator=True)
    page.click("button.doubts")
    page.click('.sheet button:has-text("6-3")')
    page.wait_for_selector(".sheet", state="detached")
    until_commands(page, server, [cmd.SolveDoubt(doubt_id="d1", choice="6-3")])


def test_a_checker_is_put_right_with_two_taps(server, open_page) -> None:
    server.table.show(OPENING)
    page = open_page(operator=True, size=(390, 844), touch=True)
    page.tap('button[data-key="edit"]')
    spot(page, 6).tap()
    spot(page, 5).tap()
    command = wait_for_command(page, server, cmd.SetPosition)
    white = list(OPENING.white_position)
    white[6], white[5] = 4, 1
    assert command.position == gnu_position_id(Position(tuple(white), OPENING.black_position))


def test_a_count_is_set_by_tapping_the_point_and_the_number(server, open_page) -> None:
    server.table.show(OPENING)
    page = open_page(operator=True)
    page.click('button[data-key="edit"]')
    spot(page, 6).click()
    page.click('.chips.white .chip:text-is("4")')
    command = wait_for_command(page, server, cmd.SetPosition)
    white = list(OPENING.white_position)
    white[6] = 4
    assert command.position == gnu_position_id(Position(tuple(white), OPENING.black_position))


def test_dice_cube_score_and_the_rest_are_commands(server, open_page) -> None:
    page = open_page(operator=True)
    page.click(".layer-dice .die >> nth=0")
    page.click(".faces >> nth=0 >> .chip >> nth=4")
    wait_for_command(page, server, cmd.SetDice)
    assert server.table.commands[-1] == cmd.SetDice(side="white", dice=(5, 4))
    page.click(".layer-cube .cube")
    page.click('.sheet .chip:text-is("4")')
    page.wait_for_selector(".sheet", state="detached")
    page.click('button[data-key="more"]')
    page.click("text=Edit the score")
    page.fill("#score-white", "2")
    page.click("text=Save")
    page.wait_for_selector('.plate.white .score:text-is("2")')
    assert server.table.commands[1:] == [
        cmd.SetCube(value=4, owner="black"),
        cmd.SetScore(white=2, black=0, crawford=False),
    ]


def test_another_play_is_chosen_and_a_missed_turn_added(server, open_page) -> None:
    page = open_page(operator=True)
    page.click(".turn-line >> nth=0")
    page.click('.sheet .chip:text-is("13/10 6/5")')
    wait_for_command(page, server, cmd.ChoosePlay)
    page.click('button[data-key="more"]')
    page.click("text=Add a missed turn")
    page.click(".faces >> nth=0 >> .chip >> nth=2")
    page.click(".faces >> nth=1 >> .chip >> nth=0")
    page.click('.sheet .chip:text-is("8/5 6/5")')
    page.wait_for_selector(".sheet", state="detached")
    expected: list[cmd.Command] = [
        cmd.ChoosePlay(play="13/10 6/5", turn=6, dice=(5, 5)),
        cmd.AddTurn(side="white", dice=(3, 1), play="8/5 6/5"),
    ]
    until_commands(page, server, expected)


def test_a_refusal_of_the_table_is_told(server, open_page) -> None:
    server.table.refusal = "there is nothing to undo"
    page = open_page(operator=True)
    page.click('button[data-key="undo"]')
    page.wait_for_selector('.toast.bad:has-text("there is nothing to undo")')


def test_a_refusal_is_told_in_the_readers_language(server, open_page) -> None:
    server.table.refusal, server.table.refusal_code = "no illegal play is in question", "no_illegal_play"
    page = open_page(operator=True, lang="de")
    page.click('button[data-key="undo"]')
    page.wait_for_selector('.toast.bad:has-text("Es geht um keinen unerlaubten Zug.")')


def test_a_viewer_becomes_operator_by_the_pin(server, open_page) -> None:
    page = open_page()
    page.click('button[data-key="lock"]')
    page.fill("#pin", "000000")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The PIN is wrong.")
    page.fill("#pin", "123456")
    page.keyboard.press("Enter")
    page.wait_for_selector('button[data-key="undo"]')
    page.reload()
    page.wait_for_selector('button[data-key="undo"]')


def test_everything_goes_by_keyboard(server, open_page) -> None:
    server.table.show(OPENING)
    page = open_page(operator=True)
    page.focus('button[data-key="edit"]')
    page.keyboard.press("Enter")
    page.focus('.spot[tabindex="0"]')
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.place") == "6"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press(" ")
    wait_for_command(page, server, cmd.SetPosition)


def test_the_teacher_shows_where_a_checker_may_go_and_stops_at_once(server, open_page) -> None:
    server.table.show(TEACHER)
    page = open_page(operator=True)
    spot(page, 8).click()
    assert page.locator(".spot.to").evaluate_all("all => all.map(e => e.dataset.place)") == ["5"]
    page.select_option('select[data-key="mode"]', "monitor")
    page.wait_for_selector(".lesson", state="detached")
    assert page.locator(".spot.from").count() == 0


def test_the_board_turns_to_the_other_seat(server, open_page) -> None:
    page = open_page()
    before = spot(page, 1).locator("rect").bounding_box()
    page.click("text=Turn the board")
    after = spot(page, 1).locator("rect").bounding_box()
    assert before["y"] > after["y"]
    assert text_of(page, ".part-foot .name") == "Grace"


def test_two_phones_and_a_screen_show_the_same(server, open_page) -> None:
    pages = [open_page(size=(390, 844)), open_page(size=(390, 844), dark=True), open_page("/screen", size=(1920, 1080))]
    server.table.show(msgspec.structs.replace(REROLL, score=(2, 2)))
    for page in pages:
        page.wait_for_selector('.banner h2:has-text("Re-roll")')
        page.wait_for_selector('.plate.black .score:text-is("2")')


def test_a_restarted_server_is_found_again_with_what_was_missed(server, open_page) -> None:
    page = open_page()
    page.wait_for_selector('html[data-line="live"]')
    server.stop()
    page.wait_for_selector("text=No connection to the companion")
    server.table.change(white="Later")
    server.start()
    page.wait_for_selector("text=Later", timeout=15000)
    page.wait_for_selector('html[data-line="live"]')


def test_offline_is_said_and_ends_by_itself(server, open_page) -> None:
    page = open_page()
    page.wait_for_selector('html[data-line="live"]')
    server.stop()
    page.wait_for_selector(".status.offline")
    server.start()
    page.wait_for_selector(".status.offline", state="detached", timeout=15000)


def test_german_is_complete_on_the_table(server, open_page) -> None:
    server.table.show(ILLEGAL)
    page = open_page(lang="de-DE")
    page.wait_for_selector("text=Weiß hat einen Stein auf der Bar")
    assert page.locator("html").get_attribute("lang") == "de"
    assert "Regelwidriger Zug" in text_of(page, ".banner h2")
