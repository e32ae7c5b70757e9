#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a change would gain, in the page: the figures and words of `gordian whatif`."""

import json
import subprocess
from urllib.parse import urlencode

import browser
from browser import Keys

ASYNC = "async:db->disk vda"


def whatif(folder, *options):
    return subprocess.run([browser.GORDIAN, "whatif", folder, *options], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def fragment(**names):
    return urlencode({"view": "whatif", **{name.replace("_", "."): value for name, value in names.items()}})


class WhatIf(browser.PageTest):
    def test_a_finding_s_fix_is_predicted_as_by_the_command_line(self):
        page = self.serve(browser.shop())
        page.open("view=whatif")
        page.click(f"[data-change='{ASYNC}']")
        page.wait_for_fragment(**{"wi.a": ASYNC})
        expected = json.loads(whatif(browser.shop(), "--async", "db->disk vda", "--json"))
        told = page.server.api("0/whatif?" + urlencode({"change": ASYNC}))
        self.assertEqual(told["answer"], expected)
        page.wait_for_text(".prediction h2", expected["verdict"])
        text = " ".join(whatif(browser.shop(), "--async", "db->disk vda").split())
        for line in page.wait_until("its lines", lambda: [element.text for element in page.all(".prediction dd")]):
            self.assertIn(" ".join(line.split()), text)
        page.wait_for_text(".command code", f"gordian whatif {browser.shop()} --async 'db->disk vda'")
        self.picture("whatif")

    def test_the_interval_is_drawn_where_it_is(self):
        page = self.serve(browser.shop(), fragment=fragment(wi_a=ASYNC))
        page.wait_for_text(".prediction", "interval")
        told = page.server.api("0/whatif?" + urlencode({"change": ASYNC}))["answer"]
        # From two ticks of the axis follows where any gain lies.
        ticks = page.run("""return [...document.querySelectorAll('.intervals g:has(> .tick)')].map((tick) => [parseFloat(tick.querySelector('text').textContent), Number(tick.querySelector('line').getAttribute('x1'))])""")
        (gain0, x0), (gain1, x1) = ticks[0], ticks[-1]
        place = lambda gain: x0 + (gain - gain0) / (gain1 - gain0) * (x1 - x0)
        bar = page.run("const bar = document.querySelector('.interval0 .whole'); return [Number(bar.getAttribute('x')), Number(bar.getAttribute('width'))]")
        self.assertAlmostEqual(bar[0], place(told["low"]), delta=1)
        self.assertAlmostEqual(bar[0] + bar[1], place(told["high"]), delta=1)
        dot = page.run("return Number(document.querySelector('.interval0 .expected').getAttribute('cx'))")
        self.assertAlmostEqual(dot, place(told["expected"]), delta=1)

    def test_what_is_selected_may_be_changed(self):
        page = self.serve(browser.shop())
        report = browser.analyze_json(browser.shop())
        ids = {vertex["label"]: vertex["id"] for vertex in report["vertices"]}
        page.open(f"view=whatif&sel=edge:{ids['web']}>{ids['db']}")
        page.wait_for_text(".selected", "web waits for db")
        page.click(".selected [data-change='run:db=0.5']")
        expected = json.loads(whatif(browser.shop(), "--run", "db=0.5", "--json"))
        page.wait_for_text(".prediction h2", expected["verdict"])

    def test_two_fixes_are_held_against_each_other(self):
        page = self.serve(browser.shop(), fragment=fragment(wi_a=ASYNC))
        page.wait_for_text(".prediction h2", "With db")
        page.click(".machine .more button")
        page.wait_for_fragment(**{"wi.b": "cpus:4"})
        page.wait_until("two predictions", lambda: len(page.all(".prediction h2")) == 2)
        page.wait_for_text(".sentence", "The first gains more: 2.0 times against 1.0 times, and their intervals are apart.")
        self.assertEqual(len(page.all(".interval .whole")), 2)
        self.picture("whatif-two")

    def test_any_change_may_be_typed_in(self):
        page = self.serve(browser.shop(), fragment="view=whatif")
        page.wait_for("#wi-argument").send_keys("disk vda=0.5", Keys.ENTER)
        page.wait_for_fragment(**{"wi.a": "scale:disk vda=0.5"})
        expected = json.loads(whatif(browser.shop(), "--scale", "disk vda=0.5", "--json"))
        page.wait_for_text(".prediction h2", expected["verdict"])
        page.open(fragment(wi_a="run:nobody=0.5"))
        page.wait_for_text(".prediction .problem", "nobody")
        # The console tells of the answer 400.
        page.errors()

    def test_names_never_become_markup(self):
        page = self.serve(browser.hostile_shop(), fragment="view=whatif")
        page.click(".questions [data-change]")
        page.wait_for_text(".prediction h2", "<b>db")
        self.assertEqual(page.all(".whatif img, .whatif h2 b, .whatif dd b"), [])

    def test_it_fits_a_phone(self):
        page = self.serve(browser.shop(), fragment=fragment(wi_a=ASYNC))
        page.resize(400, 800)
        page.wait_for_text(".prediction h2", "With db")
        self.assertFalse(page.scrolls_sideways())


if __name__ == "__main__":
    browser.main()
