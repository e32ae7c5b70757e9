# SPDX-License-Identifier: Apache-2.0
"""Recordings for tests, and folders of their own."""

import glob
import os
import shutil
import subprocess
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

WITHOUT_NUMPY = "python3-numpy is missing"
SCENARIOS = sorted(
    os.path.basename(path)[: -len(".txt")] for path in glob.glob(os.path.join(os.environ["GORDIAN_SCENARIOS"], "*.txt"))
)
# So many that arrays are kept in the store.
MANY_EVENTS = 1_200_000


class RecordingTest(unittest.TestCase):
    """Each test has a folder of its own, with a store in it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gordian-python-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.environ["GORDIAN_STORE"] = os.path.join(self.folder, "store")

    def scenario(self, name="figure1", folder=None):
        """A recording of a few events (analyzer/testdata)."""
        made = os.path.join(self.folder, folder or name)
        source = os.path.join(os.environ["GORDIAN_SCENARIOS"], name + ".txt")
        subprocess.run([os.environ["GORDIAN_WRITE_SCENARIO"], source, made], check=True)
        return made

    def generated(self, events=50_000):
        made = os.path.join(self.folder, f"generated-{events}")
        subprocess.run([os.environ["GORDIAN_GENERATE"], str(events), made], check=True)
        return made

    def cluster(self, events=20_000):
        """Recordings of three nodes in one folder."""
        made = os.path.join(self.folder, f"cluster-{events}")
        subprocess.run([os.environ["GORDIAN_WRITE_CLUSTER"], str(events), made], check=True)
        return made

    def kept_files(self):
        return sorted(glob.glob(os.path.join(self.folder, "store", "*")))
