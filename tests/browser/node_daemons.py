# SPDX-License-Identifier: Apache-2.0
"""Daemons on this machine's loopback, each with a session in its folder that has ended: as the nodes of a cluster whose
recordings stay where they lie. Nothing is recorded, and no network is made.

    nodes = NodeDaemons(folder, "run1", {"n0": "/path/of/n0's/recording"})
    nodes.start("n0")
    gordian serve *nodes.words()
"""

import os
import pathlib
import shutil
import socket
import subprocess
import time

import browser

GORDIAND = os.environ["GORDIAND_PROGRAM"]


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class NodeDaemons:
    def __init__(self, folder, session, recordings):
        self.folder, self.session = pathlib.Path(folder), session
        self._daemons = {}
        self._ca = self.folder / "ca"
        self._issue("init", self._ca)
        self._issue("issue", self._ca, "--operator", "alice")
        nodes = [f"certificate: {self._ca}/alice.pem", f"key: {self._ca}/alice.key", f"authority: {self._ca}/ca.pem", "nodes:"]
        for name, recording in recordings.items():
            port = _free_port()
            self._issue("issue", self._ca, "--node", name, "--address", "127.0.0.1")
            nodes.append(f"  {name}: '127.0.0.1:{port}'")
            own = self.folder / name
            shutil.copytree(recording, own / "state" / "sessions" / session)
            (own / "gordiand.yaml").write_text(
                f"network:\n  listen: '127.0.0.1:{port}'\n  certificate: {self._ca}/{name}.pem\n  key: {self._ca}/{name}.key\n"
                f"  authority: {self._ca}/ca.pem\naudit:\n  file: {own}/audit.log\n")
            (own / "gordiand.conf").write_text("# nothing\n")
        (self.folder / "nodes.yaml").write_text("\n".join(nodes) + "\n")

    @staticmethod
    def _issue(*words):
        subprocess.run([browser.GORDIAN, "ca", *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def start(self, *names):
        for name in names:
            own = self.folder / name
            with open(own / "log", "wb") as log:
                self._daemons[name] = subprocess.Popen(
                    [GORDIAND, "--config", own / "gordiand.conf", "--settings", own / "gordiand.yaml", "--socket", own / "socket",
                     "--state-dir", own / "state"], stdout=subprocess.DEVNULL, stderr=log)
        for name in names:
            for _ in range(browser.LONGEST_WAIT_S * 10):
                asked = subprocess.run([browser.GORDIAN, "status", "--nodes", name, "--nodes-file", self.folder / "nodes.yaml"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                if asked.returncode == 0:
                    break
                time.sleep(0.1)
            else:
                raise AssertionError(f"gordiand of {name} does not answer: " + (self.folder / name / "log").read_text(errors="replace"))

    def end(self):
        for daemon in self._daemons.values():
            daemon.terminate()
        for daemon in self._daemons.values():
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._daemons = {}

    def words(self):
        """For gordian serve."""
        return [self.session, "--nodes", "all", "--nodes-file", str(self.folder / "nodes.yaml"), "--in-place"]
