# SPDX-License-Identifier: Apache-2.0
"""The example runs on odd recordings, too, and tells the same by SQL and by arrays."""

import os
import subprocess
import sys
import unittest

import recordings
from recordings import RecordingTest, numpy

KINDS = ("run", "runnable", "wait", "spin", "unknown")


@unittest.skipIf(numpy is None, recordings.WITHOUT_NUMPY)
class Example(RecordingTest):
    def run_on(self, folder):
        script = os.path.join(os.environ["GORDIAN_EXAMPLES"], "recording.py")
        done = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), folder)
        return done.stdout.splitlines()

    def test_tells_the_same_by_sql_and_by_arrays(self):
        lines = self.run_on(self.generated())
        times = [line for line in lines if line.split()[0] in KINDS]
        self.assertGreaterEqual(len(times), 4)
        self.assertEqual(sorted(times[: len(times) // 2]), sorted(times[len(times) // 2 :]))

    def test_tells_who_wakes_whom(self):
        lines = self.run_on(self.scenario("figure1"))
        self.assertIn("       3 B wakes A", lines)
        self.assertIn("A waits for B: 0.000 ms", lines)

    def test_runs_on_recordings_with_spins_pauses_losses_and_hardly_anything(self):
        for scenario in ("spins", "pauses", "lost_switches", "first_wake_wins"):
            self.run_on(self.scenario(scenario))


if __name__ == "__main__":
    unittest.main()
