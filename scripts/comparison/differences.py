# SPDX-License-Identifier: Apache-2.0
"""Two JSON values compared field by field."""

import dataclasses
import re

MISSING = "nothing"


class Table(dict):
    """Rows by their names, where a dict has values by its fields."""


@dataclasses.dataclass(frozen=True)
class Difference:
    path: str     # report.findings[worker].share
    before: object
    after: object

    def pattern(self):
        """The path without what stands in brackets: differences of one kind have one."""
        return re.sub(r"\[[^][]*(\[[^][]*\][^][]*)*\]", "[]", self.path)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _same_number(before, after, tolerance):
    return before == after or abs(before - after) <= tolerance * max(abs(before), abs(after))


def _step(path, key, rows):
    """Fields are joined by dots; names of rows stand in brackets, and so does whatever is no plain word."""
    return f"{path}.{key}" if not rows and re.fullmatch(r"[a-z_][a-z0-9_]*", key) else f"{path}[{key}]"


def _of_dicts(path, before, after, tolerance):
    rows = isinstance(before, Table)
    for key in list(before) + [key for key in after if key not in before]:
        yield from differences(_step(path, key, rows), before.get(key, MISSING), after.get(key, MISSING), tolerance)


def _of_lists(path, before, after, tolerance):
    """Of two lists of unlike length, the length and the first rows that differ."""
    if len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after)):
            yield from differences(f"{path}[{index}]", old, new, tolerance)
        return
    yield Difference(f"{path} (length)", len(before), len(after))
    for index in range(max(len(before), len(after))):
        old = before[index] if index < len(before) else MISSING
        new = after[index] if index < len(after) else MISSING
        found = list(differences(f"{path}[{index}]", old, new, tolerance))
        if found:
            yield found[0]
            return


def differences(path, before, after, tolerance=0.0):
    """Every leaf that differs. Numbers may differ by `tolerance` of the larger one."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_dicts(path, before, after, tolerance)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(path, before, after, tolerance)
    elif _is_number(before) and _is_number(after):
        if not _same_number(before, after, tolerance):
            yield Difference(path, before, after)
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield Difference(path, before, after)
