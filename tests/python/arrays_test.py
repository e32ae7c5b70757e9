# SPDX-License-Identifier: Apache-2.0
"""Arrays hold what SQL tells, and live as long as anybody needs them."""

import gc
import math
import os
import re
import threading
import unittest
import weakref

import recordings
from recordings import MANY_EVENTS, SCENARIOS, RecordingTest, numpy

import gordian

# Functions among them have no arrays.
SCHEMA = re.findall(r"(?m)^(\w+)$", gordian.schema())


def tables_of(recording):
    """The names of all tables with arrays, as an error tells them."""
    try:
        recording.table("")
    except gordian.Error as failure:
        return str(failure).split(" are ")[1].split(", ")
    return []


def plain(table, row):
    """A row of arrays as SQL has it."""
    values = []
    for column, array in table.items():
        value = array[row].item()
        if column in table.words:
            values.append(None if value == -1 else table.words[column][value])
        elif isinstance(value, float):
            values.append(None if math.isnan(value) else value)
        else:
            values.append(None if value == -1 else value)
    return tuple(values)


def same(one, other):
    return list(one) == list(other) and all(numpy.array_equal(one[name], other[name]) for name in one)


def maps_of_store(array, store):
    """Whether the array's memory is mapped from a file of the store."""
    at = array.__array_interface__["data"][0]
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            begin, end = (int(number, 16) for number in line.split()[0].split("-"))
            if begin <= at < end:
                return store in line
    return False


@unittest.skipIf(numpy is None, recordings.WITHOUT_NUMPY)
class Arrays(RecordingTest):
    def test_hold_what_each_table_of_sql_holds(self):
        for scenario in SCENARIOS:
            self.compare_with_sql(self.scenario(scenario))

    def test_hold_messages_between_nodes(self):
        folder = self.cluster()
        self.compare_with_sql(folder)
        edges = gordian.open(folder).edges
        messages = edges.kind == edges.code("kind", "message")
        self.assertGreater(messages.sum(), 0)
        self.assertTrue((edges.network_hop[messages] == 1).all())
        self.assertTrue((edges.from_ns[messages] < edges.to_ns[messages]).any())

    def compare_with_sql(self, folder):
        with gordian.open(folder) as recording:
            connection = recording.connect()
            tables = tables_of(recording)
            self.assertGreaterEqual(set(SCHEMA), {"thread", "segment", "edge", *tables})
            self.assertNotIn("wait_graph", tables)
            for name in tables:
                rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
                table = recording.table(name)
                self.assertEqual([plain(table, row) for row in range(table.rows)], rows, f"{folder} {name}")
                columns = connection.execute(f'SELECT * FROM "{name}" LIMIT 0').description
                self.assertEqual([column[0] for column in columns], list(table))

    def test_tell_what_a_thread_did(self):
        recording = gordian.open(self.scenario("figure1"))
        threads, segments = recording.threads, recording.segments
        a = threads.text("name").tolist().index("A")
        mine = (segments.thread == a) & (segments.end_ns > segments.begin_ns)
        waits = mine & (segments.kind == segments.code("kind", "wait"))
        self.assertEqual(segments.begin_ns[mine].tolist(), [0, 2, 10, 12])
        self.assertEqual((segments.end_ns - segments.begin_ns)[waits].sum(), 16)
        self.assertEqual(set(threads.text("name")[segments.waker[waits]]), {"B"})
        self.assertEqual(segments.cpu[waits].tolist(), [gordian.NONE] * 2)
        self.assertFalse((segments.kind == segments.code("kind", "no such word")).any())
        self.assertIsNone(segments.text("cause")[~waits & mine].tolist()[0])

    def test_agree_with_sums_of_sql(self):
        recording = gordian.open(self.generated())
        segments, edges = recording.segments, recording.edges
        connection = recording.connect()
        spans_ns = segments.end_ns - segments.begin_ns
        by_kind = {
            kind: int(spans_ns[segments.kind == number].sum()) for number, kind in enumerate(segments.words["kind"])
        }
        self.assertEqual(by_kind, dict(connection.execute("SELECT kind, sum(end_ns - begin_ns) FROM segment GROUP BY 1")))
        pairs = connection.execute("SELECT from_thread, count(*) FROM edge GROUP BY 1 ORDER BY 1").fetchall()
        self.assertEqual(list(enumerate(numpy.bincount(edges.from_thread)))[: len(pairs)], pairs)

    def test_cannot_be_written(self):
        segments = gordian.open(self.scenario()).segments
        with self.assertRaises(ValueError):
            segments.begin_ns[0] = 1
        with self.assertRaises(ValueError):
            segments.begin_ns.setflags(write=True)

    def test_outlive_their_recording(self):
        recording = gordian.open(self.generated())
        begin_ns = recording.segments.begin_ns
        part, total = begin_ns[1000:2000], int(begin_ns.sum())
        kept = part.tolist()
        handle = weakref.ref(recording._handle)
        recording.close()
        del recording
        gc.collect()
        self.assertEqual(int(begin_ns.sum()), total)
        del begin_ns
        gc.collect()
        self.assertIsNotNone(handle())
        self.assertEqual(part.tolist(), kept)
        del part
        gc.collect()
        self.assertIsNone(handle())

    def test_of_a_closed_recording_are_refused(self):
        recording = gordian.open(self.scenario())
        recording.close()
        recording.close()
        with self.assertRaisesRegex(gordian.Error, "the recording is closed"):
            recording.segments
        with self.assertRaisesRegex(gordian.Error, "the recording is closed"):
            recording.connect()

    def test_of_no_table_are_refused_with_the_names_of_all(self):
        recording = gordian.open(self.scenario())
        for name in ("nonsense", "wait_graph", ""):
            with self.assertRaisesRegex(gordian.Error, "there is no table .*thread, segment, .*edge"):
                recording.table(name)
        with self.assertRaisesRegex(AttributeError, "there is no column nonsense; there are thread, begin_ns"):
            recording.segments.nonsense
        with self.assertRaisesRegex(gordian.Error, "begin_ns is no column of texts"):
            recording.segments.text("begin_ns")

    def test_are_made_once_for_many_threads(self):
        recording = gordian.open(self.generated())
        seen, failed = [], []

        def ask():
            try:
                seen.append(recording.segments.begin_ns.__array_interface__["data"][0])
                self.assertGreater(recording.connect().execute("SELECT count(*) FROM edge").fetchone()[0], 0)
            except Exception as failure:  # told below: a thread's own is only printed
                failed.append(failure)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(len(set(seen)), 1)


