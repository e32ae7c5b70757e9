# SPDX-License-Identifier: Apache-2.0
"""Holds the answers of two programs about one recording against each other."""

import collections
import json
import os

import differences
import names
import results

# Columns of the table, and which differences belong to each: the first whose words the path has.
PARTS = (("predictions", ("predictions", "no_prediction", "whatif")), ("findings", ("findings", "verdict", "explain")),
         ("edges", ("edges",)), ("phases", ("phases.", "diff")), ("traffic", ("traffic",)))


def _read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return differences.MISSING
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines() if name.endswith(".txt") else json.load(file)


def _edges_by_name(listing):
    rows = names.keyed(listing["edges"], lambda edge: f"{edge['from']} ({edge['from_tid']}) → {edge['to']} ({edge['to_tid']})")
    return {"rows": rows, "order": list(rows)}


def _comparable(name, before, after):
    """Both values in the form in which they are compared."""
    if differences.MISSING in (before, after):
        return before, after
    if name in ("report.json", "phases.json"):
        known = names.Names(before)
        return names.by_name(before, known), names.by_name(after, names.Names(after, known))
    if name == "edges.json":
        return _edges_by_name(before), _edges_by_name(after)
    return before, after


def compare(base, new, tolerance=0.0):
    """All differences between the answers in two folders."""
    files = sorted(set(os.listdir(base)) | set(os.listdir(new)))
    found = []
    for name in files:
        before, after = _comparable(name, _read(base, name), _read(new, name))
        path = name[:-len(".json")] if name.endswith(".json") else name
        if differences.MISSING in (before, after):
            before, after = ("there" if value != differences.MISSING else value for value in (before, after))
        found += differences.differences(path, before, after, tolerance)
    return found


def part_of(difference):
    for part, words in PARTS:
        if any(word in difference.path for word in words):
            return part
    return "other"


def cells(found):
    """How many differ, by part: the table's columns."""
    counts = collections.Counter(part_of(difference) for difference in found)
    return [str(counts[part]) if counts[part] else "equal" for part, _ in (*PARTS, ("other", ()))]


def summary(found, most):
    """Lines: differences of one kind are one line, with the first of them."""
    kinds = {}
    for difference in found:
        kinds.setdefault(difference.pattern(), []).append(difference)
    lines = []
    for pattern, of_kind in list(kinds.items())[:most]:
        first = of_kind[0]
        count = f" ({len(of_kind)} like it)" if len(of_kind) > 1 else ""
        lines.append(f"  {first.path}{count}: {shortened(first.before)} → {shortened(first.after)}")
    if len(kinds) > most:
        lines.append(f"  and {len(kinds) - most} more kinds (--most)")
    return lines


def shortened(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "…"


def verdict(recording, folder):
    """Whether the first finding is the one that the notes expect: right, wrong, or nothing where they do not tell."""
    for key, name in (("expect", "report.json"), ("expect-phases", "phases.json")):
        expect, report = recording.note_path(key), os.path.join(folder, name)
        if os.path.exists(expect) and (not os.path.exists(report) or results.check(expect, report)):
            return "wrong"
    known = any(recording.note(key) is not None for key in ("expect", "expect-phases"))
    return "right" if known else ""
