# SPDX-License-Identifier: Apache-2.0
"""The frame view: chords up to 64 units, a matrix beyond; entries are the server's, and keep their order from frame to frame."""

import browser
from selenium.webdriver import ActionChains, Keys


def order_on_circle(page):
    return page.run("return [...document.querySelectorAll('.chords .arc text')].map((text) => text.textContent)")


class FrameView(browser.PageTest):
    def open_frame(self, recording, fragment=""):
        page = self.serve(recording, fragment="view=frame" + fragment)
        page.wait_until("a sentence", lambda: page.text("#frame-summary"))
        return page

    def heaviest(self, page, query):
        matrix = page.server.api("0/matrix?" + query)
        entries, names = matrix["entries"], matrix["units"]["name"]
        at = max(range(len(entries["amount"])), key=lambda i: entries["amount"][i])
        return names[entries["from"][at]], names[entries["to"][at]], entries["count"][at]

    def test_few_units_are_chords_and_many_a_matrix(self):
        page = self.open_frame(browser.cluster(), "&level=node")
        page.wait_for("svg.chords .ribbon")
        self.picture("frame-chords")
        page.run("const list = document.getElementById('level'); list.value = 'process'; list.dispatchEvent(new Event('change'))")
        page.wait_for("canvas.matrix")
        units = page.server.api("0/matrix?level=process")["units"]["name"]
        self.assertGreater(len(units), 64)
        page.wait_for_text("#frame-summary", f"{len(units)} units")
        self.picture("frame-matrix")
        page.run("const list = document.getElementById('frame-view'); list.value = 'chords'; list.dispatchEvent(new Event('change'))")
        page.wait_for("svg.chords .ribbon")
        page.wait_for_fragment(**{"fr.view": "chords"})

    def test_the_first_row_is_the_heaviest_entry(self):
        for query in ("level=node&what=waits", "level=node&what=bytes", "level=rack&what=bytes"):
            page = self.open_frame(browser.cluster(), "&" + query)
            sender, receiver, count = self.heaviest(page, query)
            row = page.text("#frame-table tbody tr:first-child")
            self.assertTrue(row.startswith(sender), row)
            self.assertIn(receiver if receiver != sender else "itself", row)
            self.assertTrue(row.endswith(f"{count:,}"), row)

    def test_bytes_are_those_of_the_traffic_verb(self):
        server = self.server(browser.cluster())
        server.wait_until_ready()
        told = browser.json.loads(browser.subprocess.run([browser.GORDIAN, "traffic", browser.cluster(), "--by", "host", "--json"], check=True, stdout=browser.subprocess.PIPE).stdout)
        entries = server.api("0/matrix?level=node&what=bytes")["entries"]
        self.assertEqual(sum(entries["amount"]), told["total"]["payload_bytes"])
        self.assertEqual(sum(entries["count"]), told["total"]["messages"])

    def test_frames_keep_the_order_and_playing_goes_on(self):
        page = self.open_frame(browser.cluster(), "&level=node&what=bytes")
        page.wait_for("svg.chords .ribbon")
        whole = order_on_circle(page)
        page.wait_for("#frame-play")
        page.click("#frame-on")
        page.wait_for_fragment(frame="0")
        page.wait_for_text("#frame-summary", "frame 1")
        some = order_on_circle(page)
        self.assertEqual(some, [name for name in whole if name in some])
        page.click("#frame-play")
        page.wait_until("some frames later", lambda: int(page.fragment().get("frame", -1)) >= 2)
        page.click("#frame-play")
        page.wait_for_text("#frame-play", "Play")

    def test_what_is_clicked_is_selected(self):
        page = self.open_frame(browser.shop(), "&level=vertex")
        page.click("#frame-table tbody tr")
        page.wait_until("an edge", lambda: page.fragment().get("sel", "").startswith("edge:"))
        page.wait_for(".chords.pointed .ribbon.kept")
        page.click(".chords .arc text")
        page.wait_until("a vertex", lambda: page.fragment().get("sel", "").startswith("vertex:"))

    def test_keys_tell_entries_and_units(self):
        page = self.open_frame(browser.cluster(), "&level=node")
        said = lambda: page.run("return document.getElementById('announce').textContent")
        page.wait_for("svg.chords .ribbon")
        page.run("document.getElementById('frame-picture').focus()")
        page.keys(Keys.ARROW_DOWN)
        page.wait_until("the heaviest ribbon", lambda: "waits" in said() and "of all" in said())
        page.keys(Keys.ENTER)
        page.wait_until("who waits is selected", lambda: page.fragment().get("sel", "").startswith("node:"))
        page.keys(Keys.ARROW_RIGHT)
        page.wait_until("a unit", lambda: "is waited for" in said())

    def test_the_matrix_tells_its_cells(self):
        page = self.open_frame(browser.cluster(), "&level=process")
        canvas = page.wait_for("canvas.matrix")
        ActionChains(page.driver).move_to_element(canvas).perform()
        page.wait_for_text("#told", "waits")
        page.run("document.getElementById('frame-picture').focus()")
        page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        page.wait_until("a cell", lambda: "waits" in page.run("return document.getElementById('announce').textContent"))

    def test_waits_may_weigh_those_behind_them(self):
        page = self.open_frame(browser.shop(), "&level=vertex&fr.weigh=cascaded")
        matrix = page.server.api("0/matrix?level=vertex")
        report = page.server.api("0/page")["report"]
        told = {(edge["from"], edge["to"]): edge["weight_s"] for edge in report["edges"] if edge["own_s"] > 0}
        number = matrix["units"]["number"]
        ends = zip(matrix["entries"]["from"], matrix["entries"]["to"], matrix["entries"]["weight_ns"])
        shown = {(number[a], number[b]): weight_ns / 1e9 for a, b, weight_ns in ends}
        self.assertEqual(set(told), set(shown))
        for edge, weight_s in told.items():
            self.assertAlmostEqual(weight_s, shown[edge], 6)
        page.wait_for("svg.chords .ribbon")

    def test_says_why_there_is_nothing(self):
        page = self.serve(browser.generated(20_000, 20), fragment="view=frame&what=bytes")
        page.wait_for_text("#view-frame", "The recording holds no packets")

    def test_hostile_names_are_text(self):
        page = self.open_frame(browser.hostile_shop(), "&level=process")
        self.assertIn("<", page.text("#frame-table"))
        self.assertEqual(page.run("return document.querySelectorAll('#view-frame :is(img, script, a)').length"), 0)


if __name__ == "__main__":
    browser.main()
