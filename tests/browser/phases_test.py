#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job's phases in the page: the shop tells its forty requests by probes (write_shop.cc), 10 ms each."""

import browser

REQUEST_NS = 10_000_000


class Phases(browser.PageTest):
    def shop(self, fragment="view=phases"):
        page = self.serve(browser.shop(), fragment=fragment)
        page.wait_for("#bars")
        self.phases = page.server.api("0/page")["report"]["phases"]
        return page

    def point(self, kind, part):
        """On the only lane, at that part of the time in sight (names take 190 pixels)."""
        self.page.run(
            """const bars = document.querySelector("#bars"), box = bars.getBoundingClientRect();
               bars.dispatchEvent(new MouseEvent(arguments[0], {bubbles: true, clientX: box.left + 190 + arguments[1] * (box.width - 190), clientY: box.top + 11}));""",
            kind, part)

    def press(self, *keys):
        self.page.run("document.querySelector('#bars').focus()")
        self.page.keys(*keys)

    def test_all_requests_are_there(self):
        page = self.shop()
        self.assertEqual(page.text("#span"), "40 phases, 400 ms")
        page.click("#ganttList summary")
        page.wait_until("a table of all", lambda: len(page.all("#ganttList tbody tr")) == 40)
        self.picture("phases")

    def test_a_click_narrows_all_views_to_the_phase(self):
        page = self.shop()
        self.point("click", 10.5 / 40)
        request = next(phase for phase in self.phases if phase["path"] == "/Job/request[10]")
        page.wait_for_fragment(sel=f"phase:{request['id']}", phase=str(request["id"]))
        self.assertEqual(int(page.fragment()["from"]), 10 * REQUEST_NS)
        self.assertEqual(int(page.fragment()["to"]), 11 * REQUEST_NS)
        self.assertIn("request[10]", page.text("#selection"))
        self.assertIn("100", page.text("#range"))
        page.click("#whole")
        page.wait_for_fragment(**{"from": None, "to": None})

    def test_the_way_back_leads_out_again(self):
        page = self.shop()
        self.point("click", 10.5 / 40)
        page.wait_for_text("#crumbs", "request[10]")
        page.driver.back()
        page.wait_until("the job again", lambda: page.text("#crumbs") == "Job")
        page.driver.forward()
        page.wait_for_text("#crumbs", "request[10]")

    def test_an_address_shows_the_same_to_a_colleague(self):
        page = self.shop()
        self.press("+", "+")
        page.wait_until("the address has a range", lambda: page.fragment().get("from"))
        page.wait_until("the address is settled", lambda: abs((int(page.fragment()["to"]) - int(page.fragment()["from"])) - 0.36 * 40 * REQUEST_NS) < 10)
        seen, address = page.text("#span"), page.driver.current_url.partition("#")[2]
        page.open(address)
        page.wait_for_text("#span", seen)
        self.assertEqual(page.driver.current_url.partition("#")[2], address)

    def test_a_range_of_another_view_is_the_range_here(self):
        page = self.shop(f"view=phases&from={5 * REQUEST_NS}&to={8 * REQUEST_NS}")
        page.wait_for_text("#span", "50.0 ms to 80.0 ms, of 400 ms")

    def test_a_phase_selected_elsewhere_is_marked_and_told(self):
        page = self.shop()
        request = next(phase for phase in self.phases if phase["path"] == "/Job/request[3]")
        page.open(f"view=phases&sel=phase:{request['id']}")
        page.wait_for_text("#phase", "10 ms")
        self.assertEqual(page.text("#crumbs"), "Job", "the phase is shown within its job")

    def test_keys_go_from_phase_to_phase(self):
        page = self.shop()
        self.press(browser.Keys.ARROW_RIGHT, browser.Keys.ARROW_RIGHT)
        page.wait_for_text("#told", "/Job/request[1]")
        page.wait_until("it is selected", lambda: page.fragment().get("sel"))
        self.press(browser.Keys.ENTER)
        page.wait_for_text("#crumbs", "request[1]")
        self.press(browser.Keys.ESCAPE)
        page.wait_until("the job again", lambda: page.text("#crumbs") == "Job")

    def test_the_filter_leaves_what_it_names(self):
        page = self.shop()
        page.keys("/")
        page.keys("request[7]")
        page.wait_for_text("#span", "1 phase,")
        page.keys(browser.Keys.ESCAPE)

    def test_it_fits_any_window(self):
        page = self.shop()
        for width, height in ((1280, 720), (390, 844), (1000, 700)):
            page.resize(width, height)
            page.wait_until(f"no scrolling sideways at {width}", lambda: not page.scrolls_sideways())
        page.wait_until("the chart has the width of its frame", lambda: page.run("return document.querySelector('#bars').clientWidth <= document.querySelector('#job').clientWidth"))

    def test_the_bars_are_drawn_anew_in_the_dark(self):
        page = self.shop()
        colour = "const c = document.querySelector('#bars'), s = c.width / c.clientWidth; return [...c.getContext('2d').getImageData((190 + 3) * s, 5 * s, 1, 1).data].join()"
        light = page.run(colour)
        page.use_scheme("dark")
        page.wait_until("other colours", lambda: page.run(colour) != light)

    def test_hostile_names_stay_text(self):
        page = self.serve(browser.hostile_shop(), fragment="view=phases")
        page.wait_for_text("#span", "phase")
        page.click("#ganttList summary")
        page.wait_for_text("#ganttList", "<script>alert(1)")
        self.point("click", 0.5)
        page.wait_until("a phase is open", lambda: page.fragment().get("phase"))
        self.assertEqual(page.all("img, #view script, #view b b"), [])


if __name__ == "__main__":
    browser.main()
