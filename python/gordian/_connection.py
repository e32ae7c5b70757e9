# SPDX-License-Identifier: Apache-2.0
"""SQL over recordings, by the standard module sqlite3."""

import os
import sqlite3
import time

from ._library import LIBRARY, PATH, Error, QueryError, call_long
from ._recording import Recording

_SCHEMAS = ("main", "b")
_ONLY_QUESTIONS = (
    "only questions are answered: a query begins with SELECT or WITH, and changes nothing; "
    "connect(..., changes=True) allows tables of your own"
)
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_KEPT_FUNCTIONS = {"load_extension", "gordian_open", "gordian_memory_limit"}
_STEPS_BETWEEN_LOOKS = 10_000  # about a millisecond
_MOST_TEXT_BYTES = 64 << 20  # as of gordian query


def _authorize(action, _, name, *_others):
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and str(name).lower() not in _KEPT_FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


class _Cursor(sqlite3.Cursor):
    """Begins the time of each query, and tells what a limit ended."""

    def execute(self, *arguments):
        self.connection._begin_query()
        try:
            return super().execute(*arguments)
        except (sqlite3.Error, MemoryError) as failure:
            raise self.connection._told(failure) from None

    def executemany(self, *arguments):
        self.connection._begin_query()
        return super().executemany(*arguments)

    def executescript(self, *arguments):
        self.connection._begin_query()
        return super().executescript(*arguments)

    def fetchone(self):
        try:
            return super().fetchone()
        except (sqlite3.Error, MemoryError) as failure:
            raise self.connection._told(failure) from None

    def fetchmany(self, *arguments, **named):
        try:
            return super().fetchmany(*arguments, **named)
        except (sqlite3.Error, MemoryError) as failure:
            raise self.connection._told(failure) from None

    def fetchall(self):
        try:
            return super().fetchall()
        except (sqlite3.Error, MemoryError) as failure:
            raise self.connection._told(failure) from None

    def __next__(self):
        try:
            return super().__next__()
        except (sqlite3.Error, MemoryError) as failure:
            raise self.connection._told(failure) from None


class Connection(sqlite3.Connection):
    """A connection of the standard module with the tables of recordings. See gordian.connect."""

    _timeout_s = None
    _memory_bytes = None
    _deadline_s = float("inf")
    _is_late = False
    _looks_at_clock = False
    _is_told_to_end = False

    def cursor(self, factory=_Cursor):
        return super().cursor(factory)

    # The module's own would make its own cursor.
    def execute(self, *arguments):
        return self.cursor().execute(*arguments)

    def interrupt(self):
        self._is_told_to_end = True
        super().interrupt()

    def set_progress_handler(self, *arguments):
        self._looks_at_clock = False
        super().set_progress_handler(*arguments)

    def _begin_query(self):
        self._is_late = self._is_told_to_end = False
        if self._timeout_s is not None:
            self._deadline_s = time.monotonic() + self._timeout_s

    def _look_at_clock(self):
        self._is_late = time.monotonic() > self._deadline_s
        return self._is_late

    def _told(self, failure):
        if isinstance(failure, MemoryError):
            return QueryError(f"the query needs more memory than {self._memory_bytes} bytes; memory_bytes allows more")
        reason = str(failure)
        if reason == "interrupted" and self._is_late:
            return QueryError(f"the query took longer than {self._timeout_s} s; timeout_s allows more")
        # Ctrl-C: its exception came while Python looked at the clock, and sqlite3 does not pass it on.
        if reason == "interrupted" and self._looks_at_clock and not self._is_told_to_end:
            return KeyboardInterrupt()
        if reason.startswith(("not authorized", "authorization denied")) or reason.endswith("may not be modified"):
            return QueryError(_ONLY_QUESTIONS)
        return failure

    def _load_tables(self, recordings):
        try:
            self.enable_load_extension(True)
            self.load_extension(PATH)
            self.enable_load_extension(False)
        except (AttributeError, sqlite3.Error) as failure:
            raise Error(
                f"this Python's sqlite3 does not load gordian's extension ({failure}); Debian's python3 does"
            ) from None
        for recording, schema in zip(recordings, _SCHEMAS):
            handle = recording._open_handle()
            call_long(LIBRARY.gordian_analyze_recording, handle.number, failed=-1)
            self.execute("SELECT gordian_open(?, ?)", (handle.number, schema)).fetchall()

    def _limit(self, timeout_s, memory_bytes, changes):
        self.execute("PRAGMA temp_store = MEMORY").fetchall()  # sorting writes no files
        self.execute("SELECT gordian_memory_limit(?)", (memory_bytes or 0,)).fetchall()  # 0: none
        if hasattr(self, "setlimit"):  # Python 3.11
            self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_TEXT_BYTES)
        self._timeout_s, self._memory_bytes = timeout_s, memory_bytes
        if timeout_s is not None:
            self.set_progress_handler(self._look_at_clock, _STEPS_BETWEEN_LOOKS)
            self._looks_at_clock = True
        if not changes:
            self.set_authorizer(_authorize)


def connect(recording, second=None, *, timeout_s=60, memory_bytes=1 << 30, changes=False, check_same_thread=True):
    """A sqlite3.Connection with the tables of a recording, and of a second one as the schema b.

    Each is a folder, or what gordian.open gave. A query may take timeout_s, the time between its rows
    included, and SQLite memory_bytes in the whole process; None is no limit. With changes=True it may
    make tables of its own; they are in memory.
    """
    recordings = [
        one if isinstance(one, Recording) else Recording(os.fspath(one)) for one in (recording, second) if one is not None
    ]
    connection = sqlite3.connect(
        ":memory:", factory=Connection, isolation_level=None, check_same_thread=check_same_thread
    )
    try:
        connection._load_tables(recordings)
        connection._limit(timeout_s, memory_bytes, changes)
    except BaseException:
        connection.close()
        raise
    return connection
