#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The overview: the answer first, one selection for all of it, in the address, by mouse and by keys, on any screen."""

import browser

# That of the shop (write_shop.cc): db waits for the disk, web for db.
EDGE = "[data-edge='{}>{}']"


class Overview(browser.PageTest):
    def shop(self, fragment=""):
        page = self.serve(browser.shop(), fragment=fragment)
        page.wait_for(".node")
        self.id_of = {vertex["label"] or vertex["name"]: vertex["id"] for vertex in page.server.api("0/page")["report"]["vertices"]}
        return page

    def edge(self, waiter, other):
        return f"{self.id_of[waiter]}>{self.id_of[other]}"

    def is_picked(self, selector):
        return lambda: "picked" in (self.page.one(selector).get_attribute("class") or "")

    def test_the_answer_stands_first(self):
        page = self.shop()
        self.assertIn("db", page.text("#verdict"))
        self.assertIn("A KNOT OF WAITS", page.text("#eyebrow").upper())
        self.assertIn("throughput by that alone", page.text("#panel"))
        for heading in ("WHY", "TRY", "WHAT IT WOULD GAIN"):
            self.assertIn(heading, page.text("#panel").upper())
        below = page.run("return document.querySelector('#panel').getBoundingClientRect().top")
        self.assertLess(below, 720, "in sight without scrolling")
        self.picture("overview")

    def test_it_says_what_the_command_line_says(self):
        page = self.shop()
        report = browser.analyze_json(browser.shop())
        self.assertEqual(page.text("#verdict"), report["verdict"])
        self.assertEqual(len(page.all("#list tbody tr")), len(report["edges"]))

    def test_a_click_in_the_picture_selects_in_the_lists_and_in_the_address(self):
        page = self.shop()
        edge = self.edge("db", "vda")
        page.run("document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))", f"[data-edge='{edge}']")
        page.wait_for_fragment(sel="edge:" + edge)
        page.wait_for_text("#panel h2", "db waits for vda")
        marked = page.one("#list tr[aria-current]").text
        self.assertTrue(marked.startswith("db vda"), marked)

    def test_a_click_in_a_list_selects_in_the_picture(self):
        page = self.shop()
        page.click("#list tbody tr:first-child")
        page.wait_until("an edge is picked", lambda: page.all(".edge.picked"))
        self.assertEqual(page.fragment()["sel"], "edge:" + page.one(".edge.picked").get_attribute("data-edge"))
        page.click("#tabs button:nth-child(2)")
        page.wait_for_fragment(**{"ov.list": "threads"})
        page.click("#list tbody tr:first-child")
        page.wait_until("a vertex is picked", lambda: page.all(".node.picked"))
        self.assertRegex(page.fragment()["sel"], r"^thread:\d+$")

    def test_an_address_shows_what_it_says(self):
        page = self.shop()
        vertex = self.id_of["web"]
        page.open(f"sel=vertex:{vertex}&ov.list=threads")
        page.wait_for_text("#panel h2", "web")
        page.wait_until("it is picked", self.is_picked(f".node[data-vertex='{vertex}']"))
        self.assertEqual(page.one("#tabs [aria-selected=true]").text.split(" ")[0], "Threads")

    def test_hostile_addresses_show_the_usual(self):
        page = self.shop("sel=vertex:99999&view=nowhere&ov.finding=x&filter=<img src=x onerror=alert(1)>&recording=-1&level=<b>")
        page.wait_for("#panel")
        self.assertIn("TRY", page.text("#panel").upper())
        self.assertEqual(page.all("img, b > b"), [])

    def test_an_address_of_no_recording_is_told(self):
        page = self.serve(browser.shop(), fragment="recording=7")
        page.wait_for_text("#facts", "names a recording that is not served here")

    def test_the_way_back_takes_steps_back(self):
        page = self.shop()
        first, second = (f".node[data-vertex='{self.id_of[name]}']" for name in ("web", "db"))
        for node in (first, second):
            page.run("document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))", node)
            page.wait_until("it is picked", self.is_picked(node))
        page.driver.back()
        page.wait_until("the first is picked again", self.is_picked(first))
        page.driver.back()
        page.wait_for_fragment(sel=None)
        page.wait_until("nothing is picked", lambda: not page.all(".picked"))
        page.driver.forward()
        page.wait_until("the first is picked once more", self.is_picked(first))

    def test_one_filter_for_the_lists_and_the_picture(self):
        page = self.shop()
        page.keys("/")
        page.keys("batch")
        page.wait_for_fragment(filter="batch")
        page.wait_until("others are faded", lambda: page.all(".node.faded"))
        self.assertEqual([node.get_attribute("data-vertex") for node in page.all(".node:not(.faded)")], [str(self.id_of["batch"])])
        for row in page.all("#list tbody tr"):
            self.assertIn("batch", row.text)
        self.assertIn("of", page.one("#list .filter span").text)

    def test_keys_alone_are_enough(self):
        page = self.shop()
        page.keys("?")
        page.wait_for_text("#help", "filter by name")
        page.keys(browser.Keys.ESCAPE)
        page.wait_until("help is closed", lambda: not page.all("dialog[open]"))
        page.run("document.querySelector(arguments[0]).focus()", f".node[data-vertex='{self.id_of['db']}']")
        page.keys(browser.Keys.ENTER)
        page.wait_for_fragment(sel=f"vertex:{self.id_of['db']}")
        focused = page.run("return document.activeElement.dataset.vertex")
        self.assertEqual(focused, str(self.id_of["db"]), "the focus stays where it was")
        page.keys(browser.Keys.ESCAPE)
        page.wait_for_fragment(sel=None)
        page.keys("p")
        page.wait_for_fragment(view="phases")
        page.keys("o")
        page.wait_for_fragment(view=None)

    def test_everything_has_a_name_for_screen_readers(self):
        page = self.shop()
        nameless = page.run("""
            return [...document.querySelectorAll("button, [role=button], input, select, [role=tab], [role=img], [role=group], canvas[tabindex]")]
              .filter((one) => one.checkVisibility() && !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length || one.title))
              .map((one) => one.outerHTML.slice(0, 120));""")
        self.assertEqual(nameless, [])
        self.assertEqual(page.run("return [...document.querySelectorAll('th')].filter((one) => one.scope !== 'col').length"), 0)

    def test_a_page_that_is_renewed_disturbs_nobody(self):
        page = self.shop()
        # A recording that grows: the server tells another page of it again and again.
        growing = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            const ask = window.fetch;
            window.pages = 0;
            window.fetch = async (address, options) => {
              const answer = await ask(address, options);
              if (!String(address).endsWith("api/recordings")) return answer;
              const told = await answer.json();
              Object.assign(told.recordings[0], {state: "reading", page: ++window.pages});
              return new Response(JSON.stringify(told));
            };"""})
        try:
            page.open()
            page.wait_for("#list tbody tr")
            page.click("#list th:nth-child(7) button")
            page.keys("/", "d")
            page.wait_for_fragment(filter="d")
            seen = page.run("return window.pages")
            page.wait_until("three more pages", lambda: page.run("return window.pages") > seen + 3)
            page.keys("b")
            page.wait_for_fragment(filter="db")
            self.assertEqual(page.run("return document.activeElement.value"), "db", "one types on where one was")
            self.assertEqual(page.text("#list th[aria-sort]"), "longest")
        finally:
            page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", growing)

    def test_it_fits_any_screen(self):
        page = self.shop()
        for width, height in ((1280, 720), (900, 700), (390, 844)):
            page.resize(width, height)
            page.wait_until(f"no scrolling sideways at {width}", lambda: not page.scrolls_sideways())
        answer, picture = (page.run("return document.querySelector(arguments[0]).getBoundingClientRect().top", part) for part in ("#panel", "#picture"))
        self.assertLess(answer, picture, "on a phone the answer stands before the picture")
        self.picture("phone")

    def test_dark_and_light(self):
        page = self.shop()
        ground = "return getComputedStyle(document.body).backgroundColor"
        light = page.run(ground)
        page.use_scheme("dark")
        page.wait_until("it is dark", lambda: page.run(ground) != light)
        self.picture("dark")

    def test_on_paper_there_is_nothing_to_press(self):
        page = self.shop()
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            for hidden in ("#views", "#tools", "#tabs", ".corner"):
                self.assertFalse(page.run("return document.querySelector(arguments[0]).checkVisibility()", hidden), hidden)
            for shown in ("#verdict", "#panel", "#graph", "#list table"):
                self.assertTrue(page.run("return document.querySelector(arguments[0]).checkVisibility()", shown), shown)
        finally:
            page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_hostile_names_stay_text(self):
        page = self.serve(browser.hostile_shop())
        page.wait_for(".node")
        page.wait_for_text("#panel", '"><b>db')
        page.click("#list tbody tr:first-child")
        page.wait_until("an edge is picked", lambda: page.all(".edge.picked"))
        page.click("#tabs button:nth-child(2)")
        page.wait_for_text("#list", "</script>")
        self.assertEqual(page.all("img, #panel b b, #list b, #list script, svg svg"), [])

    def test_several_recordings_are_chosen_from(self):
        page = self.serve(browser.shop(), browser.hostile_shop())
        page.wait_for_text("#verdict", "db")
        before = page.text("#verdict")
        page.run("const list = document.querySelector('#recording'); list.value = '1'; list.dispatchEvent(new Event('change'))")
        page.wait_for_fragment(recording="1")
        page.wait_until("the other's answer", lambda: page.text("#verdict") not in ("", before))
        page.driver.back()
        page.wait_for_text("#verdict", before)


if __name__ == "__main__":
    browser.main()
