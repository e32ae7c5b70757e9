# SPDX-License-Identifier: Apache-2.0
"""Open recordings."""

import ctypes
import os
import weakref

from ._library import LIBRARY, Error, call_long
from ._table import read_table

#: What a column of whole numbers holds where SQL has null: no waker, no CPU.
NONE = -1


def _close(number):
    if number.value > 0:
        LIBRARY.gordian_close_recording(number)


class _Handle:
    """A recording in the library, until nothing needs it any more: neither its Recording nor an
    array. It is closed even if Ctrl-C comes just as it is open."""

    def __init__(self, path, options):
        number = ctypes.c_int64(0)
        weakref.finalize(self, _close, number).atexit = False
        call_long(LIBRARY.gordian_open_recording, path, options, ctypes.byref(number), failed=-1)
        self.number = number.value


def _options(pids, comms, cgroups, nodes, memory_bytes, threads):
    pairs = [("memory", memory_bytes), ("threads", threads)]
    for name, values in (("pid", pids), ("comm", comms), ("cgroup", cgroups), ("node", nodes)):
        if isinstance(values, str):
            raise TypeError(f"{name}s is a list")
        pairs += [(name, value) for value in values]
    texts = [os.fsencode(str(text)) for pair in pairs for text in pair]
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


class Recording:
    """A recording, or those of many nodes in one folder.

    pids, comms, cgroups and nodes name what the analysis is about, as for gordian analyze; they make
    no difference to arrays of threads, segments and edges. memory_bytes and threads are what it may
    take.
    """

    def __init__(self, folder, *, pids=(), comms=(), cgroups=(), nodes=(), memory_bytes=1 << 30, threads=0):
        self.folder = os.fspath(folder)
        path = os.fsencode(self.folder)
        if b"\0" in path:
            raise Error("a folder's name has no zeros")
        options = _options(pids, comms, cgroups, nodes, memory_bytes, threads)
        self._tables = {}
        self._handle = _Handle(path, options)

    def table(self, name):
        """A table of SQL as arrays. Segments and edges are mapped from the files in which earlier
        openings kept them, if the recording is large; all else is made when it is first asked for."""
        if name not in self._tables:
            self._tables[name] = read_table(self._open_handle(), name)
        return self._tables[name]

    @property
    def segments(self):
        """What each thread did at every moment."""
        return self.table("segment")

    @property
    def edges(self):
        """What let a thread go on."""
        return self.table("edge")

    @property
    def threads(self):
        """Threads, disks, interfaces and all else that is waited for, by id."""
        return self.table("thread")

    def connect(self, second=None, **limits):
        """See gordian.connect."""
        from ._connection import connect

        return connect(self, second, **limits)

    def close(self):
        """Arrays and connections that are in use go on; their memory is freed behind them."""
        self._handle = None
        self._tables = {}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        return f"<gordian.Recording of {self.folder!r}{'' if self._handle else ', closed'}>"

    def _open_handle(self):
        if self._handle is None:
            raise Error("the recording is closed")
        return self._handle


def open(folder, **options):
    """The same as Recording(folder, …)."""
    return Recording(folder, **options)
