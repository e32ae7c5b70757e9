#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two recordings in one picture: what `gordian diff` says."""

import json
import subprocess

import browser


class Compare(browser.PageTest):
    def test_it_says_what_the_command_line_says(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment="view=compare&compared=1")
        expected = json.loads(subprocess.run([browser.GORDIAN, "diff", browser.shop(), browser.hostile_shop(), "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
        page.wait_for_text(".sentence", expected["verdict"])
        told = page.server.api("0/compare?with=1")
        self.assertEqual(told["diff"], expected)
        changes = sorted(finding["change"] for finding in expected["findings"] if finding["limit"])
        self.assertEqual(sorted(element.text for element in page.all(".findings > ul .change")), changes)
        self.picture("compare")

    def test_nothing_changed_between_a_recording_and_itself(self):
        page = self.serve(browser.shop(), browser.shop(), fragment="view=compare&compared=1")
        page.wait_for_text(".compare", "No wait changed by a millisecond a second.")
        page.wait_for_text(".findings", "still there")
        for use in page.server.api("0/compare?with=1")["uses"]:
            self.assertEqual(use["before"], use["after"])

    def test_bars_are_as_long_as_their_numbers(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment="view=compare&compared=1&co.all=1")
        page.wait_for(".diverging")
        edges = [edge for edge in page.server.api("0/compare?with=1")["diff"]["edges"] if abs(edge["change"]) >= 0.001]
        most = max(abs(edge["change"]) for edge in edges)
        widths = page.run("return [...document.querySelectorAll('.diverging .bar')].map((bar) => parseFloat(bar.style.width))")
        self.assertEqual(len(widths), min(24, len(edges)))
        for width, edge in zip(widths, edges):
            self.assertAlmostEqual(width, abs(edge["change"]) / most * 50, delta=0.01)

    def test_a_bar_selects_the_wait(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment="view=compare&compared=1")
        page.click(".diverging [aria-label^='db → vda']")
        ids = {vertex["label"]: vertex["id"] for vertex in browser.analyze_json(browser.shop())["vertices"]}
        page.wait_for_fragment(sel=f"edge:{ids['db']}>{ids['vda']}")

    def test_the_other_recording_is_chosen_in_the_page(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment="view=compare")
        page.click("[data-compared='1']")
        page.wait_for_fragment(compared="1")
        page.wait_for(".findings")

    def test_one_recording_says_what_is_missing(self):
        page = self.serve(browser.shop(), fragment="view=compare")
        page.wait_for_text(".compare", "gordian serve BEFORE AFTER")

    def test_names_never_become_markup(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment="view=compare&compared=1&co.all=1")
        page.wait_for_text(".compare", "<img src=x>")
        self.assertEqual(page.all(".compare img, .compare h2 b"), [])

    def test_it_fits_a_phone(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment="view=compare&compared=1")
        page.resize(400, 800)
        page.wait_for(".findings")
        self.assertFalse(page.scrolls_sideways())


if __name__ == "__main__":
    browser.main()
