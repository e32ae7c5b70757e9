#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The timeline: colours at known moments, zoom to nanoseconds, walking, keys, addresses, hostile names, sizes. The shop's
moments are told in write_shop.cc."""

import os

import browser
from selenium.webdriver import ActionChains, Keys

MS = 1_000_000
# The picture's colour at a row and a moment: [red, green, blue].
COLOUR = """
const canvas = document.querySelector(".tl-canvas"), [row, from, to, at] = arguments, width = canvas.clientWidth;
const gutter = Math.round(Math.max(96, Math.min(220, width * 0.22))), x = gutter + (at - from) / (to - from) * (width - gutter);
const y = 22 + 15 + row * 20 + 10, ratio = canvas.width / width;
return [...canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].slice(0, 3);
"""
PLACE = """
const canvas = document.querySelector(".tl-canvas"), [row, from, to, at] = arguments, width = canvas.clientWidth, box = canvas.getBoundingClientRect();
const gutter = Math.round(Math.max(96, Math.min(220, width * 0.22)));
return [Math.round(gutter + (at - from) / (to - from) * (width - gutter)) - box.width / 2, 22 + 15 + row * 20 + 10 - box.height / 2];
"""
# Rows of the shop, the busiest first.
CPUS, DISK, BATCH, DB, WEB = range(5)


def rgb(page, name):
    text = page.run("return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()", name)
    return [int(text[i:i + 2], 16) for i in (1, 3, 5)]


class Timeline(browser.PageTest):
    def shop(self, fragment="", rows=5):
        page = self.serve(browser.shop(), fragment="view=timeline" + (f"&{fragment}" if fragment else ""))
        page.wait_until("the rows are drawn", lambda: page.run("return document.querySelectorAll('.tl-table tbody tr').length") >= rows)
        return page

    def wait_for_colour(self, page, row, span, at, name):
        wanted = rgb(page, name)
        page.wait_until(f"row {row} at {at} has {name}", lambda: all(abs(a - b) < 12 for a, b in zip(page.run(COLOUR, row, *span, at), wanted)))

    def click_moment(self, page, row, span, at):
        canvas = page.one(".tl-canvas")
        x, y = page.run(PLACE, row, *span, at)
        ActionChains(page.driver).move_to_element_with_offset(canvas, round(x), round(y)).click().perform()

    def test_shows_what_each_row_did_at_known_moments(self):
        span = (100 * MS, 120 * MS)
        page = self.shop(f"from={span[0]}&to={span[1]}")
        self.wait_for_colour(page, WEB, span, 100.5 * MS, "--state-run")
        self.wait_for_colour(page, WEB, span, 105 * MS, "--state-wait")
        self.wait_for_colour(page, DB, span, 102 * MS, "--state-run")
        self.wait_for_colour(page, DB, span, 108.5 * MS, "--state-run")
        self.wait_for_colour(page, BATCH, span, 105 * MS, "--state-run")
        self.wait_for_colour(page, DISK, span, 105 * MS, "--bar")
        self.wait_for_colour(page, DISK, span, 101 * MS, "--card")
        self.picture("timeline")

    def test_the_whole_is_told_in_a_table_as_well(self):
        page = self.shop()
        rows = page.run("return [...document.querySelectorAll('.tl-table tbody tr')].map((row) => row.textContent)")
        page.wait_until("db's row tells that it runs for 30 %", lambda: any(text.startswith("db 20") and "30 %" in text for text in page.run(
            "return [...document.querySelectorAll('.tl-table tbody tr')].map((row) => row.textContent)")))
        self.assertTrue(rows[0].startswith("CPUs in use"))

    def test_walks_along_causes_to_the_threads_that_made_it_wait(self):
        page = self.shop("from=100000000&to=120000000&sel=thread:0&at=105000000")
        page.wait_for_text(".tl-details", "waited 8 ms for db/20")
        self.assertIn("waited 8 ms", page.run("return document.getElementById('announce').textContent"))
        page.keys(Keys.ARROW_LEFT)
        page.wait_for_text(".tl-details h2", "db/20")
        self.assertEqual(page.fragment()["sel"], "thread:1")
        page.keys(Keys.ARROW_LEFT)  # who asked the disk: db itself
        page.wait_for_fragment(at="102999999")
        page.keys(Keys.ARROW_LEFT)
        page.wait_for_text(".tl-details h2", "web/10")
        page.keys("b")
        page.wait_for_fragment(sel="thread:1", at="102999999")
        page.wait_for_text(".tl-details h2", "db/20")
        page.keys(Keys.ARROW_RIGHT)
        page.wait_until("its first effect is batch, which had waited for it", lambda: "batch/40" in page.text(".tl-details h2"))

    def test_tells_who_made_a_wait_so_long(self):
        page = self.shop("from=100000000&to=120000000&sel=thread:0&at=105000000")
        page.wait_for_text(".tl-details", "waited 8 ms")
        page.keys("y")
        page.wait_for_text(".tl-details h2", "Why web/10 waited 8 ms")
        page.wait_for_text(".tl-parts", "5 ms (63 %)")
        page.keys(Keys.ESCAPE)
        page.wait_for_text(".tl-details", "waited 8 ms for db/20")
        self.assertEqual(page.fragment()["sel"], "thread:0", "Escape took the answer away, not the selection")
        page.keys("l")
        page.wait_for_text(".tl-details h2", "All that led here")

    def test_a_click_selects_a_moment_and_the_address_brings_it_back(self):
        span = (100 * MS, 120 * MS)
        page = self.shop(f"from={span[0]}&to={span[1]}")
        self.wait_for_colour(page, DB, span, 102 * MS, "--state-run")
        self.click_moment(page, DB, span, 105 * MS)
        page.wait_for_text(".tl-details", "waited 5 ms for the disk vda")
        page.wait_for_text(".tl-details", "Commit")
        address = page.driver.current_url.partition("#")[2]
        page.open(address)
        page.wait_for_text(".tl-details", "waited 5 ms for the disk vda")
        self.assertEqual(page.fragment()["from"], str(span[0]))

    def test_zooms_to_nanoseconds_and_back_to_the_whole(self):
        page = self.shop("sel=thread:1&at=105000000")
        page.wait_for_text(".tl-details", "waited 5 ms")
        page.keys(Keys.ENTER)
        page.wait_until("the wait fills the view", lambda: int(page.fragment().get("to", 0)) - int(page.fragment().get("from", 0)) == 8 * MS)
        for _ in range(60):
            page.keys("w")
        page.wait_until("twenty nanoseconds are shown", lambda: int(page.fragment()["to"]) - int(page.fragment()["from"]) == 20)
        page.keys("0")
        page.wait_for_fragment(to=None)

    def test_the_wheel_zooms_at_the_pointer_and_dragging_pans(self):
        span = (0, 400 * MS)
        page = self.shop()
        canvas = page.one(".tl-canvas")
        x, y = page.run(PLACE, DB, *span, 300 * MS)
        page.driver.execute_script("""const box = arguments[0].getBoundingClientRect();
            arguments[0].dispatchEvent(new WheelEvent("wheel", {deltaY: -500, bubbles: true, cancelable: true, clientX: box.left + box.width / 2 + arguments[1], clientY: box.top + 60}))""", canvas, x)
        page.wait_until("it is zoomed in", lambda: "from" in page.fragment())
        start, end = int(page.fragment()["from"]), int(page.fragment()["to"])
        self.assertLess(end - start, 200 * MS)
        self.assertTrue(start < 300 * MS < end)
        ActionChains(page.driver).move_to_element_with_offset(canvas, round(x), round(y)).click_and_hold().move_by_offset(-100, 0).release().perform()
        page.wait_until("it moved on", lambda: int(page.fragment()["from"]) > start)

    def test_measures_what_was_dragged_over_with_shift(self):
        span = (100 * MS, 120 * MS)
        page = self.shop(f"from={span[0]}&to={span[1]}&sel=thread:1")
        self.wait_for_colour(page, DB, span, 102 * MS, "--state-run")
        canvas = page.one(".tl-canvas")
        (x, y), (to, _) = page.run(PLACE, DB, *span, 103.5 * MS), page.run(PLACE, DB, *span, 117 * MS)
        ActionChains(page.driver).move_to_element_with_offset(canvas, round(x), round(y)).key_down(Keys.SHIFT).click_and_hold().move_by_offset(
            round(to - x), 0).release().key_up(Keys.SHIFT).perform()
        page.wait_for_text(".tl-details", "waits")
        page.wait_for_text(".tl-details", "Length")
        page.wait_for_text(".tl-details dd", "3")

    def test_opens_processes_into_threads_by_keys(self):
        page = self.shop("level=process")
        page.keys("j")
        page.wait_for_fragment(sel="node:0")
        for wanted in ("device:", "process:0", "process:1", "process:2"):
            page.keys("j")
            page.wait_until(f"{wanted} is selected", lambda: page.fragment().get("sel", "").startswith(wanted))
        page.wait_for_text(".tl-details h2", "web 10")
        page.keys(Keys.ENTER)
        page.wait_until("its threads are rows", lambda: any("logger 30" in text for text in page.run(
            "return [...document.querySelectorAll('.tl-table tbody tr')].map((row) => row.textContent)")))

    def test_filters_and_sorts_rows(self):
        page = self.shop("filter=db", rows=1)
        names = lambda: page.run("return [...document.querySelectorAll('.tl-table tbody th')].map((name) => name.textContent)")
        page.wait_until("only db is left", lambda: len(names()) == 1 and names()[0].startswith("db 20"))
        page = page.open("view=timeline&tl.sort=name")
        page.wait_until("names are in order", lambda: len(names()) >= 6 and [name.split()[0] for name in names()[2:]] == ["batch", "db", "logger", "web"])

    def test_shows_stacks_of_the_selection(self):
        page = self.shop("sel=thread:1")
        page.keys("f")
        page.wait_for_text(".tl-flame", "Commit")
        page.click(".tl-flame button[data-kind=critical]")
        page.wait_until("the critical flame is shown", lambda: page.all(".tl-flame button[data-kind=critical][aria-pressed=true]"))
        self.picture("timeline-flame")

    def test_hostile_names_stay_text(self):
        page = self.serve(browser.hostile_shop(), fragment="view=timeline&sel=thread:1&at=105000000")
        page.wait_for_text(".tl-details h2", '"><b>db')
        page.keys("f")
        page.wait_for_text(".tl-flame", "samples")
        self.assertEqual(page.all("b.evil, img, .tl script, .tl svg[onload]"), [])
        page.wait_until("names are in the table as text", lambda: page.run("return document.querySelector('.tl-table').textContent.includes('<img src=x>')"))

    def test_fits_windows_of_any_size_and_the_dark(self):
        page = self.shop("from=100000000&to=120000000")
        page.resize(390, 800)
        page.wait_until("the picture is narrow", lambda: page.run("return document.querySelector('.tl-canvas').width") <= 390)
        wide = page.run("return [...document.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.tagName + '.' + one.className + '#' + one.id)")
        self.assertFalse(page.scrolls_sideways(), wide)
        page.resize(1280, 720)
        page.use_scheme("dark")
        self.wait_for_colour(page, WEB, (100 * MS, 120 * MS), 100.5 * MS, "--state-run")
        self.picture("timeline-dark")

    def test_marks_lines_of_logs(self):
        log = os.path.join(self.folder, "db.log")
        with open(log, "w") as file:
            for ms in (105, 115):
                file.write(f"1970-01-01T00:00:00.{ms}000Z the disk is slow <img src=x>\n")
        page = self.serve(browser.shop(), "--logs", log, fragment="view=timeline&from=100000000&to=120000000")
        page.wait_until("the rows are drawn", lambda: page.run("return document.querySelectorAll('.tl-table tbody tr').length") >= 5)
        x, _ = page.run(PLACE, DB, 100 * MS, 120 * MS, 105 * MS)
        canvas = page.one(".tl-canvas")
        lane = 22 + 15 + 6 - page.run("return arguments[0].clientHeight", canvas) / 2

        def click():
            ActionChains(page.driver).move_to_element_with_offset(canvas, round(x), round(lane)).click().perform()
            return "the disk is slow <img src=x>" in page.text(".tl-details")

        page.wait_until("the line is told", click)
        self.assertIn("db.log:1", page.text(".tl-details"))
        self.assertEqual(page.all(".tl img"), [])

    def test_shows_three_nodes_as_rows_that_open(self):
        page = self.serve(browser.cluster(), fragment="view=timeline&level=node")
        page.wait_until("three nodes are rows", lambda: sum(text.startswith(("n0", "n1", "n2")) for text in page.run(
            "return [...document.querySelectorAll('.tl-table tbody th')].map((name) => name.textContent)")) == 3)


if __name__ == "__main__":
    browser.main()
