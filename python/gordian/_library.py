# SPDX-License-Identifier: Apache-2.0
"""The shared library, and how it is called. Its functions are those of python/c_interface.h."""

import ctypes
import os
import signal
import sqlite3
import threading

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gordian_sqlite.so")

_LONGEST_LINE = 4096


class Error(Exception):
    """What went wrong, in a line."""


class QueryError(Error, sqlite3.OperationalError):
    """A query that a limit ended, or that would change something."""


class ArrayView(ctypes.Structure):
    """struct gordian_array"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("values", ctypes.c_void_p),
        ("rows", ctypes.c_uint64),
        ("value_bytes", ctypes.c_uint32),
        ("value_kind", ctypes.c_char),
        ("is_text", ctypes.c_char),
        ("words", ctypes.c_void_p),
        ("word_ends", ctypes.POINTER(ctypes.c_uint64)),
        ("word_count", ctypes.c_uint64),
    ]


_Stop = ctypes.CFUNCTYPE(ctypes.c_int)
_Line = [ctypes.c_char_p, ctypes.c_size_t]


def _load():
    try:
        library = ctypes.CDLL(PATH)
    except OSError as failure:
        raise ImportError(f"gordian's library cannot be loaded: {failure}") from None
    number, text = ctypes.c_int64, ctypes.c_char_p
    library.gordian_open_recording.argtypes = [text, ctypes.POINTER(text), ctypes.POINTER(number), _Stop, *_Line]
    library.gordian_open_recording.restype = ctypes.c_int32
    library.gordian_close_recording.argtypes = [number]
    library.gordian_close_recording.restype = None
    library.gordian_make_arrays.argtypes = [number, text, _Stop, *_Line]
    library.gordian_make_arrays.restype = ctypes.c_int32
    library.gordian_array_of.argtypes = [number, text, ctypes.c_int32, ctypes.POINTER(ArrayView), *_Line]
    library.gordian_array_of.restype = ctypes.c_int32
    library.gordian_analyze_recording.argtypes = [number, _Stop, *_Line]
    library.gordian_analyze_recording.restype = ctypes.c_int32
    library.gordian_schema.restype = text
    library.gordian_version.restype = text
    return library


LIBRARY = _load()
__version__ = LIBRARY.gordian_version().decode()


def schema():
    """All tables: what each is, its columns with a line each, and an example in SQL."""
    return LIBRARY.gordian_schema().decode()


def call(function, *arguments, failed):
    """The function's value; its failure is an Error."""
    line = ctypes.create_string_buffer(_LONGEST_LINE)
    value = function(*arguments, line, len(line))
    if value == failed:
        raise Error(line.value.decode(errors="replace"))
    return value


def call_long(function, *arguments, failed):
    """The same of a function that may take long: Ctrl-C ends it.

    The library asks for that now and then. An exception cannot pass through it, so the handler that
    was there is called afterwards. Python runs handlers in the main thread only.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        return call(function, *arguments, _Stop(), failed=failed)
    asked = []
    signal.signal(signal.SIGINT, lambda *what: asked.append(what))
    try:
        return call(function, *arguments, _Stop(lambda: len(asked)), failed=failed)
    except Error:
        if not asked:
            raise
    finally:
        signal.signal(signal.SIGINT, handler)
        if asked:
            handler(*asked[0])
    raise KeyboardInterrupt
