# SPDX-License-Identifier: Apache-2.0
"""What limits each recording of a corpus, beside what a program said of it: to find out how far its words can be trusted."""

import json
import os

import results

PREDICTED = ("low", "expected", "high")


def _json(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _first(report):
    """The first finding about the target; None where there is none."""
    about = [one for one in report["findings"] if not one["apart"] and one["kind"] != "background"] if report else []
    if not about:
        return None
    first = {key: about[0].get(key) for key in ("kind", "title", "confidence", "share", "upper_bound_gain", "doubts")}
    first["predictions"] = [{key: one[key] for key in ("change", *PREDICTED)} for one in about[0]["predictions"]]
    return first


def _judged(recording, folder, key, name):
    """What must be said, what was said, and whether that is right. None where it is not known."""
    expect = recording.note(key)
    if expect is None:
        return None
    path = os.path.join(folder, name)
    right = os.path.exists(path) and not results.check(recording.note_path(key), path)
    return {"expect": [line for line in expect.splitlines() if not line.startswith("#")], "right": right}


def _rate(recording):
    note = recording.note("rate")
    return float(note) if note else None


def of(recording, folder, fixed):
    """`fixed`: the recording with the fix, or None."""
    said = {"limit": _judged(recording, folder, "expect", "report.json"), "first": _first(_json(folder, "report.json")),
            "phases_limit": _judged(recording, folder, "expect-phases", "phases.json"),
            "phases_first": _first(_json(folder, "phases.json")), "rate": _rate(recording), "fix_of": recording.note("fix-of")}
    asked = _json(folder, "whatif.json")
    if asked:
        said["whatif"] = {"changes": [change["text"] for change in asked["changes"]], **{key: asked[key] for key in PREDICTED}}
    if fixed:
        said["fixed"] = fixed.name
        if said["rate"] and _rate(fixed):
            said["gain"] = _rate(fixed) / said["rate"]
    return said


def table(recordings, folder):
    """By name of the recording; `folder` holds the program's answers."""
    fixed_of = {recording.note("fix-of"): recording for recording in recordings}
    return {recording.name: of(recording, os.path.join(folder, recording.name), fixed_of.get(recording.name))
            for recording in recordings}
