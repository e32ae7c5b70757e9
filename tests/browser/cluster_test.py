# SPDX-License-Identifier: Apache-2.0
"""The cluster view: what it shows is what the server says, and what is clicked filters the other views."""

import browser
from selenium.webdriver import ActionChains, Keys


def milliseconds(ns):
    """As the page writes times of less than a second."""
    return f"{ns / 1e6:.1f}".removesuffix(".0") + " ms"


class ClusterView(browser.PageTest):
    def open_cluster(self, recording, fragment=""):
        page = self.serve(recording, fragment="view=cluster" + fragment)
        page.wait_for("canvas.treemap")
        page.wait_until("a picture", lambda: page.text("#cluster-summary"))
        return page

    def press_at(self, page, share_x, share_y, double=False):
        canvas = page.one("canvas.treemap")
        x, y = (round(size * (share - 0.5)) for size, share in ((canvas.size["width"], share_x), (canvas.size["height"], share_y)))
        move = ActionChains(page.driver).move_to_element_with_offset(canvas, x, y)
        (move.double_click() if double else move.click()).perform()

    def test_shows_what_the_server_says(self):
        page = self.open_cluster(browser.cluster())
        told = page.server.api("0/amounts?level=process")["units"]
        cpu_ns = [run + spin for run, spin in zip(told["run_ns"], told["spin_ns"])]
        order = sorted(range(len(cpu_ns)), key=lambda i: -cpu_ns[i])
        some = [i for i in order if cpu_ns[i] > 0]
        self.assertIn(f"{len(some)} processes", page.text("#cluster-summary"))
        page.run("document.querySelector('#view-cluster details').open = true")
        rows = [row.text for row in page.all("#cluster-table tbody tr")]
        self.assertEqual(len(rows), 20)
        for row, i in zip(rows, order):
            self.assertIn(told["name"][i].split(": ")[1], row)
            self.assertIn(milliseconds(cpu_ns[i]), row)
        self.picture("cluster")

    def test_nodes_add_up_to_the_traffic_between_them(self):
        server = self.server(browser.cluster())
        server.wait_until_ready()
        nodes = server.api("0/amounts?level=node&bytes=1")["units"]
        pairs = server.api("0/matrix?level=node&what=bytes")["entries"]
        self.assertGreater(sum(nodes["sent_bytes"]), 0)
        self.assertEqual(sum(nodes["sent_bytes"]), sum(pairs["amount"]))
        self.assertEqual(sum(nodes["threads"]), sum(server.api("0/amounts?level=thread")["units"]["threads"]))

    def test_a_click_selects_and_filters_all_views(self):
        page = self.open_cluster(browser.cluster())
        self.press_at(page, 0.2, 0.5)
        page.wait_until("a selection", lambda: page.fragment().get("sel", "").startswith("process:"))
        chosen = page.fragment()
        units = page.server.api("0/units")
        self.assertEqual(units["processes"][int(chosen["sel"].split(":")[1])]["name"], chosen["filter"])
        page.click("#tab-trend")
        page.wait_for(".trend-row")
        self.assertTrue(all(chosen["filter"] in name for name in page.text(".trend-name").split("\n")))
        page.click("#tab-cluster")
        self.press_at(page, 0.2, 0.5)
        page.wait_for_fragment(sel=None, filter=None)

    def test_a_double_click_goes_down_and_backspace_up(self):
        page = self.open_cluster(browser.cluster())
        self.press_at(page, 0.5, 0.5, double=True)
        page.wait_until("a level down", lambda: page.fragment().get("cl.root", "").startswith("node:"))
        self.assertIsNone(page.fragment().get("sel"), "the double click did not select")
        page.wait_for_text(".crumbs", "n")
        page.run("document.querySelector('canvas.treemap').focus()")
        page.keys(Keys.BACKSPACE)
        page.wait_for_fragment(**{"cl.root": None})

    def test_keys_walk_and_say_where(self):
        page = self.open_cluster(browser.cluster())
        page.run("document.querySelector('canvas.treemap').focus()")
        page.keys(Keys.ARROW_RIGHT)
        page.wait_until("what is there is said", lambda: "of CPU time" in page.run("return document.getElementById('announce').textContent"))
        page.keys(Keys.SPACE)
        page.wait_until("a selection", lambda: page.fragment().get("sel", "").startswith("process:"))
        ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.SPACE).key_up(Keys.SHIFT).perform()
        page.wait_until("the node", lambda: page.fragment().get("sel", "").startswith("node:"))

    def test_says_why_there_are_no_bytes(self):
        page = self.open_cluster(browser.generated(20_000, 20), "&what=bytes")
        page.wait_for_text("#view-cluster", "The recording holds no packets")

    def test_hostile_names_are_text(self):
        page = self.open_cluster(browser.hostile_shop())
        page.run("document.querySelector('#view-cluster details').open = true")
        self.assertIn("<", page.text("#cluster-table"))
        self.assertEqual(page.run("return document.querySelectorAll('#view-cluster :is(img, script, b b, a)').length"), 0)


if __name__ == "__main__":
    browser.main()
