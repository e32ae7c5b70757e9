# SPDX-License-Identifier: Apache-2.0
"""Moves thresholds one by one, and collects what changes."""

import concurrent.futures
import dataclasses
import os

import reports
import unit_tests


@dataclasses.dataclass
class Move:
    """What one threshold times one factor changes."""

    factor: float
    value: object
    changed: dict = dataclasses.field(default_factory=dict)  # recording: parts of its answers
    broken: dict = dataclasses.field(default_factory=dict)   # recording: expectations that hold no more
    failed: list = dataclasses.field(default_factory=list)   # unit tests


@dataclasses.dataclass
class Moved:
    threshold: object
    moves: list

    @property
    def is_defended(self):
        """Somebody complains: a test, or what is known of a recording."""
        return any(move.broken or move.failed for move in self.moves)

    @property
    def changes_anything(self):
        return any(move.changed or move.broken or move.failed for move in self.moves)


class Sweep:
    def __init__(self, program, recordings, tests, jobs, tell=lambda text: None):
        self.program = program
        self.recordings = recordings
        self.tests = tests
        self.tell = tell
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.answers = {}       # (recording, question): with nothing moved
        self.knows = {}         # test program: names by which it can be moved
        self.failing = {}       # test program: what fails with nothing moved

    def _before(self, recording, question):
        """Asked for once, and only if something needs it. Two at a time may both ask; they hear the same."""
        key = (recording.name, question)
        if key not in self.answers:
            self.answers[key] = reports.QUESTIONS[question](reports.Gordian(self.program), recording)
        return self.answers[key]

    def _look_at(self, threshold, gordian, recording):
        changed, broken = [], []
        questions = reports.questions_of(threshold, recording)
        while questions:
            question = questions.pop(0)
            before = self._before(recording, question)
            if before is None:
                continue
            after = reports.QUESTIONS[question](gordian, recording)
            parts = reports.changed_parts(before, after)
            changed += [part for part in parts if part not in changed]
            broken += reports.broken_expectations(recording, question, before, after)
            if parts and question == "plain":
                questions.append("predicted")
        return recording.name, changed, broken

    def _run_tests(self, program, move):
        if program not in self.failing:
            self.failing[program] = set(unit_tests.run(program))
        return [name for name in unit_tests.run(program, move) if name not in self.failing[program]]

    def _move(self, threshold, factor):
        move = Move(factor, threshold.moved(factor))
        if not threshold.changes(factor):
            return move
        text = f"{threshold.name}*{factor}"
        gordian = reports.Gordian(self.program, text)
        looks = [self.pool.submit(self._look_at, threshold, gordian, recording) for recording in self.recordings]
        runs = [self.pool.submit(self._run_tests, program, text) for program, names in self.knows.items()
                if threshold.name in names]
        for name, changed, broken in (look.result() for look in looks):
            if changed:
                move.changed[name] = changed
            if broken:
                move.broken[name] = sorted(set(broken))
        for run in runs:
            move.failed += run.result()
        move.failed = sorted(set(move.failed))
        return move

    def run(self, thresholds, factors):
        names = [one.name for one in thresholds]
        self.knows = {program: unit_tests.names_in(program, names) for program in self.tests}
        results = []
        for number, threshold in enumerate(thresholds, 1):
            self.tell(f"{number} of {len(thresholds)}: {threshold.name}")
            results.append(Moved(threshold, [self._move(threshold, factor) for factor in factors]))
        return results


def movable(program, thresholds):
    """Those whose name the program holds; none if it was built as people run it."""
    names = unit_tests.names_in(program, [one.name for one in thresholds])
    return [one for one in thresholds if one.name in names]


def default_program(root):
    return os.path.join(root, "build", "thresholds", "bin", "gordian")
