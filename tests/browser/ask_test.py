#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions in SQL, in the page: rows as the command line gives them, rows that lead on, completion, an end to what is endless."""

import json
import subprocess
import time
from urllib.parse import urlencode

import browser
from browser import Keys

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
THREADS = "SELECT id, name, tid, run_ns, wait_ns FROM thread WHERE tid > 0 ORDER BY id"


def query_json(folder, sql):
    asked = subprocess.run([browser.GORDIAN, "query", folder, sql, "--json", "-"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(asked.stdout)


def asking(sql, **more):
    return urlencode({"view": "ask", "ask.sql": sql, **more})


class Ask(browser.PageTest):
    def rows(self):
        """The text of the rows that are made, in order of their place."""
        script = """return [...document.querySelectorAll('.grid .rows .row')].map((row) => [...row.children].map((cell) => cell.firstChild ? cell.firstChild.textContent : ''))"""
        return self.page.run(script)

    def wait_for_rows(self, number):
        self.page.wait_until(f"{number} rows", lambda: self.page.text(".answered .told").startswith(f"{number:,} row"))

    def write(self, text):
        area = self.page.one("#ask-sql")
        area.click()
        area.send_keys(Keys.CONTROL, "a")
        area.send_keys(Keys.DELETE)
        area.send_keys(text)

    def ask(self):
        self.page.one("#ask-sql").send_keys(Keys.CONTROL, Keys.ENTER)

    def test_rows_are_those_of_the_command_line(self):
        page = self.serve(browser.shop(), fragment=asking(THREADS))
        expected = query_json(browser.shop(), THREADS)
        self.wait_for_rows(len(expected))
        told = [[cell.replace(",", "") for cell in row] for row in self.rows()]
        self.assertEqual(told, [[str(value) for value in row.values()] for row in expected])
        self.picture("ask")

    def test_a_row_selects_what_it_is_about(self):
        page = self.serve(browser.shop(), fragment=asking(
            "SELECT s.thread, s.begin_ns, s.end_ns, s.waker FROM segment s JOIN thread t ON t.id = s.thread WHERE t.name = 'web' AND s.kind = 'wait' ORDER BY 2"))
        page.wait_for(".grid .rows .row")
        first = self.rows()[0]
        page.click(".grid .rows .row [aria-colindex='2']")
        page.wait_for_fragment(sel="thread:" + first[0], at=first[1].replace(",", ""))
        page.click(".grid .rows .row [aria-colindex='4']")
        page.wait_for_fragment(sel="thread:" + first[3])
        # The address shows the same to who opens it.
        page.open(page.driver.current_url.partition("#")[2])
        page.wait_for_text("#selection", "db")

    def test_rows_are_gone_through_by_keys(self):
        page = self.serve(browser.shop(), fragment=asking(THREADS))
        page.wait_for(".grid .rows .row")
        page.run("document.querySelector('.grid').focus()")
        page.keys(Keys.ARROW_DOWN, Keys.ENTER)
        page.wait_for_fragment(sel="thread:" + self.rows()[1][0])
        page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "s")
        page.wait_for_fragment(**{"ask.sort": "3:down"})
        runs = [int(row[3].replace(",", "")) for row in self.rows()]
        self.assertEqual(runs, sorted(runs, reverse=True))

    def test_labels_select_a_wait_of_the_graph(self):
        page = self.serve(browser.shop(), fragment=asking("SELECT from_label, to_label, own_ns FROM wait_graph WHERE from_label = 'web' AND to_label = 'db'"))
        self.wait_for_rows(1)
        page.click(".grid .rows .row")
        page.wait_until("a wait is selected", lambda: (page.fragment().get("sel") or "").startswith("edge:"))

    def test_words_complete_themselves_by_keys(self):
        page = self.serve(browser.shop(), fragment="view=ask")
        page.wait_for(".library .columns, .library [data-question]")
        self.write("SELECT s.beg")
        self.write("SELECT s. FROM segment s")
        page.keys(*[Keys.ARROW_LEFT] * len(" FROM segment s"))
        page.keys("be")
        page.wait_for_text("#ask-words", "begin_ns")
        page.keys(Keys.TAB)
        self.assertEqual(page.run("return document.querySelector('#ask-sql').value"), "SELECT s.begin_ns FROM segment s")
        page.keys(", s.ki")
        page.wait_for_text("#ask-words", "kind")
        page.keys(Keys.ESCAPE)
        page.wait_until("the words are gone", lambda: not page.one("#ask-sql").get_attribute("aria-activedescendant"))
        page.keys("nd")
        self.ask()
        page.wait_for(".grid .rows .row")
        page.wait_for_fragment(**{"ask.sql": "SELECT s.begin_ns, s.kind FROM segment s"})

    def test_an_endless_question_is_ended(self):
        page = self.serve(browser.shop(), fragment="view=ask")
        page.wait_for(".library [data-question]")
        self.write(ENDLESS)
        self.ask()
        page.wait_for("#ask-cancel")
        page.keys(Keys.ESCAPE)
        page.wait_for_text("#ask-error", "Ended before it was answered")
        # … on the server, too: it answers the next ones at once, however many were ended.
        for _ in range(5):
            self.ask()
            page.wait_for("#ask-cancel")
            page.keys(Keys.ESCAPE)
            page.wait_for_text("#ask-error", "Ended before it was answered")
        self.write("SELECT 42 AS answer")
        self.ask()
        page.wait_until("the answer", lambda: self.rows() == [["42"]])

    def test_an_error_says_where_it_is(self):
        page = self.serve(browser.shop(), fragment=asking("SELECT id,\n  nobody\nFROM thread"))
        page.wait_for_text("#ask-error", "Line 2, column 3: no such column: nobody")
        self.assertEqual(page.run("const area = document.querySelector('#ask-sql'); return area.value.slice(area.selectionStart, area.selectionEnd)"), "nobody")

    def test_saved_questions_are_asked_and_their_numbers_changed(self):
        page = self.serve(browser.shop(), fragment="view=ask")
        page.click("[data-question='longest-waits']")
        self.wait_for_rows(20)
        page.wait_for(".bars, .plot")
        field = page.all(".values input")[-1]
        field.click()
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("3", Keys.ENTER)
        self.wait_for_rows(3)
        self.assertIn("LIMIT 3", page.fragment()["ask.sql"])

    def test_questions_follow_the_selection(self):
        page = self.serve(browser.shop(), fragment="view=ask")
        page.click("[data-question='waits-of-thread']")
        page.wait_for_text("#ask-error", "about what is selected: :thread")
        threads = {row["name"]: row["id"] for row in query_json(browser.shop(), "SELECT id, name FROM thread")}
        page.open(page.driver.current_url.partition("#")[2] + f"&sel=thread:{threads['web']}")
        page.click("[data-question='waits-of-thread']")
        page.wait_for(".grid .rows .row")
        page.wait_for_text(".values", str(threads["web"]))

    def test_a_hundred_thousand_rows_are_quick(self):
        page = self.serve(browser.shop(), fragment=asking(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i, i * 7919 % 100003 AS n, 'thread ' || i AS name FROM n"))
        self.wait_for_rows(100_000)
        page.wait_for_text(".answered .note", "more rows than are shown")
        self.assertLess(page.run("return document.querySelectorAll('.grid .rows .row').length"), 200)
        page.run("document.querySelector('.grid').scrollTop = 1e9")
        page.wait_until("the last row", lambda: self.rows()[-1][0] == "100,000")
        page.run("document.querySelectorAll('.grid .heads button')[1].click()")
        page.wait_until("the largest first", lambda: self.rows()[0][1] == "100,002")

    def test_names_never_become_markup(self):
        page = self.serve(browser.hostile_shop(), fragment=asking("SELECT name, run_ns FROM thread WHERE tid > 0 ORDER BY run_ns DESC"))
        page.wait_for(".bars")
        names = [row[0] for row in self.rows()]
        self.assertIn("<img src=x>", names)
        self.assertEqual(page.all(".ask img, .ask b > script, .ask svg[onload]"), [])
        page.open(asking("SELECT '<img src=x onerror=alert(1)>' AS \"<b>title\", '\"><script>alert(1)</script>' AS x FROM thread LIMIT 2"))
        page.wait_for(".grid .rows .row")
        self.assertIn("<b>title", page.text(".grid .heads"))
        self.assertEqual(page.all(".ask img"), [])

    def test_csv_is_that_of_the_command_line(self):
        sql = "SELECT name, tid, run_ns, 'a,b' AS x, 'say \"hi\"' AS y, 0.1 + 0.2 AS z, NULL AS empty FROM thread WHERE tid > 0 ORDER BY id"
        page = self.serve(browser.shop(), fragment=asking(sql))
        page.wait_for(".grid .rows .row")
        page.run("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
        page.click(".answered .told button")
        copied = page.wait_until("it is copied", lambda: page.run("return window.copied"))
        expected = subprocess.run([browser.GORDIAN, "query", browser.shop(), sql, "--csv"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        self.assertEqual(copied, expected)

    def test_two_recordings_are_asked_at_once(self):
        page = self.serve(browser.shop(), browser.hostile_shop(), fragment=asking("SELECT (SELECT count(*) FROM segment) - (SELECT count(*) FROM b.segment) AS difference", compared=1))
        page.wait_until("the difference", lambda: self.rows() == [["0"]])

    def test_it_fits_a_phone(self):
        page = self.serve(browser.shop(), fragment=asking(THREADS))
        page.wait_for(".grid .rows .row")
        page.resize(400, 800)
        self.assertFalse(page.scrolls_sideways())
        page.use_scheme("dark")
        self.picture("ask-phone-dark")


if __name__ == "__main__":
    browser.main()
