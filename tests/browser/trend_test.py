# SPDX-License-Identifier: Apache-2.0
"""The trend view: rows and windows are the server's; the needle, playing and clicks go to the address."""

import browser
from selenium.webdriver import ActionChains, Keys


class TrendView(browser.PageTest):
    def open_trend(self, *recordings, fragment=""):
        page = self.serve(*recordings, fragment="view=trend" + fragment)
        page.wait_for(".trend-row")
        return page

    def focus(self, page):
        page.run("document.querySelector('.trend-rows').focus()")

    def test_has_the_rows_and_windows_of_the_server(self):
        page = self.open_trend(browser.cluster(), fragment="&level=node")
        trend = page.server.api("0/trend?level=node&bytes=1")
        self.assertEqual(page.text(".trend-name").split("\n"), [row["name"] for row in trend["rows"]])
        windows = len(trend["windows"]["from_ns"])
        self.assertIn(f"of {windows}", page.text("#trend-page"))
        for row in trend["rows"]:
            amounts = page.server.api("0/amounts?level=node&bytes=1")["units"]
            at = amounts["number"].index(row["number"])
            self.assertEqual(sum(row["values"]["wait_ns"]), amounts["wait_ns"][at])
            self.assertEqual(sum(row["values"]["cpu_ns"]), amounts["run_ns"][at] + amounts["spin_ns"][at])
            self.assertEqual(sum(row["values"]["sent_bytes"]), amounts["sent_bytes"][at])
        self.picture("trend")

    def test_a_click_on_a_window_sets_the_frame_and_the_range(self):
        page = self.open_trend(browser.cluster(), fragment="&level=node")
        windows = page.server.api("0/trend?level=node&bytes=1")["windows"]
        chart = page.one(".trend-charts")
        x = round(chart.size["width"] * (7.5 / 50 - 0.5))
        ActionChains(page.driver).move_to_element_with_offset(chart, x, 0).click().perform()
        page.wait_for_fragment(frame="7", to=str(windows["to_ns"][7]), **{"from": str(windows["from_ns"][7])})
        page.wait_for(".needle")

    def test_keys_move_the_needle_and_turn_pages(self):
        page = self.open_trend(browser.cluster(), fragment="&level=node")
        self.focus(page)
        page.keys(Keys.ARROW_RIGHT)
        page.wait_for_fragment(frame=None if page.fragment().get("frame") is None else "0")
        page.wait_until("the first window", lambda: page.fragment().get("frame") == "0")
        page.keys(Keys.ARROW_RIGHT)
        page.wait_for_fragment(frame="1")
        page.wait_until("the window is said", lambda: "window 2" in page.run("return document.getElementById('announce').textContent"))
        page.keys(Keys.PAGE_DOWN)
        page.wait_for_fragment(frame="50")
        page.wait_for_text("#trend-page", "51–")

    def test_playing_goes_on_and_stops(self):
        page = self.open_trend(browser.cluster(), fragment="&level=node")
        page.click("#trend-play")
        page.wait_until("some windows later", lambda: int(page.fragment().get("frame", -1)) >= 2)
        page.click("#trend-play")
        page.wait_for_text("#trend-play", "Play")

    def test_rows_are_chosen_and_filtered(self):
        page = self.open_trend(browser.cluster(), fragment="&level=process&filter=n1")
        names = page.text(".trend-name").split("\n")
        self.assertTrue(names and all(name.startswith("n1: ") for name in names), names)
        page.click(".trend-row button")
        page.wait_until("a selection", lambda: page.fragment().get("sel", "").startswith("process:"))

    def test_another_recording_is_a_line_over_the_bars(self):
        page = self.open_trend(browser.cluster(), browser.cluster(30_000), fragment="&level=node&compared=1")
        page.wait_for(".trend-chart .compared")
        self.assertEqual(len(page.all(".trend-chart .compared")), len(page.all(".trend-row")))

    def test_windows_may_be_phases(self):
        page = self.open_trend(browser.shop())
        names = page.server.api("0/trend")["phase_names"]
        self.assertTrue(names)
        page.run("const list = document.getElementById('trend-windows'); list.value = 'phase ' + arguments[0]; list.dispatchEvent(new Event('change'))", names[0])
        page.wait_for_text("#trend-summary", "of a phase")

    def test_says_why_there_are_no_bytes(self):
        page = self.open_trend(browser.generated(20_000, 20), fragment="&what=bytes")
        page.wait_for_text("#view-trend", "The recording holds no packets")

    def test_hostile_names_are_text(self):
        page = self.open_trend(browser.hostile_shop())
        self.assertIn("<", page.text(".trend-name"))
        self.assertEqual(page.run("return document.querySelectorAll('#view-trend :is(img, script, a)').length"), 0)


if __name__ == "__main__":
    browser.main()
