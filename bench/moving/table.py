# SPDX-License-Identifier: Apache-2.0
"""What a sweep found, for people and for programs."""

import collections

PARTS = ("verdict", "findings", "predictions", "suggestions", "issues", "groups", "edges", "confidence", "wording")


def _counts(move):
    counts = collections.Counter(part for parts in move.changed.values() for part in parts)
    return [str(counts[part]) if counts[part] else "" for part in PARTS]


def _value(value):
    return "?" if value is None else f"{value:g}"


def _rows(results):
    yield ["threshold", "is", "moved to", *PARTS, "expected", "tests"]
    for moved in results:
        for move in moved.moves:
            yield [moved.threshold.name, _value(moved.threshold.value), _value(move.value), *_counts(move),
                   str(len(move.broken) or ""), str(len(move.failed) or "")]


def _columns(rows):
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def _complaints(moved):
    """What breaks, each once."""
    for move in moved.moves:
        for name, unmet in sorted(move.broken.items()):
            yield f"times {move.factor:g}: {name}: {unmet[0]}"
        for name in move.failed:
            yield f"times {move.factor:g}: {name} fails"


def lines(results, most=4):
    """The table: how many recordings' answers change in which part, how many expectations of recordings hold no more, how many
    unit tests fail. Then what breaks, by name, and what nothing defends."""
    told = _columns(_rows(results))
    for moved in results:
        complaints = list(_complaints(moved))
        if complaints:
            told += ["", f"{moved.threshold.name} ({moved.threshold.path}:{moved.threshold.line})"]
            told += [f"  {complaint}" for complaint in complaints[:most]]
            if len(complaints) > most:
                told.append(f"  and {len(complaints) - most} more")
    for title, chosen in undefended(results).items():
        if chosen:
            told += ["", f"{title}:", *(f"  {name}" for name in chosen)]
    return told


def undefended(results):
    """By how little they matter."""
    return {
        "Nothing changes": [one.threshold.name for one in results if not one.changes_anything],
        "Answers change, and nobody complains": [one.threshold.name for one in results
                                                 if one.changes_anything and not one.is_defended]}


def as_json(results):
    return {
        "thresholds": [{
            "name": one.threshold.name, "path": one.threshold.path, "line": one.threshold.line, "value": one.threshold.value,
            "defended": one.is_defended,
            "moves": [{"factor": move.factor, "value": move.value, "changed": move.changed, "broken": move.broken,
                       "failed": move.failed} for move in one.moves]} for one in results],
        "undefended": undefended(results)}
