# SPDX-License-Identifier: Apache-2.0
"""Pages of a shop: each reads a cart and counts the visitors, by KEYS or from a set. Prints pages a second.

usage: pages.py fill PORT
       pages.py keys|set PORT PAGES_AT_A_TIME SECONDS
"""

import socket
import sys
import threading
import time


class Redis:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answers = self.socket.makefile("rb", 1 << 16)

    def ask(self, *words):
        data = [b"*%d\r\n" % len(words)]
        for word in words:
            data.append(b"$%d\r\n%s\r\n" % (len(word), word.encode()))
        self.socket.sendall(b"".join(data))
        return self.answer()

    def answer(self):
        line = self.answers.readline()
        if line[:1] == b"$":
            return self.answers.read(int(line[1:]) + 2) if line[1:2] != b"-" else None
        if line[:1] == b"*":
            return [self.answer() for _ in range(int(line[1:]))]
        return line[1:].strip()


def fill(port):
    redis = Redis(port)
    for first in range(0, 20000, 100):
        redis.ask("MSET", *(word for n in range(first, first + 100) for word in (f"cart:{n}", "3 articles")))
    for n in range(20):
        redis.ask("SET", f"session:{n}", "here")
        redis.ask("SADD", "sessions", str(n))


def show_pages(how, port, counts, index, deadline):
    redis = Redis(port)
    while time.monotonic() < deadline:
        redis.ask("GET", f"cart:{counts[index] * 7 % 20000}")
        if how == "keys":
            len(redis.ask("KEYS", "session:*"))
        else:
            redis.ask("SCARD", "sessions")
        counts[index] += 1


def main():
    if sys.argv[1] == "fill":
        fill(int(sys.argv[2]))
        return
    how, port, at_a_time, seconds = sys.argv[1], *map(int, sys.argv[2:])
    counts = [0] * at_a_time
    deadline = time.monotonic() + seconds
    running = [threading.Thread(target=show_pages, args=(how, port, counts, index, deadline)) for index in range(at_a_time)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    print(f"{sum(counts) / seconds:.1f}")


main()
