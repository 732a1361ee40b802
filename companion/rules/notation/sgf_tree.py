"""SGF (FF[4]) as text: nodes and properties, nothing about backgammon."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.rules.notation.fault import text_fault

Node = tuple["Property", ...]
_TOKEN = re.compile(r"\s*(?:(?P<mark>[();])|(?P<name>[A-Za-z]+)|(?P<value>\[(?:[^\]\\]|\\.)*\]))", re.S)
MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Property:
    """A property with its values, unescaped. `offset`: where its name stands in the text."""

    name: str
    values: tuple[str, ...]
    offset: int


def parse_trees(text: str) -> list[list[Node]]:
    """The main line of every game tree: the first variation wherever there are several."""
    return _Reader(text).trees()


def escaped(text: str) -> str:
    """A text as a property value, without its brackets; control characters become blanks."""
    return re.sub(r"([\\\]:])", r"\\\1", re.sub(r"[\x00-\x1f\x7f]", " ", text))


def unescaped(value: str) -> str:
    """The inverse of `escaped`, for what other programs write too."""
    return re.sub(r"\\(\r\n|\n|.)", lambda found: "" if found[1] in "\r\n" else found[1], value, flags=re.S)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text.removeprefix("\ufeff")
        self._at = 0

    def trees(self) -> list[list[Node]]:
        found = []
        while self._text[self._at :].strip():
            self._expect("(")
            found.append(self._tree(0))
        return found

    def _tree(self, depth: int) -> list[Node]:
        """What follows an opening bracket, its closing bracket included."""
        nodes: list[Node] = []
        branched = False
        while True:
            mark, start = self._mark()
            if mark == ")":
                return nodes
            if mark == ";":
                if branched:
                    raise text_fault(self._text, start, mark, "a node after the variations of its tree")
                nodes.append(self._node())
                continue
            if depth > MAX_DEPTH:
                raise text_fault(self._text, start, mark, f"variations more than {MAX_DEPTH} deep")
            variation = self._tree(depth + 1)
            nodes += [] if branched else variation
            branched = True

    def _node(self) -> Node:
        properties = []
        while (token := _TOKEN.match(self._text, self._at)) and token["name"]:
            self._at = token.end()
            name = "".join(letter for letter in token["name"] if letter.isupper())
            properties.append(Property(name, self._values(token["name"]), token.start("name")))
        return tuple(properties)

    def _values(self, name: str) -> tuple[str, ...]:
        values = []
        while (token := _TOKEN.match(self._text, self._at)) and token["value"]:
            values.append(unescaped(token["value"][1:-1]))
            self._at = token.end()
        if not values:
            raise text_fault(self._text, self._at, self._text[self._at : self._at + 10], f"{name} has no value in [ ]")
        return tuple(values)

    def _mark(self) -> tuple[str, int]:
        token = _TOKEN.match(self._text, self._at)
        if token is None or not token["mark"]:
            start = len(self._text) - len(self._text[self._at :].lstrip())
            piece = self._text[start : start + 10]
            raise text_fault(self._text, start, piece, "expected '(', ')' or ';': this is not SGF, or it is cut off")
        self._at = token.end()
        return token["mark"], token.start("mark")

    def _expect(self, mark: str) -> None:
        found, start = self._mark()
        if found != mark:
            raise text_fault(self._text, start, found, f"expected '{mark}'")
