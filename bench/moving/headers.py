# SPDX-License-Identifier: Apache-2.0
"""The thresholds of the house, as the files called thresholds.h hold them."""

import dataclasses
import os
import re

DEFINITION = re.compile(r"GORDIAN_THRESHOLD\(\s*([\w:]+)\s*,\s*(\w+)\s*,(.*?)\)\s*;", re.DOTALL)
NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
NOT_OURS = {"build", ".git"}
SOURCES = (".h", ".cc", ".c")

# A number without a unit cannot be judged. The unit stands in the comment, or ends the name.
UNIT = re.compile(r"\b(shares?|nanoseconds?|microseconds?|milliseconds?|seconds?|bytes?|times|factors?|billionths|parts|"
                  r"samples?|frames?|threads?|packets?|requests?|completions?|wakeups?|waits?|events?|cycles|marks|"
                  r"timeslices?|phases?|places?|vertices|edges|levels?|hand-overs?|turns|rounds|steps|one of so many|"
                  r"so many|gain)\b", re.IGNORECASE)
UNIT_IN_NAME = re.compile(r"(Ns|Us|Ms|Seconds|Bytes|Ppb|Share|Hz)$")
FEWEST_WORDS = 8
BREAKS = "Breaks when moved by 30 %:"


@dataclasses.dataclass(frozen=True)
class Threshold:
    name: str
    type: str
    text: str      # the value as it is written
    path: str      # from the root of the sources
    line: int
    comment: str   # of its paragraph, up to the name

    @property
    def room(self):
        return os.path.dirname(self.path)

    @property
    def value(self):
        """None where it is no plain number."""
        text = self.text.replace("'", "").rstrip("uUlLfF")
        return float(text) if NUMBER.fullmatch(text) else None

    def moved(self, factor):
        """What base/threshold.h makes of it; None where the value is no plain number."""
        if self.value is None:
            return None
        moved = self.value * factor
        return moved if self.type in ("double", "float") else int(moved)

    def changes(self, factor):
        return self.value is None or self.moved(factor) != self.value


def comment_above(text, begin):
    """The comments of the same paragraph: neighbours may share one."""
    paragraph = text[:begin].split("\n\n")[-1]
    words = [line.strip()[2:].strip() for line in paragraph.splitlines() if line.strip().startswith("//")]
    return " ".join(words)


def thresholds_in(text, path):
    return [Threshold(match[2], match[1], " ".join(match[3].split()), path, text.count("\n", 0, match.start()) + 1,
                      comment_above(text, match.start())) for match in DEFINITION.finditer(text)]


def sources(root):
    for folder, folders, names in os.walk(root):
        if folder == root:
            folders[:] = [name for name in folders if name not in NOT_OURS]
        folders.sort()
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(folder, name), root)


def read_all(root):
    """Every use of GORDIAN_THRESHOLD, but for the macro's own file."""
    found = []
    for path in sources(root):
        if path == os.path.join("base", "threshold.h"):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        if "GORDIAN_THRESHOLD" in text:
            found += thresholds_in(text, path)
    return found


def faults(thresholds):
    """One line for each threshold that is not as the house wants it."""
    wrong, seen = [], {}
    for one in thresholds:
        where = f"{one.path}:{one.line}: {one.name}"
        if one.name in seen:
            wrong.append(f"{where} is called like the one in {seen[one.name]}; GORDIAN_MOVE would move both")
        seen.setdefault(one.name, one.path)
        if os.path.basename(one.path) != "thresholds.h":
            wrong.append(f"{where} belongs into {one.room}/thresholds.h")
        reason = one.comment.split(BREAKS)[0]
        if not UNIT.search(reason) and not UNIT_IN_NAME.search(one.name):
            wrong.append(f"{where} has no unit in the comment above (Share of …, Nanoseconds …, Times …)")
        if len(reason.split()) < FEWEST_WORDS:
            wrong.append(f"{where} has no reason in the comment above")
    return wrong
