#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings that stay on their nodes: the tab Nodes, what each node answers, and slices that go on from node to node."""

import os
import unittest

import browser
from node_daemons import NodeDaemons


class Nodes(browser.PageTest):
    def nodes_of(self, recordings):
        if os.geteuid() != 0:
            raise unittest.SkipTest("must run as root: gordiand does")
        nodes = NodeDaemons(self.folder, "run1", recordings)
        self.addCleanup(nodes.end)
        return nodes

    def simulated(self):
        folder = browser.simulated_cluster()
        return self.nodes_of({name: os.path.join(folder, name) for name in ("n0000", "n0001", "n0002")})

    def open_nodes(self, nodes, fragment=""):
        page = self.open(self.server(*nodes.words()), fragment)
        page.wait_for("#view-nodes tbody tr" if not fragment else "body")
        return page

    def forget_answers_to_come(self, page):
        """A node answers one question at a time; the page asks again, and the browser tells of each such answer."""
        self.assertEqual([error for error in page.errors() if "503" not in error], [])

    def row(self, page, name):
        return next(row.text for row in page.all("#view-nodes tbody tr") if row.text.startswith(name))

    def press(self, page, number, title):
        button = f"//*[@id='view-nodes']//tr[@data-recording='{number}']//button[.='{title}']"
        page.wait_until(f"{title} can be clicked", lambda: page.driver.find_element("xpath", button).click() or True)

    def test_comes_first_and_tells_what_each_node_says(self):
        nodes = self.simulated()
        nodes.start("n0000", "n0001", "n0002")
        page = self.open_nodes(nodes)
        for number, name in enumerate(("n0000", "n0001", "n0002")):
            brief = page.server.api(f"{number}/brief")
            page.wait_until(f"{name}'s words", lambda: brief["words"] in self.row(page, name))
            row = self.row(page, name)
            self.assertIn("complete", row)
            self.assertIn(str(brief["threads"]), row)
        self.assertIn("gordian collect run1 --nodes all", page.text("#view-nodes code"))
        self.picture("nodes")

    def test_a_node_leads_to_its_report_and_its_timeline(self):
        nodes = self.simulated()
        nodes.start("n0000", "n0001", "n0002")
        page = self.open_nodes(nodes)
        self.press(page, 1, "Report")
        page.wait_for_fragment(recording="1", view="overview")
        told = page.server.api("1/page")["report"]["findings"][0]["title"]
        page.wait_for_text("#verdict", told)
        page.driver.back()
        page.wait_for("#view-nodes tbody tr")
        self.press(page, 2, "Timeline")
        page.wait_for_fragment(recording="2", view="timeline")
        page.wait_for("#view-timeline canvas")

    def test_a_slice_goes_on_on_the_nodes_that_it_reaches(self):
        nodes = self.simulated()
        nodes.start("n0000", "n0001", "n0002")
        server = self.server(*nodes.words())
        thread = server.api("0/query?sql=SELECT%20id%2C%20end_ns%20FROM%20thread%20WHERE%20name%20%3D%20%27gate-0%27%20LIMIT%201")["rows"][0]
        page = self.open(server, f"recording=0&view=timeline&sel=thread:{thread[0]}&at={int(thread[1]) - 1}")
        slice_button = "//*[@id='view-timeline']//button[.='Slice']"
        page.wait_until("the moment is told", lambda: page.driver.find_element("xpath", slice_button).click() or True)
        page.wait_for_text("#view-timeline", "On n0001")
        self.assertRegex(page.text("#view-timeline"), r"\d+ questions")
        self.forget_answers_to_come(page)

    def test_a_node_that_is_away_is_named_and_asked_again(self):
        nodes = self.simulated()
        nodes.start("n0000", "n0001")
        page = self.open_nodes(nodes)
        page.wait_until("n0002 does not answer", lambda: "does not answer" in self.row(page, "n0002"))
        page.wait_until("n0001 does", lambda: "complete" in self.row(page, "n0001"))
        page.errors()  # the browser tells of each answer that is an error
        nodes.start("n0002")
        self.press(page, 2, "Ask again")
        page.wait_until("n0002 answers", lambda: "complete" in self.row(page, "n0002"))
        page.errors()

    def test_names_of_strangers_stay_text(self):
        nodes = self.nodes_of({"n0": browser.hostile_shop()})
        nodes.start("n0")
        page = self.open_nodes(nodes)
        words = page.server.api("0/brief")["words"]
        page.wait_until("its words", lambda: words in self.row(page, "n0"))
        self.assertIn("<", words)
        self.assertEqual(page.run("return document.querySelectorAll('#view-nodes :is(img, script, b, svg)').length"), 0)


if __name__ == "__main__":
    browser.main()
