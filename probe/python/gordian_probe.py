# SPDX-License-Identifier: Apache-2.0
"""Gordian's probes for Python: what a program says of itself that no kernel can see.

    import gordian_probe as probe

    with probe.phase("compaction", "table 42"):     # phases of a thread nest
        probe.count("rows", 128)
    with probe.spin_wait(lock_id):                  # any number that names the lock
        ...
    probe.spin_release(lock_id)
    probe.false_wakeup()                            # woken for nothing: will sleep again

While nobody records, a call reads one number. While `gordian record` runs, it writes one record into
memory that the recorder reads, without a system call. Nothing here raises: where /dev/shm cannot be
used, nothing is said. The same file as that of C programs (gordian_probe_layout.h); a forked child has
a file of its own. Linux only; machines that reorder stores (not x86) may, at full speed, show the recorder
a record that is just being overwritten.
"""

import atexit
import contextlib
import fcntl
import itertools
import mmap
import os
import stat
import struct
import threading
import time
import weakref

_DIRECTORY = "/dev/shm"
_MAGIC = 0x31626F7270647267
_VERSION = 1
_HEADER_BYTES = 4096
_RINGS = 128
_RECORDS = 8192
_RING_BYTES = 64
_RECORD_BYTES = 128
_NAME_BYTES = 48
_KEY_BYTES = 56
_LONGEST_NS = 3_000_000_000
_RECORDS_AT = _HEADER_BYTES + _RINGS * _RING_BYTES
_FILE_BYTES = _RECORDS_AT + _RINGS * _RECORDS * _RECORD_BYTES
# Where in the header and in a ring's state things are.
_RECORD_UNTIL = 128
_DROPPED = 192
_BEGUN, _ENDED, _RING_DROPPED, _OWNER = 0, 8, 16, 24

_NUMBER = struct.Struct("=Q")
_HEADER = struct.Struct("=IIIIIiQQ")  # from the version on
_RECORD_HEAD = struct.Struct("=QQiBBBx")


def _pid_namespace():
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def _recording_until():
    """Until when the recorders of this machine want to be told, as they have noted."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        mark = os.open(_DIRECTORY + "/gordian-recording", flags)
    except OSError:
        return 0
    try:
        status = os.fstat(mark)
        if not stat.S_ISREG(status.st_mode) or status.st_uid not in (0, os.geteuid()):
            return 0
        text = os.pread(mark, 8, 0)
        return _NUMBER.unpack(text)[0] if len(text) == 8 else 0
    finally:
        os.close(mark)


class _Ring:
    """A thread's place: the only writer of its records."""

    def __init__(self, file, number, tid):
        self.state_at = _HEADER_BYTES + number * _RING_BYTES
        self.records_at = _RECORDS_AT + number * _RECORDS * _RECORD_BYTES
        self.file = file
        self.number = number
        self.tid = tid
        self.next = file.get(self.state_at + _ENDED)
        self.drops = itertools.count(file.get(self.state_at + _RING_DROPPED) + 1)


