# SPDX-License-Identifier: Apache-2.0
"""Recordings of Gordian in Python: as tables of SQL, and as NumPy arrays.

    import gordian

    con = gordian.connect("trace")                # a sqlite3.Connection
    con.execute("SELECT name, wait_ns FROM thread ORDER BY wait_ns DESC LIMIT 10").fetchall()

    recording = gordian.open("trace")
    s = recording.segments                        # columns: s.thread, s.begin_ns, s.end_ns, s.kind, ...
    waits = s.kind == s.code("kind", "wait")
    (s.end_ns - s.begin_ns)[waits].sum()

print(gordian.schema()) tells all tables and what their columns mean. All times are nanoseconds since
the recording's start. Every failure of Gordian is a gordian.Error with a line that says why.
"""

from ._connection import Connection, connect
from ._library import Error, QueryError, __version__, schema
from ._recording import NONE, Recording, open
from ._table import Table

__all__ = ["NONE", "Connection", "Error", "QueryError", "Recording", "Table", "__version__", "connect", "open", "schema"]
