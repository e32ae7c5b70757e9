# SPDX-License-Identifier: Apache-2.0
"""The extension in programs of others: here sqlite3 without the module gordian's help."""

import os
import sqlite3
import subprocess
import unittest

from recordings import RecordingTest


class Extension(RecordingTest):
    def connect(self, database=":memory:"):
        connection = sqlite3.connect(database)
        connection.enable_load_extension(True)
        connection.load_extension(os.environ["GORDIAN_EXTENSION"])
        self.addCleanup(connection.close)
        return connection

    def test_makes_tables_that_join_with_ones_own(self):
        file = os.path.join(self.folder, "own.db")
        connection = self.connect(file)
        connection.execute("CREATE TABLE owner(name, team)")
        connection.execute("INSERT INTO owner VALUES ('A', 'storage')")
        connection.commit()
        tables = connection.execute("SELECT gordian_open(?)", (self.scenario(),)).fetchone()[0]
        self.assertGreater(tables, 10)
        joined = connection.execute("SELECT team, wait_ns FROM thread JOIN owner USING (name)").fetchall()
        self.assertEqual(joined, [("storage", 16)])
        connection.close()
        with sqlite3.connect(file) as plain:
            self.assertEqual(plain.execute("SELECT name FROM sqlite_schema").fetchall(), [("owner",)])

    def test_makes_a_schema_for_each_recording(self):
        connection = self.connect()
        connection.execute("SELECT gordian_open(?, 'before')", (self.scenario("figure1"),))
        connection.execute("SELECT gordian_open(?, 'we\"ird')", (self.scenario("chain"),))
        self.assertGreater(connection.execute("SELECT count(*) FROM before.segment").fetchone()[0], 0)
        self.assertGreater(connection.execute('SELECT count(*) FROM "we""ird".segment').fetchone()[0], 0)

    def test_calls_no_sqlite_but_that_of_its_host(self):
        names = subprocess.run(
            ["nm", "-D", "--undefined-only", os.environ["GORDIAN_EXTENSION"]], check=True, capture_output=True, text=True
        ).stdout
        self.assertIn("malloc", names)
        self.assertNotIn("sqlite3_", names)

    def test_leaves_files_alone(self):
        connection = self.connect(os.path.join(self.folder, "own.db"))
        with self.assertRaisesRegex(sqlite3.OperationalError, "the schema main is a file"):
            connection.execute("SELECT gordian_open(?, 'main')", (self.scenario(),)).fetchall()

    def test_says_in_a_line_what_is_wrong(self):
        connection = self.connect()
        folder = self.scenario()
        for arguments, reason in (
            (("/no/where",), "does not exist"),
            ((12345,), "no recording of this number is open"),
            ((-1,), "no recording of this number is open"),
            ((None,), "needs a recording's folder"),
            ((folder, None), "needs a schema's name"),
        ):
            places = ", ".join("?" * len(arguments))
            with self.assertRaisesRegex(sqlite3.OperationalError, reason):
                connection.execute(f"SELECT gordian_open({places})", arguments).fetchall()
        connection.execute("SELECT gordian_open(?)", (folder,)).fetchall()
        with self.assertRaisesRegex(sqlite3.OperationalError, "already exists"):
            connection.execute("SELECT gordian_open(?)", (folder,)).fetchall()
        self.assertGreater(connection.execute("SELECT count(*) FROM segment").fetchone()[0], 0)

    def test_is_not_called_by_a_database_file(self):
        file = os.path.join(self.folder, "foreign.db")
        with sqlite3.connect(file) as foreign:
            foreign.execute(f"CREATE VIEW trap AS SELECT gordian_open('{self.scenario()}')")
        with self.assertRaisesRegex(sqlite3.OperationalError, "unsafe use of gordian_open"):
            self.connect(file).execute("SELECT * FROM trap").fetchall()

    def test_loads_again_after_its_last_connection(self):
        folder = self.scenario()
        for _ in range(5):
            connection = self.connect()
            connection.execute("SELECT gordian_open(?)", (folder,)).fetchall()
            cursor = connection.execute("SELECT * FROM segment")
            self.assertIsNotNone(cursor.fetchone())
            connection.close()  # in the middle of a question

    def test_survives_that_its_tables_and_functions_are_replaced(self):
        connection = self.connect()
        folder = self.scenario()
        connection.execute("SELECT gordian_open(?)", (folder,)).fetchall()
        connection.create_function("gordian_open", 1, lambda _: "mine")
        self.assertEqual(connection.execute("SELECT gordian_open('x')").fetchone(), ("mine",))
        connection.execute("DROP TABLE temp.edge")
        self.assertGreater(connection.execute("SELECT count(*) FROM segment").fetchone()[0], 0)
        connection.load_extension(os.environ["GORDIAN_EXTENSION"])
        connection.execute("SELECT gordian_open(?, 'again')", (folder,)).fetchall()
        counts = "SELECT (SELECT count(*) FROM temp.segment) = (SELECT count(*) FROM again.segment)"
        self.assertEqual(connection.execute(counts).fetchone(), (1,))


if __name__ == "__main__":
    unittest.main()
