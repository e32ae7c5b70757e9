#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills ranks of gordian-mpi at random moments and starts it again, with another number of ranks each time. Checks that the
report is that of one process, to the last byte, that nothing is made twice once it was told as made, that a kill costs at most
one unit a rank, and that no run hangs. With --mpirun mpirun itself is killed at last. Exits with 77 if mpirun is not there.

usage: kill_ranks.py GORDIAN GORDIAN_MPI WRITE_CLUSTER [--kills N] [--events N] [--seed N] [--most-ranks N] [--mpirun]
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LONGEST_WITHOUT_RANKS_S = 30
LONGEST_BEHIND_MPIRUN_S = 20
UNIT = re.compile(r"^gordian-mpi: rank (\d+) (begins|made|found|could not make) (.*)$", re.M)


def children_of(pid):
    """All processes below that one."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            own = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return own + [below for child in own for below in children_of(child)]


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def ranks_below(pid, program):
    """The pids of the ranks, by rank."""
    ranks = {}
    for child in children_of(pid):
        try:
            if os.path.realpath(f"/proc/{child}/exe") != os.path.realpath(program):
                continue
            with open(f"/proc/{child}/environ", "rb") as file:
                for setting in file.read().split(b"\0"):
                    if setting.startswith(b"OMPI_COMM_WORLD_RANK="):
                        # Rank 0 has a child that tells of its end, which comes behind it.
                        ranks.setdefault(int(setting.split(b"=")[1]), child)
        except OSError:
            pass
    return ranks


def end_all(process):
    """mpirun and all below it: ranks have process groups of their own."""
    for pid in children_of(process.pid) + [process.pid]:
        for end in (os.killpg, os.kill):
            try:
                end(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
    process.wait()


class Soak:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.chance = random.Random(arguments.seed)
        self.recording = os.path.join(folder, "recording")
        self.report = os.path.join(folder, "report.json")
        self.work = os.path.join(folder, "work")
        self.environment = dict(os.environ, GORDIAN_STORE="", TMPDIR=folder, OMPI_MCA_btl_vader_single_copy_mechanism="none")
        self.done = set()  # units told as made or found
        self.open = set()  # units of the last run that were begun and not told as done
        self.killed_ranks = 0  # of the last run
        self.repeated = 0
        self.most_repeated = 0
        self.kills = 0
        self.whole_runs = 0
        self.hung_mpiruns = 0  # with no rank left, or before any rank began its work
        self.run_s = 1.0

    def fail(self, what, told=""):
        print(f"kill_ranks: {what}\n{told}", file=sys.stderr)
        sys.exit(1)

    def prepare(self):
        subprocess.run([self.arguments.write_cluster, str(self.arguments.events), self.recording], check=True)
        expected = os.path.join(self.folder, "expected.json")
        subprocess.run([self.arguments.gordian, "analyze", self.recording, "--json", expected, "--quiet"], check=True,
                       env=self.environment)
        with open(expected, "rb") as file:
            self.expected = file.read()

    def command(self, ranks):
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
                self.arguments.gordian_mpi, "analyze", self.recording, "--json", self.report, "--quiet", "--work", self.work,
                "--tell-units", "--silence", "60"]

    def run(self, kill_after_s):
        """One run; with a time, a rank is killed then. Returns whether it came to its end."""
        ranks = self.chance.randint(1, self.arguments.most_ranks)
        if os.path.exists(self.report):
            os.remove(self.report)
        begun = time.monotonic()
        with tempfile.TemporaryFile("w+") as told:
            process = subprocess.Popen(self.command(ranks), env=self.environment, stderr=told, stdout=subprocess.DEVNULL,
                                       start_new_session=True)
            victim = None
            if kill_after_s is not None:
                try:
                    process.wait(kill_after_s)
                except subprocess.TimeoutExpired:
                    pids = ranks_below(process.pid, self.arguments.gordian_mpi)
                    if pids:
                        victim = self.chance.choice(sorted(pids))
                        try:
                            os.kill(pids[victim], signal.SIGKILL)
                        except ProcessLookupError:
                            victim = None
            self.wait_for_end(process, told, f"a run hangs (rank {victim} of {ranks} was killed)")
            text = self.text_of(told, process.returncode != 0 and victim is not None)
        if process.returncode == 0 and kill_after_s is None:
            self.run_s = time.monotonic() - begun
        self.follow(text, ranks)
        self.kills += victim is not None
        # On a machine that stood still, mpirun may find that a rank left without a word (PMIx waits two seconds for it). All
        # of its work is done then. A rank that crashed is another matter.
        is_left = os.path.exists(self.report) and "signal" not in text.replace("terminated by signals", "")
        if process.returncode != 0 and victim is None and not is_left:
            self.fail(f"a run with {ranks} ranks failed although none was killed", text)
        # Before rank 0 is there, only mpirun can tell; behind its report, there is nothing to tell.
        is_told = UNIT.search(text) and not os.path.exists(self.report)
        if process.returncode != 0 and victim is not None and is_told:
            lines = [line for line in text.splitlines() if line.startswith("gordian-mpi: ") and not UNIT.match(line)]
            if len(lines) != 1 or "start it again" not in lines[0] and "start again" not in lines[0]:
                self.fail(f"rank {victim} was killed, and that is not told in one line", text)
        if victim is not None and self.kills % 20 == 0:
            print(f"{self.kills} kills, {self.whole_runs} reports", flush=True)
        return os.path.exists(self.report)

    def text_of(self, told, needs_line):
        """What a run told. mpirun may be gone before rank 0 is, whose end the line tells."""
        deadline = time.monotonic() + LONGEST_BEHIND_MPIRUN_S
        while True:
            told.seek(0)
            text = told.read()
            if not needs_line or "start again" in text or "start it again" in text or not UNIT.search(text) or \
                    os.path.exists(self.report) or time.monotonic() > deadline:
                return text
            time.sleep(0.05)

    def kill_mpirun(self):
        """mpirun itself dies: its ranks end, and one line tells what to do. Not counted if it had ended before."""
        for _ in range(10):
            shutil.rmtree(self.work, ignore_errors=True)
            if os.path.exists(self.report):
                os.remove(self.report)
            with tempfile.TemporaryFile("w+") as told:
                process = subprocess.Popen(self.command(2), env=self.environment, stderr=told, stdout=subprocess.DEVNULL,
                                           start_new_session=True)
                while process.poll() is None and not UNIT.search(self.text_of(told, False)):
                    time.sleep(0.01)
                below = children_of(process.pid)
                # Else a quick machine's ranks are done before they hear of it.
                signal_all(below, signal.SIGSTOP)
                process.kill()
                process.wait()
                signal_all(below, signal.SIGCONT)
                text = self.text_of(told, True)
            if os.path.exists(self.report):
                continue
            lines = [line for line in text.splitlines() if line.startswith("gordian-mpi: ") and not UNIT.match(line)]
            if len(lines) != 1 or "start it again" not in lines[0]:
                self.fail("mpirun was killed, and that is not told in one line", text)
            deadline = time.monotonic() + LONGEST_WITHOUT_RANKS_S
            while any(os.path.exists(f"/proc/{pid}") for pid in below):
                if time.monotonic() > deadline:
                    self.fail("ranks go on although mpirun was killed")
                time.sleep(0.05)
            return
        self.fail("mpirun always ended before it could be killed")

    def wait_for_end(self, process, told, if_it_hangs):
        """Each run has a limit of time. Behind it all of its processes are ended. If a rank had begun its work, that is our
        failure: ranks give up by themselves when another one is silent. Else mpirun is stuck by itself, as Open MPI 4.1 is now and
        then if a rank dies while others begin: it waits for a lock of its own."""
        begun = with_ranks = time.monotonic()
        while process.poll() is None:
            time.sleep(0.02)
            now = time.monotonic()
            if ranks_below(process.pid, self.arguments.gordian_mpi):
                with_ranks = now
            is_without_ranks = now - with_ranks > LONGEST_WITHOUT_RANKS_S
            if not is_without_ranks and now - begun <= self.arguments.longest_run:
                continue
            told.seek(0)
            has_worked = UNIT.search(told.read()) is not None
            told.seek(0, os.SEEK_END)
            end_all(process)
            if has_worked and not is_without_ranks:
                self.fail(if_it_hangs)
            self.hung_mpiruns += 1
            print(f"mpirun hung, {'without ranks' if is_without_ranks else 'before ranks began to work'}: it was ended", flush=True)

    def follow(self, text, ranks):
        begun, ended, repeated = set(), set(), 0
        for line in text.splitlines():
            match = UNIT.match(line)
            if not match:
                continue
            _, what, unit = match.groups()
            if unit.startswith("opening by rank"):  # into its memory: nothing is kept
                continue
            if what == "begins":
                begun.add(unit)
            elif what == "could not make":
                self.fail(f"{unit} could not be made", text)
            else:
                ended.add(unit)
                if what == "made" and unit in self.done:
                    self.fail(f"{unit} was made once more", text)
                repeated += what == "made" and unit in self.open
        if repeated > self.killed_ranks:
            self.fail(f"{repeated} units were made again after a run of {self.killed_ranks} ranks was killed", text)
        self.repeated += repeated
        self.most_repeated = max(self.most_repeated, repeated)
        self.done |= ended
        self.open = (self.open | begun) - self.done
        self.killed_ranks = max(ranks, self.killed_ranks if self.open else 0)

    def check(self):
        with open(self.report, "rb") as file:
            if file.read() != self.expected:
                self.fail("the report differs from that of one process")
        self.whole_runs += 1
        shutil.rmtree(self.work)
        self.done, self.open, self.killed_ranks = set(), set(), 0

    def soak(self):
        self.prepare()
        self.run(None)
        self.check()
        while self.kills < self.arguments.kills:
            if self.run(self.chance.uniform(0, self.run_s)):
                self.check()
        if not self.run(None):
            self.fail("the last run failed")
        self.check()
        if self.arguments.mpirun:
            self.kill_mpirun()
        print(f"{self.kills} kills, {self.whole_runs} reports, all equal; units made again: {self.repeated}, at most "
              f"{self.most_repeated} after one kill; mpirun itself hung: {self.hung_mpiruns} times")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gordian")
    parser.add_argument("gordian_mpi")
    parser.add_argument("write_cluster")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-ranks", type=int, default=4)
    parser.add_argument("--mpirun", action="store_true", help="at last kill mpirun itself")
    parser.add_argument("--longest-run", type=float, default=300, help="seconds until a run is ended, with all of its processes")
    arguments = parser.parse_args()
    if shutil.which("mpirun") is None:
        print("kill_ranks: skipped: mpirun is not there (Debian: openmpi-bin)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="kill-ranks-") as folder:
        Soak(arguments, folder).soak()


if __name__ == "__main__":
    main()
