# SPDX-License-Identifier: Apache-2.0
"""Names in C and C++ sources, those that macros paste together included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aclhost.scan.names import NAME, Mention

_LITERAL = re.compile(r""" "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])' """, re.VERBOSE)
# Literals come first, so that the marks of a comment inside of one are text.
_LITERAL_OR_COMMENT = re.compile(
    rf"{_LITERAL.pattern} | //[^\n]* | /\*.*?\*/", re.DOTALL | re.VERBOSE
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)\n]*)\)([^\n]*)", re.MULTILINE)
_PASTE = re.compile(r"\b(acl\w*)\s*##\s*(\w+)(?:\s*##\s*(\w+))?")
_NEAR = 100  # characters around a name in which its neighbour must stand
_LONGEST_CALL = 100_000  # characters; where no parenthesis closes, the rest is not read


@dataclass(frozen=True)
class Paste:
    """One name that a macro makes of its argument of this number."""

    prefix: str
    argument: int
    suffix: str


@dataclass(frozen=True)
class _Macro:
    name: str
    parameters: tuple[str, ...]
    body: str


def without_comments(text: str) -> str:
    """The text in whole lines, with comments replaced by spaces."""
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    return _LITERAL_OR_COMMENT.sub(lambda found: " " if found[0][0] == "/" else found[0], joined)


def pasting_macros(texts: Iterable[str]) -> dict[str, set[Paste]]:
    """The macros of all files that build names with ##, directly or through each other."""
    macros = [macro for text in texts for macro in _macros(text)]
    pastes: dict[str, set[Paste]] = {}
    for macro in macros:
        for prefix, parameter, suffix in _PASTE.findall(macro.body):
            if parameter in macro.parameters:
                paste = Paste(prefix, macro.parameters.index(parameter), suffix)
                pastes.setdefault(macro.name, set()).add(paste)
    while _pass_on(macros, pastes):
        pass
    return pastes


def _macros(text: str) -> Iterator[_Macro]:
    for name, parameters, body in _DEFINE.findall(text):
        yield _Macro(name, tuple(each.strip() for each in parameters.split(",")), body)


def _pass_on(macros: list[_Macro], pastes: dict[str, set[Paste]]) -> bool:
    """A macro that hands its parameter to a pasting one pastes, too; True if one was found."""
    count = sum(map(len, pastes.values()))
    for macro in macros:
        for prefix, argument, suffix in list(_calls(macro.body, pastes)):
            if argument in macro.parameters:
                paste = Paste(prefix, macro.parameters.index(argument), suffix)
                pastes.setdefault(macro.name, set()).add(paste)
    return sum(map(len, pastes.values())) > count


def _calls(text: str, pastes: dict[str, set[Paste]]) -> Iterator[tuple[str, str, str]]:
    """Each use of a pasting macro: prefix, the argument's text, suffix."""
    if not pastes:
        return
    for call in re.finditer(rf"\b({'|'.join(map(re.escape, pastes))})\s*\(", text):
        arguments = _arguments(text[call.end() : call.end() + _LONGEST_CALL])
        for paste in pastes[call[1]]:
            if paste.argument < len(arguments):
                yield paste.prefix, arguments[paste.argument], paste.suffix


def _arguments(text: str) -> list[str]:
    """Split at commas, up to the parenthesis that closes."""
    arguments, depth, start = [], 0, 0
    for at, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        if depth < 0 or (character == "," and depth == 0):
            arguments.append(text[start:at].strip())
            start = at + 1
        if depth < 0:
            break
    return arguments


def mentions(text: str, pastes: dict[str, set[Paste]]) -> Iterator[Mention]:
    """Every name in a text without comments."""
    for literal in _LITERAL.findall(text):
        if NAME.fullmatch(literal[1:-1]):
            yield Mention(literal[1:-1])
    code = _LITERAL.sub('""', text)
    for found in NAME.finditer(code):
        before = code[max(0, found.start() - _NEAR) : found.start()].rstrip()
        after = code[found.end() : found.end() + _NEAR].lstrip()
        if not after.startswith("##"):
            yield Mention(found[0], _is_used(found[0], before, after))
    for prefix, argument, suffix in _calls(_DEFINE.sub("", code), pastes):
        if argument.isidentifier():
            yield Mention(f"{prefix}{argument}{suffix}")


def _is_used(name: str, before: str, after: str) -> bool:
    """Called, or, where the name is an operator's, passed on."""
    passed_on = before.endswith(("(", ",", "<", "&")) and after.startswith((")", ",", ">"))
    return after.startswith("(") or (name.startswith("aclnn") and passed_on)