@unittest.skipIf(numpy is None, recordings.WITHOUT_NUMPY)
class KeptArrays(RecordingTest):
    def setUp(self):
        super().setUp()
        self.recording = self.generated(MANY_EVENTS)

    def tables(self):
        with gordian.open(self.recording) as recording:
            return recording.segments, recording.edges

    def test_are_mapped_from_the_store_when_opened_again(self):
        first = self.tables()
        files = self.kept_files()
        again = self.tables()
        for one, other in zip(first, again):
            self.assertTrue(same(one, other))
            self.assertTrue(all(maps_of_store(array, os.environ["GORDIAN_STORE"]) for array in other.values()))
            self.assertEqual(one.words, other.words)
        self.assertEqual(self.kept_files(), files)

    def test_are_the_same_without_a_store(self):
        kept = self.tables()
        os.environ["GORDIAN_STORE"] = ""
        for one, other in zip(kept, self.tables()):
            self.assertTrue(same(one, other))
            self.assertFalse(maps_of_store(other.begin_ns if "begin_ns" in other else other.to_ns, self.folder))

    def test_that_are_damaged_are_made_anew(self):
        kept = [{name: array.copy() for name, array in table.items()} for table in self.tables()]
        for path in self.kept_files():
            with open(path, "r+b") as file:
                file.seek(os.path.getsize(path) // 2)
                file.write(b"damage" * 100)
        for one, other in zip(kept, self.tables()):
            self.assertTrue(same(one, other))

    def test_of_a_changed_recording_are_not_believed(self):
        before = self.tables()[0].rows
        streams = sorted(name for name in os.listdir(self.recording) if name.endswith(".trace"))
        path = os.path.join(self.recording, streams[0])
        os.truncate(path, os.path.getsize(path) // 2)
        self.assertNotEqual(self.tables()[0].rows, before)

    def test_of_many_nodes_are_mapped_too(self):
        self.recording = self.cluster(MANY_EVENTS)
        for one, other in zip(self.tables(), self.tables()):
            self.assertTrue(same(one, other))
            self.assertTrue(all(maps_of_store(array, os.environ["GORDIAN_STORE"]) for array in other.values()))

    def test_outlive_the_folder_while_sql_says_what_is_missing(self):
        self.tables()
        recording = gordian.open(self.recording)
        os.rename(self.recording, self.recording + ".gone")
        self.assertGreater(recording.segments.end_ns.max(), 0)
        with self.assertRaisesRegex(gordian.Error, "does not exist"):
            recording.connect()


if __name__ == "__main__":
    unittest.main()
