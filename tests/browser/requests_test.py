#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests in the page: the figures of `gordian requests`, and the way from a request to its moment."""

import functools
import json
import os
import subprocess

import browser
from browser import Keys


@functools.cache
def talk():
    """300 requests over TCP: write_talk.cc tells every moment."""
    return browser._made("talk", os.environ["GORDIAN_WRITE_TALK"])


@functools.cache
def hostile_talk():
    return browser._made("hostile-talk", os.environ["GORDIAN_WRITE_TALK"], "--hostile")


def requests_json(folder, *options):
    asked = subprocess.run([browser.GORDIAN, "requests", folder, "--json", "-", *options], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(asked.stdout)


def cells(page, selector):
    return page.run(f"return [...document.querySelectorAll({json.dumps(selector)})].map((cell) => cell.textContent)")


class Requests(browser.PageTest):
    def test_percentiles_are_those_of_the_command_line(self):
        page = self.serve(talk(), fragment="view=requests")
        page.wait_for(".where")
        expected = requests_json(talk())["ports"][0]
        told = self.page.server.api("0/requests?slowest=20")["ports"][0]
        for field in ("requests", "mean_ns", "percentiles", "latencies", "classes", "times"):
            self.assertEqual(told[field], expected[field], field)
        words = [f"{one['latency_ns'] / 1e6:g} ms" for one in expected["percentiles"]]
        self.assertEqual(cells(page, ".where .latency td"), words)
        self.assertIn("The 99th percentile of 300 requests to port 80 (server) is 5 ms. 71 % of its time: waits for helper (100 % of that: it runs).", page.text(".sentence"))
        self.picture("requests")

    def test_the_sentence_is_that_of_the_command_line(self):
        page = self.serve(talk(), fragment="view=requests")
        page.wait_for(".sentence")
        text = subprocess.run([browser.GORDIAN, "requests", talk()], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        self.assertEqual(" ".join(text.split("\n\n")[0].split()), page.text(".sentence"))

    def test_a_request_selects_its_thread_and_moment_and_tells_its_steps(self):
        page = self.serve(talk(), fragment="view=requests")
        slowest = requests_json(talk())["ports"][0]["slowest"][0]
        page.click("[data-request='0']")
        page.wait_for_fragment(sel=f"thread:{slowest['thread_id']}", at=str(slowest["start_ns"]), **{"rq.open": "0"})
        steps = page.wait_until("its steps", lambda: cells(page, ".steps li"))
        self.assertEqual(len(steps), len(slowest["steps"]))
        self.assertIn("waits for helper", steps[1])
        page.wait_for_text(".command code", slowest["critical_path"])
        page.click(".steps li:nth-child(2) button")
        page.wait_for_fragment(at=str(slowest["steps"][1]["from_ns"]))

    def test_the_slowest_are_gone_through_by_keys(self):
        page = self.serve(talk(), fragment="view=requests")
        page.wait_for("[data-request='0']")
        page.run("document.querySelector('[data-request=\"0\"]').focus()")
        page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        page.wait_for_fragment(**{"rq.open": "2"})
        page.wait_until("it keeps the focus", lambda: page.run("return document.activeElement.dataset.request") == "2")
        page.keys(Keys.ENTER)
        page.wait_for_fragment(**{"rq.open": None})

    def test_only_those_within_the_range_are_told(self):
        page = self.serve(talk(), fragment="view=requests&from=1000000000&to=2000000000&rq.range=1")
        expected = requests_json(talk(), "--from", "1s", "--to", "2s")["ports"][0]["requests"]
        page.wait_for_text(".sentence", f"of {expected} requests")

    def test_phases_may_be_requests(self):
        page = self.serve(browser.shop(), fragment="view=requests")
        page.wait_for_text("#view", "choose them above as requests")
        page.run("const list = document.querySelector('#rq-phase'); list.value = 'request'; list.dispatchEvent(new Event('change'))")
        expected = requests_json(browser.shop(), "--phase", "request")["ports"][0]
        page.wait_for_text(".sentence", f"The median of {expected['requests']} requests of phase request (web) is 10 ms")

    def test_names_never_become_markup(self):
        page = self.serve(hostile_talk(), fragment="view=requests&rq.open=0")
        page.wait_for_text(".steps", "<img src=x>")
        self.assertEqual(page.all(".requests img, .requests figure b"), [])

    def test_it_fits_a_phone(self):
        page = self.serve(talk(), fragment="view=requests&rq.open=0")
        page.resize(400, 800)
        page.wait_for(".where")
        self.assertFalse(page.scrolls_sideways())


if __name__ == "__main__":
    browser.main()
