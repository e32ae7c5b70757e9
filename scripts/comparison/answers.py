# SPDX-License-Identifier: Apache-2.0
"""What one program answers about one recording of a corpus, as files of a folder.

  report.json, report.txt   gordian analyze --explain
  edges.json                gordian graph --edges
  summary.json              gordian dump --summary
  traffic.json              gordian traffic
  timeline-TID.json         gordian timeline: 50 ms in the middle, of the threads that run most
  phases.json, phases.txt   gordian phases, where there is a log
  whatif*.json              gordian whatif, as the notes ask
  diff.json                 gordian diff, of the recording before the fix and this one
  digests.json              of the other outputs, which are large
  failures.json             what failed: exit code and message
"""

import hashlib
import json
import os
import subprocess
import tempfile

import results

FORMATS = ("dot", "folded", "speedscope", "perfetto", "pprof")
TIMELINES = 3
WINDOW_S = 0.05


class Recording:
    """A session, or a cluster's folder, and what its notes say."""

    def __init__(self, corpus, name):
        self.corpus = corpus
        self.name = name

    def note_path(self, key):
        return os.path.join(self.corpus, "notes", f"{self.name}.{key}")

    def note(self, key):
        """None where there is none."""
        if not os.path.exists(self.note_path(key)):
            return None
        with open(self.note_path(key), encoding="utf-8") as file:
            return file.read().strip()


def recordings(corpus, names):
    found = sorted(os.listdir(os.path.join(corpus, "recordings")))
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"{corpus} has no recording {missing[0]}")
    return [Recording(corpus, name) for name in names or found]


class Asker:
    """Runs one program on one recording, and puts the answers into a folder. In the folder of the recordings, so that no path
    gets into an answer."""

    def __init__(self, gordian, recording, folder):
        self.gordian = gordian
        self.recording = recording
        self.folder = folder
        self.directory = os.path.join(recording.corpus, "recordings")
        self.failures = {}
        self.digests = {}

    def run(self, name, words):
        """What it printed; None where it failed."""
        done = subprocess.run([self.gordian, *words], cwd=self.directory, capture_output=True, check=False,
                              env={"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"})
        if done.returncode != 0:
            self.failures[name] = {"code": done.returncode, "message": done.stderr.decode(errors="replace").strip()}
            return None
        return done.stdout

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)

    def keep(self, name, words):
        answer = self.run(name, words)
        if answer is not None:
            self.write(name, answer)

    def digest(self, name, words):
        answer = self.run(name, words)
        if answer is not None:
            self.digests[name] = hashlib.sha256(answer).hexdigest()

    def read(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def ask_analyze(self, large):
        formats = [] if large else FORMATS
        with tempfile.TemporaryDirectory() as scratch:
            words = ["analyze", self.recording.name, "--explain", "--json", os.path.join(self.folder, "report.json")]
            for name in formats:
                words += [f"--{name}", os.path.join(scratch, name)]
            self.keep("report.txt", words)
            for name in formats if "report.txt" not in self.failures else []:
                with open(os.path.join(scratch, name), "rb") as file:
                    self.digests[name] = hashlib.sha256(file.read()).hexdigest()

    def ask_timelines(self, threads):
        for thread in threads:
            words = ["timeline", self.recording.name, "--tid", str(thread["tid"]), "--json",
                     "--from", f"{thread['from_ms']}ms", "--to", f"{thread['to_ms']}ms"]
            if thread["node"]:
                words += ["--node", thread["node"]]
            self.keep(f"timeline-{thread['tid']}.json", words)

    def ask_phases(self):
        if self.recording.note("log") is None:
            return
        self.keep("phases.txt", ["phases", self.recording.name, "--log", self.recording.note_path("log"),
                                 "--model", self.recording.note_path("model"),
                                 "--json", os.path.join(self.folder, "phases.json")])

    def ask_whatifs(self, report):
        for key in ("whatif", "whatif-2"):
            asked = self.recording.note(key)
            if asked and report:
                changes = results.named_changes(report, asked.splitlines())
                self.keep(f"{key}.json", ["whatif", self.recording.name, *changes, "--json"])

    def ask(self, threads=None):
        """`threads`: whose timelines; by default those that run most."""
        large = self.recording.note("large") is not None
        os.makedirs(self.folder, exist_ok=True)
        self.ask_analyze(large)
        report = self.read("report.json")
        self.keep("edges.json", ["graph", self.recording.name, "--edges", "--json"])
        self.keep("traffic.json", ["traffic", self.recording.name, "--json"])
        if threads is None:
            threads = threads_to_follow(report)
        self.ask_timelines(threads)
        self.ask_phases()
        self.ask_whatifs(report)
        before = self.recording.note("fix-of")
        if before:
            self.keep("diff.json", ["diff", before, self.recording.name, "--json"])
        if not large:
            self.ask_dumps()
        self.write("digests.json", json.dumps(self.digests, indent=1).encode())
        self.write("failures.json", json.dumps(self.failures, indent=1).encode())

    def ask_dumps(self):
        for directory in self.sessions():
            name = os.path.relpath(directory, self.directory)
            tail = name[len(self.recording.name):].replace("/", "-")
            self.keep(f"summary{tail}.json", ["dump", name, "--summary", "--json"])
            self.digest(f"dump{tail}", ["dump", name])
            self.digest(f"dump{tail} --json", ["dump", name, "--json"])

    def sessions(self):
        top = os.path.join(self.directory, self.recording.name)
        if os.path.exists(os.path.join(top, "session.pb")):
            return [top]
        return [entry.path for entry in sorted(os.scandir(top), key=lambda entry: entry.name) if entry.is_dir()]


def lived_s(thread):
    return thread["run_s"] + thread["runnable_s"] + thread["wait_s"] + thread["spin_s"] + thread["unknown_s"]


def threads_to_follow(report):
    """Those of the target that run most of all who lived in the middle, for a moment there."""
    if not report:
        return []
    middle_s = report["recording"]["seconds"] / 2
    window = {"from_ms": max(0, int((middle_s - WINDOW_S / 2) * 1000)), "to_ms": int((middle_s + WINDOW_S / 2) * 1000) + 1}
    targets = [thread for thread in report["threads"] if thread["target"]] or report["threads"]
    lived = [thread for thread in targets if lived_s(thread) > 0.6 * report["recording"]["seconds"]]
    most = sorted(lived, key=lambda thread: (-thread["run_s"], thread["tid"]))
    chosen = {}
    for thread in most:
        chosen.setdefault(thread["tid"], {"tid": thread["tid"], "node": thread["node"], **window})
    return list(chosen.values())[:TIMELINES]
