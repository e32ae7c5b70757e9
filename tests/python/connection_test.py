# SPDX-License-Identifier: Apache-2.0
"""SQL by sqlite3, within limits, and what fails."""

import os
import queue
import random
import signal
import sqlite3
import threading
import time
import unittest
import unittest.mock

from recordings import RecordingTest

import gordian
from gordian import _library

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
ENDLESS_ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT max(i) FROM n"


class Connections(RecordingTest):
    def test_are_those_of_the_standard_module(self):
        connection = gordian.connect(self.scenario())
        self.assertIsInstance(connection, sqlite3.Connection)
        rows = connection.execute("SELECT name FROM thread WHERE name = ?", ("A",)).fetchall()
        self.assertEqual(rows, [("A",)])
        self.assertEqual([row[0] for row in connection.execute("SELECT kind FROM disk_request LIMIT 1")], ["issue"])
        connection.row_factory = sqlite3.Row
        self.assertEqual(connection.execute("SELECT 1 AS one").fetchone()["one"], 1)
        with connection:
            connection.execute("SELECT count(*) FROM wait_graph(0, 20)")
        connection.close()

    def test_ask_two_recordings_at_once(self):
        connection = gordian.connect(self.scenario("figure1"), self.scenario("chain"))
        counts = connection.execute("SELECT (SELECT count(*) FROM thread), (SELECT count(*) FROM b.thread)").fetchone()
        alone = [
            gordian.connect(os.path.join(self.folder, name)).execute("SELECT count(*) FROM thread").fetchone()[0]
            for name in ("figure1", "chain")
        ]
        self.assertEqual(list(counts), alone)

    def test_outlive_their_recording(self):
        recording = gordian.open(self.scenario())
        connection = recording.connect()
        cursor = connection.execute("SELECT name FROM thread")
        recording.close()
        del recording
        self.assertIsNotNone(cursor.fetchone())
        connection.close()
        with self.assertRaises(sqlite3.ProgrammingError):
            cursor.fetchone()

    def test_refuse_all_but_questions(self):
        connection = gordian.connect(self.scenario())
        for sql in (
            "CREATE TABLE x(a)", "DROP TABLE thread", "DELETE FROM segment", "UPDATE thread SET name = 'x'",
            "ATTACH '/tmp/x' AS c", "PRAGMA table_list", "SELECT load_extension('x')", "VACUUM INTO '/tmp/x'", "BEGIN",
            "SELECT gordian_open('/')", "SELECT GORDIAN_MEMORY_LIMIT(0)",
        ):
            with self.assertRaisesRegex(gordian.QueryError, "only questions are answered", msg=sql):
                connection.execute(sql).fetchall()
        self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_may_have_tables_of_ones_own(self):
        connection = gordian.connect(self.scenario(), changes=True)
        connection.execute("CREATE TABLE mine AS SELECT id, name FROM thread")
        connection.executemany("INSERT INTO mine VALUES (?, ?)", [(100, "x"), (101, "y")])
        self.assertEqual(connection.execute("SELECT count(*) FROM mine WHERE id >= 100").fetchone(), (2,))

    def test_end_queries_that_take_too_long(self):
        connection = gordian.connect(self.scenario(), timeout_s=0.05)
        for ask in (
            lambda: connection.execute(ENDLESS).fetchall(),
            lambda: connection.cursor().execute(ENDLESS).fetchone(),
            lambda: list(connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n")),
        ):
            with self.assertRaisesRegex(gordian.QueryError, "took longer than 0.05 s; timeout_s allows more"):
                ask()
        time.sleep(0.06)
        self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_end_queries_that_need_too_much_memory(self):
        connection = gordian.connect(self.scenario(), memory_bytes=8 << 20)
        with self.assertRaisesRegex(gordian.QueryError, "more memory than 8388608 bytes"):
            connection.execute(ENDLESS_ROWS).fetchall()
        with self.assertRaises(sqlite3.Error):
            connection.execute("SELECT zeroblob(1000000000)").fetchall()
        self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_share_the_last_limit_on_memory(self):
        first = gordian.connect(self.scenario(), memory_bytes=8 << 20)
        large = "SELECT length(hex(zeroblob(10000000)))"
        with self.assertRaises(gordian.QueryError):
            first.execute(large).fetchall()
        gordian.connect(self.scenario("chain"), memory_bytes=None)
        self.assertEqual(first.execute(large).fetchone(), (20_000_000,))

    def end_when_begun(self, connection, end):
        """Calls `end` from another thread once SQLite calls begun(1). That runs no line of Python, so a
        signal is not handled before Python is asked whether to go on."""
        begun = queue.SimpleQueue()
        connection.create_function("begun", 1, begun.put)
        ending = threading.Thread(target=lambda: (begun.get(), end()))
        ending.start()
        self.addCleanup(ending.join)

    def test_end_at_ctrl_c(self):
        connection = gordian.connect(self.scenario())
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n "
        for query in ("WHERE i < 0 OR (i = 1 AND begun(1))", "WHERE i <= 2 OR (i = 3 AND begun(1))"):
            self.end_when_begun(connection, lambda: os.kill(os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                connection.execute(endless + query).fetchall()
        self.end_when_begun(connection, connection.interrupt)
        with self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
            connection.execute(endless + "WHERE i = 1 AND begun(1)").fetchall()
        self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_survive_huge_questions(self):
        connection = gordian.connect(self.scenario())
        for sql in ("SELECT " + "1+" * 100_000 + "1", "SELECT " + "(" * 100_000, "SELECT 1;" * 1000, "SELECT '" + "x" * (65 << 20) + "'", "\0"):
            with self.assertRaises((sqlite3.Error, sqlite3.Warning, ValueError, gordian.Error)):
                connection.execute(sql).fetchall()
        self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_tell_what_is_wrong_with_a_question(self):
        with self.assertRaisesRegex(sqlite3.OperationalError, "no such column: nonsense"):
            gordian.connect(self.scenario()).execute("SELECT nonsense FROM thread")

    def test_are_of_one_thread_unless_said(self):
        self.assertEqual(gordian.connect(self.scenario(), check_same_thread=False).execute("SELECT 1").fetchone(), (1,))


class Recordings(RecordingTest):
    def test_that_are_none_are_told_in_a_line(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        file = os.path.join(self.folder, "file")
        with open(file, "w", encoding="utf-8") as made:
            made.write("no recording")
        for folder, reason in ((empty, "holds no session"), (file, "is not a folder"), (self.folder + "/no", "does not exist")):
            for ask in (gordian.open, gordian.connect):
                with self.assertRaisesRegex(gordian.Error, reason) as raised:
                    ask(folder)
                self.assertNotIn("\n", str(raised.exception))
        with self.assertRaisesRegex(gordian.Error, "no zeros"):
            gordian.open("a\0b")
        with self.assertRaises(TypeError):
            gordian.open(None)

    def test_that_are_damaged_answer_or_say_why(self):
        generator = random.Random(7)
        answered = 0
        for attempt in range(30):
            folder = self.scenario("chain", f"damaged-{attempt}")
            for _ in range(generator.randrange(1, 4)):
                path = os.path.join(folder, generator.choice(sorted(os.listdir(folder))))
                size = os.path.getsize(path)
                if size == 0 or generator.random() < 0.3:
                    os.truncate(path, generator.randrange(size + 1))
                    continue
                with open(path, "r+b") as file:
                    file.seek(generator.randrange(size))
                    file.write(generator.randbytes(8))
            try:
                rows = gordian.connect(folder).execute("SELECT count(*) FROM segment").fetchone()
                answered += rows[0] >= 0
            except gordian.Error as failure:
                self.assertNotEqual(str(failure), "")
                self.assertNotIn("\n", str(failure))
        self.assertGreater(answered, 0)

    def test_whose_folder_is_gone_go_on(self):
        folder = self.scenario()
        recording = gordian.open(folder)
        os.rename(folder, folder + ".gone")
        connection = recording.connect()
        self.assertGreater(connection.execute("SELECT count(*) FROM segment").fetchone()[0], 0)

    def test_take_the_options_of_an_analysis(self):
        folder = self.scenario()
        gordian.open(folder, comms=["A"], threads=1, memory_bytes=64 << 20)
        with self.assertRaisesRegex(gordian.Error, "pid cannot be '-1'"):
            gordian.open(folder, pids=[-1])
        with self.assertRaisesRegex(gordian.Error, "memory cannot be 'lots'"):
            gordian.open(folder, memory_bytes="lots")
        with self.assertRaisesRegex(TypeError, "comms is a list"):
            gordian.open(folder, comms="A")
        with self.assertRaises(gordian.Error):
            gordian.open(folder, comms=["no such thread"])

    def test_stop_being_opened_at_ctrl_c(self):
        def endless(stop, line, line_bytes):
            os.kill(os.getpid(), signal.SIGINT)
            while not stop():
                pass
            return -1

        def done_meanwhile(stop, line, line_bytes):
            os.kill(os.getpid(), signal.SIGINT)
            while not stop():
                pass
            return 0

        before = signal.getsignal(signal.SIGINT)
        for work in (endless, done_meanwhile):
            with self.assertRaises(KeyboardInterrupt):
                _library.call_long(work, failed=-1)
            self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_are_closed_if_ctrl_c_comes_as_they_open(self):
        opened = []

        def interrupted(path, options, number, stop, line, line_bytes):
            code = self.open_recording(path, options, number, stop, line, line_bytes)
            opened.append(number._obj.value)
            os.kill(os.getpid(), signal.SIGINT)
            return code

        self.open_recording = _library.LIBRARY.gordian_open_recording
        folder = self.scenario()
        with unittest.mock.patch.object(_library.LIBRARY, "gordian_open_recording", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                gordian.open(folder)
        with self.assertRaisesRegex(gordian.Error, "the recording is closed"):
            _library.call_long(_library.LIBRARY.gordian_analyze_recording, opened[0], failed=-1)


if __name__ == "__main__":
    unittest.main()
