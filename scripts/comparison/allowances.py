# SPDX-License-Identifier: Apache-2.0
"""What may differ, and why. A file, one allowance a line (# begins a comment):

  PATH | WHY
  PATH | OLD => NEW | WHY

PATH, OLD and NEW are regular expressions of the whole path and of both values as text. A # in them is written \\#.
"""

import dataclasses
import re


@dataclasses.dataclass
class Allowance:
    path: re.Pattern
    before: re.Pattern
    after: re.Pattern
    why: str
    used: int = 0

    def allows(self, difference):
        return bool(self.path.fullmatch(difference.path) and self.before.fullmatch(text_of(difference.before)) and
                    self.after.fullmatch(text_of(difference.after)))


def text_of(value):
    return value if isinstance(value, str) else repr(value)


def parse_line(line):
    """None for a line that says nothing."""
    line = re.sub(r"(?<!\\)#.*", "", line).replace("\\#", "#").strip()
    if not line:
        return None
    parts = [part.strip() for part in line.split(" | ")]
    if len(parts) not in (2, 3) or not parts[-1] or len(parts) == 3 and " => " not in parts[1]:
        raise ValueError(f"'{line}' is no allowance: write PATH | WHY, or PATH | OLD => NEW | WHY")
    before, after = parts[1].split(" => ", 1) if len(parts) == 3 else (".*", ".*")
    patterns = [re.compile(pattern, re.DOTALL) for pattern in (parts[0], before, after)]
    return Allowance(*patterns, why=parts[-1])


def read(path):
    with open(path, encoding="utf-8") as file:
        allowances = [parse_line(line) for line in file]
    return [allowance for allowance in allowances if allowance]


def sort_out(found, allowances):
    """The differences that nothing allows. Counts how often each allowance was needed."""
    left = []
    for difference in found:
        allowance = next((allowance for allowance in allowances if allowance.allows(difference)), None)
        if allowance:
            allowance.used += 1
        else:
            left.append(difference)
    return left