class _File:
    """The process's file."""

    def __init__(self):
        self.created_ns = time.monotonic_ns()
        self.pid = os.getpid()
        self.path = "%s/gordian-probe.%d.%d" % (_DIRECTORY, self.pid, self.created_ns)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self.descriptor = os.open(self.path, flags, 0o600)
        try:
            fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # tells the file's process
            os.ftruncate(self.descriptor, _FILE_BYTES)
            os.posix_fallocate(self.descriptor, 0, _RECORDS_AT)
            self.memory = mmap.mmap(self.descriptor, _FILE_BYTES)
        except (OSError, ValueError):
            os.unlink(self.path)
            os.close(self.descriptor)
            raise
        self.words = memoryview(self.memory).cast("Q")  # stores 8 bytes at once, struct does not
        self.lock = threading.RLock()
        self.drops = itertools.count(1)
        self.claimed = {}  # by number: a weak reference to what lives as long as its thread
        _HEADER.pack_into(self.memory, 8, _VERSION, _HEADER_BYTES, _RINGS, _RECORDS, _RECORD_BYTES,
                          self.pid, _pid_namespace(), self.created_ns)
        self.put(_RECORD_UNTIL, _recording_until())
        self.put(0, _MAGIC)

    def get(self, at):
        return self.words[at // 8]

    def put(self, at, value):
        self.words[at // 8] = value

    def claim(self, thread):
        """A free ring, or one whose thread has ended; None if there is none."""
        with self.lock:
            for number in range(_RINGS):
                owner = self.claimed.get(number)
                if owner is not None and owner() is not None:
                    continue
                if owner is None and not self.reserve(number):
                    return None
                ring = _Ring(self, number, threading.get_native_id())
                self.put(ring.state_at + _OWNER, ring.tid)
                self.claimed[number] = weakref.ref(thread)
                return ring
        return None

    def reserve(self, number):
        """Memory of a full tmpfs is not there when it is touched, which kills: asked for first."""
        try:
            os.posix_fallocate(self.descriptor, _RECORDS_AT + number * _RECORDS * _RECORD_BYTES,
                               _RECORDS * _RECORD_BYTES)
            return True
        except OSError:
            return False

    def drop(self):
        with self.lock:
            self.put(_DROPPED, next(self.drops))

    def end(self):
        if os.getpid() == self.pid and self.get(_RECORD_UNTIL) < time.monotonic_ns():
            with contextlib.suppress(OSError):
                os.unlink(self.path)


class _Life:
    """Lives in its thread's locals, and so as long as the thread."""


class _Here(threading.local):
    def __init__(self):
        self.life = _Life()
        self.ring = None
        self.busy = False  # in the middle of a word: a word now is a signal handler's


_file = None
_here = _Here()


def _begin():
    """Makes the process's file; in a forked child, anew: the parent's is not the child's to write to."""
    global _file, _here
    _here = _Here()
    try:
        _file = _File()
    except (OSError, ValueError):
        _file = None
        return
    atexit.register(_file.end)


def _say(kind, value=0, name="", key=""):
    file = _file
    if file is None or file.get(_RECORD_UNTIL) == 0:
        return
    now_ns = time.monotonic_ns()
    until_ns = file.get(_RECORD_UNTIL)
    if now_ns > until_ns or until_ns - now_ns > _LONGEST_NS:
        return
    here = _here
    if here.busy:
        _drop_in_handler(file, here.ring)
        return
    here.busy = True
    try:
        if here.ring is None or here.ring.file is not file:
            here.ring = file.claim(here.life)
        if here.ring is None:
            file.drop()
        else:
            _write(file, here.ring, now_ns, kind, value, name, key)
    finally:
        here.busy = False


def _drop_in_handler(file, ring):
    if ring is None:
        file.drop()
    else:
        file.put(ring.state_at + _RING_DROPPED, next(ring.drops))


def _write(file, ring, now_ns, kind, value, name, key):
    name_bytes = name.encode("utf-8", "replace")[:_NAME_BYTES]
    key_bytes = key.encode("utf-8", "replace")[:_KEY_BYTES]
    at = ring.records_at + ring.next % _RECORDS * _RECORD_BYTES
    file.put(ring.state_at + _BEGUN, ring.next + 1)
    _RECORD_HEAD.pack_into(file.memory, at, now_ns, value & 0xFFFFFFFFFFFFFFFF, ring.tid, kind,
                           len(name_bytes), len(key_bytes))
    text = name_bytes + key_bytes
    text_at = at + _RECORD_HEAD.size
    file.memory[text_at:text_at + len(text)] = text
    ring.next += 1
    file.put(ring.state_at + _ENDED, ring.next)


def spin_begin(lock):
    """This thread spins for the lock, a number of the caller's choice, …"""
    _say(1, lock)


def spin_end(lock):
    """… and has it now, or has given up."""
    _say(2, lock)


def spin_release(lock):
    """This thread has given the lock back."""
    _say(3, lock)


def false_wakeup():
    """Woken for nothing: this thread will sleep again."""
    _say(4)


def phase_begin(name, key=""):
    """This thread works on something until phase_end; of the name 48 bytes are kept, of the key 56."""
    _say(7, 0, name, key)


def phase_end():
    _say(8)


def count(name, value):
    """A whole number at this moment."""
    _say(9, value, name)


@contextlib.contextmanager
def spin_wait(lock):
    spin_begin(lock)
    try:
        yield
    finally:
        spin_end(lock)


@contextlib.contextmanager
def phase(name, key=""):
    phase_begin(name, key)
    try:
        yield
    finally:
        phase_end()


_begin()
os.register_at_fork(after_in_child=_begin)
