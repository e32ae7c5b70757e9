# SPDX-License-Identifier: Apache-2.0
"""Tables as NumPy arrays over the library's own memory."""

import ctypes
import sys

from ._library import LIBRARY, ArrayView, Error, call, call_long

_BYTE_ORDER = "<" if sys.byteorder == "little" else ">"


class _Memory:
    """Memory of the library, as NumPy asks for it. The array that is made of it keeps this, and with
    it the recording."""

    def __init__(self, view, handle):
        self.handle = handle
        type_name = f"{_BYTE_ORDER}{view.value_kind.decode()}{view.value_bytes}"
        self.__array_interface__ = {
            "version": 3,
            "typestr": type_name,
            "shape": (view.rows,),
            "data": (view.values, True),  # read-only
        }


class Table(dict):
    """The columns of a table by name, also as attributes: arrays of one length, read-only.

    A null is -1 (NaN in a column of reals). A text is the number of a word: words["kind"] are all
    words of the column kind, code("kind", "wait") is the number of one, text("kind") are the texts.
    """

    def __init__(self, columns, words, rows):
        super().__init__(columns)
        self.words = words
        self.rows = rows

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column {name}; there are {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __repr__(self):
        return f"<gordian.Table of {self.rows} rows: {', '.join(self)}>"

    def code(self, column, word):
        """The number of a word in that column; one that no row has if the word is not in it."""
        words = self._words_of(column)
        return words.index(word) if word in words else len(words)

    def text(self, column):
        """The column's texts, one for each row; None where it is null."""
        import numpy

        # The last one is that of -1.
        words = numpy.array([*self._words_of(column), None], dtype=object)
        return words[self[column]]

    def _words_of(self, column):
        if column not in self.words:
            raise Error(f"{column} is no column of texts; there are {', '.join(self.words) or 'none'}")
        return self.words[column]


def _words_in(view):
    text = ctypes.string_at(view.words, view.word_ends[view.word_count - 1]) if view.word_count else b""
    ends = view.word_ends[: view.word_count] if view.word_count else []
    return tuple(
        text[begin:end].decode(errors="replace") for begin, end in zip([0, *ends], ends)
    )


def _array_in(view, handle):
    import numpy

    memory = _Memory(view, handle)
    if view.rows == 0:
        return numpy.empty(0, memory.__array_interface__["typestr"])
    return numpy.asarray(memory)


def read_table(handle, name):
    """That table of an open recording."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise Error("arrays need NumPy: install python3-numpy; SQL works without") from None
    table = name.encode()
    count = call_long(LIBRARY.gordian_make_arrays, handle.number, table, failed=-1)
    columns, words, rows = {}, {}, 0
    for column in range(count):
        view = ArrayView()
        call(LIBRARY.gordian_array_of, handle.number, table, column, ctypes.byref(view), failed=-1)
        title = view.name.decode()
        columns[title] = _array_in(view, handle)
        rows = view.rows
        if view.is_text != b"\0":
            words[title] = _words_in(view)
    return Table(columns, words, rows)
