# SPDX-License-Identifier: Apache-2.0
"""What gordian says of a recording, and which parts of that differ from what it said before."""

import json
import os
import subprocess
import tempfile

import results

LONGEST_S = 300


class Recording:
    """A session, or a cluster's folder. Beside the folder of recordings may lie one of notes (scripts/corpus): what is known of
    each, as NAME.expect, NAME.whatif, NAME.log and so on."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        self.notes = os.path.join(os.path.dirname(os.path.dirname(path)), "notes")

    def note_path(self, key):
        path = os.path.join(self.notes, f"{self.name}.{key}")
        return path if os.path.exists(path) else None

    def note(self, key):
        path = self.note_path(key)
        if path is None:
            return None
        with open(path, encoding="utf-8") as file:
            return file.read().strip()

    @property
    def is_cluster(self):
        return not os.path.exists(os.path.join(self.path, "session.pb"))


def recordings_in(folder):
    inner = os.path.join(folder, "recordings")
    folder = inner if os.path.isdir(inner) else folder
    return [Recording(entry.path) for entry in sorted(os.scandir(folder), key=lambda entry: entry.name) if entry.is_dir()]


class Gordian:
    """One program, with one threshold moved or none."""

    def __init__(self, program, move=None):
        self.program = program
        self.environment = {**os.environ, "NO_COLOR": "1"}
        self.environment.pop("GORDIAN_MOVE", None)
        if move:
            self.environment["GORDIAN_MOVE"] = move

    def ask(self, *words):
        """Its answer as JSON; what it complained about where it failed."""
        done = subprocess.run([self.program, *words], capture_output=True, check=False, env=self.environment, timeout=LONGEST_S)
        if done.returncode != 0:
            return {"failed": done.stderr.decode(errors="replace").strip()}
        return json.loads(done.stdout)


# Questions about one recording. Each gives None where it makes no sense.
def ask_plain(gordian, recording):
    return gordian.ask("analyze", recording.path, "--no-predictions", "--json", "-")


def ask_predicted(gordian, recording):
    return gordian.ask("analyze", recording.path, "--json", "-")


def ask_phases(gordian, recording):
    if recording.note_path("log") is None:
        return None
    return gordian.ask("phases", recording.path, "--log", recording.note_path("log"), "--model", recording.note_path("model"),
                       "--json", "-")


def ask_whatif(gordian, recording):
    asked = recording.note("whatif")
    if asked is None:
        return None
    report = ask_plain(gordian, recording)
    if "failed" in report:
        return report
    for placeholder, name in results.names_for_whatif(report).items():
        asked = asked.replace(placeholder, name)
    return gordian.ask("whatif", recording.path, *asked.splitlines(), "--json")


def ask_diff(gordian, recording):
    before = recording.note("fix-of")
    if before is None:
        return None
    return gordian.ask("diff", os.path.join(os.path.dirname(recording.path), before), recording.path, "--json")


QUESTIONS = {"plain": ask_plain, "predicted": ask_predicted, "phases": ask_phases, "whatif": ask_whatif, "diff": ask_diff}


def questions_of(threshold, recording):
    """Those whose answers a threshold of that room can change. If the plain report stays the same, what is predicted from it
    does, too: so predictions are asked for only then, and of the room that predicts."""
    top = threshold.room.split("/")[0]
    if top == "whatif":
        return ["predicted", "whatif"]
    if top == "jobs":
        return ["phases"]
    if top == "report":
        return ["plain", "diff"]
    if threshold.room == "nodes" and not recording.is_cluster:
        return []
    return ["plain"]


def _names(report):
    return {vertex["id"]: vertex["name"] for vertex in report.get("vertices", [])}


def _edge(edge, names):
    return [names.get(edge["from"]), names.get(edge["to"])] if edge else None


def _who(finding, names):
    return [finding["kind"], finding["apart"], sorted(str(names.get(member)) for member in finding["members"]),
            _edge(finding["edge"], names)]


def _numbers(prediction):
    return [prediction.get("change"), round(prediction["low"], 2), round(prediction["high"], 2)]


def parts(answer):
    """The parts of an answer that are compared each by itself."""
    if "failed" in answer or "vertices" not in answer:
        if "low" in answer:
            return {"predictions": _numbers(answer)}
        return {"verdict": answer.get("failed", answer.get("verdict")), "wording": answer}
    names = _names(answer)
    found = [_who(finding, names) for finding in answer["findings"]]
    limits = [who for who in found if not who[1] and who[0] != "background"]
    return {
        "verdict": limits[:1],
        "findings": found,
        "predictions": [[_numbers(one) for one in finding.get("predictions", [])] for finding in answer["findings"]],
        "suggestions": [[one["kind"], one["sure"], one.get("function")] for one in answer.get("suggestions", [])],
        "groups": sorted([vertex["name"], vertex["kind"], len(vertex["members"])] for vertex in answer["vertices"]),
        "edges": sorted([*map(str, _edge(edge, names)), edge["weight_s"]] for edge in answer["edges"]),
        "issues": [[one["kind"], one["type"], round(one["gain"], 4)] for one in answer.get("issues", [])],
        "confidence": [round(finding["confidence"], 3) for finding in answer["findings"]],
        "wording": [answer["verdict"], answer["findings"], answer.get("attribution"), answer.get("bottlenecks")],
    }


def changed_parts(before, after):
    """Names of the parts that differ, the weightiest first. What follows from another part is not told again."""
    old, new = parts(before), parts(after)
    changed = [part for part in old if old[part] != new.get(part)] + [part for part in new if part not in old]
    if len(changed) > 1 and "wording" in changed:
        changed.remove("wording")
    return changed


def _unmet(expect_path, report):
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(report, file)
        file.flush()
        return results.check(expect_path, file.name)


def broken_expectations(recording, question, before, after):
    """What the notes expect, the answer met before, and meets no more."""
    path = recording.note_path("expect-phases" if question == "phases" else "expect")
    if path is None or question not in ("plain", "predicted", "phases") or "failed" in before:
        return []
    if _unmet(path, before):
        return []
    return ["it fails"] if "failed" in after else _unmet(path, after)
