#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording in the page while it is written: followed, paused, gone back in, and ended."""

import os
import signal
import subprocess
import time
import unittest

import browser

# Four threads that share a lock, which each holds for 4 ms.
LOAD = """
import threading, time
lock = threading.Lock()
def work():
    while True:
        with lock:
            end = time.monotonic() + 0.004
            while time.monotonic() < end: pass
        time.sleep(0.002)
for _ in range(4): threading.Thread(target=work, daemon=True).start()
time.sleep(3600)
"""


@unittest.skipUnless(os.geteuid() == 0, "must run as root: it records")
class Live(browser.PageTest):
    def record(self):
        """A folder that grows until the test ends."""
        folder = os.path.join(self.folder, "rec")
        self.recorder = subprocess.Popen([browser.GORDIAN, "record", "--budget", "none", "-o", folder, "--", "/usr/bin/python3", "-c", LOAD],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_recording)
        end = time.monotonic() + browser.LONGEST_WAIT_S
        while time.monotonic() < end and not os.path.exists(os.path.join(folder, "session.pb")):
            time.sleep(0.1)
        return folder

    def follow(self):
        server = self.server(self.record())
        server.wait_until_ready()
        return server

    def end_recording(self):
        if self.recorder.poll() is None:
            self.recorder.send_signal(signal.SIGINT)
            self.recorder.wait(browser.LONGEST_WAIT_S)

    def number(self, server):
        return server.api("0/live?after=999999999")["newest"]

    def wait_for_number(self, server, number):
        self.page.wait_until(f"there are {number} windows", lambda: self.number(server) >= number)

    def test_follows_pauses_goes_back_and_ends(self):
        server = self.follow()
        page = self.open(server)
        page.wait_for_text("#live-said", "until")
        page.wait_until("what limits it is told", lambda: page.text("#live-limit"))
        self.assertNotIn("pin", page.fragment(), "the address of a page that follows is about now")

        before = page.text("#live-said")
        page.wait_until("the time goes on", lambda: page.text("#live-said") not in ("", before))

        page.keys(" ")
        page.wait_for_text("#live-said", "Paused")
        pinned = page.fragment()["pin"]
        said = page.text("#live-limit")
        self.wait_for_number(server, int(pinned) + 3)
        page.wait_for_text("#live-said", "behind")
        self.assertEqual(page.text("#live-limit"), said)
        self.picture("live")

        page.run("const back = document.querySelector('#live-back'); back.value = back.min; back.dispatchEvent(new Event('change'))")
        page.wait_until("the address tells the moment", lambda: page.fragment().get("pin") not in (None, pinned))
        early = page.fragment()["pin"]

        # Another view shows the same moment; so does the address in another page.
        page.keys("o")
        page.wait_for_fragment(view="overview", pin=early)
        page.wait_until("the overview has the report", lambda: page.all("#view-overview svg"))

        page.click("#live-pause")
        page.wait_for_text("#live-said", "Live")
        page.wait_for_fragment(pin=None)

        self.end_recording()
        page.wait_for_text("#live-said", "has ended")

    def test_keeps_what_is_selected_by_its_name(self):
        server = self.follow()
        page = self.open(server, "view=live")
        page.wait_for("#view-live table tr.open")
        page.wait_until("a row is there to click", lambda: page.run("const row = document.querySelector('#view-live table[aria-labelledby=live-vertices] tr.open'); row?.click(); return Boolean(row)"))
        page.wait_until("something is selected", lambda: page.fragment().get("sel"))
        name = page.wait_until("its name is told", lambda: page.text("#selection b"))
        now = self.number(server)
        self.wait_for_number(server, now + 3)
        page.wait_for_text("#selection b", name.partition(" (")[0])

    def test_a_range_that_somebody_chooses_pauses(self):
        server = self.follow()
        page = self.open(server, "view=live")
        page.wait_for_text("#live-said", "until")
        page.keys("t")
        page.wait_for_fragment(view="timeline")
        page.wait_for("#view-timeline canvas")
        page.keys(" ")
        page.wait_for_text("#live-said", "Paused")
        self.assertIn("pin", page.fragment())


if __name__ == "__main__":
    browser.main()
