#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in a list of Redis.

usage: jobs.py work REDIS-PORT SERVICE-PORT     takes jobs, asks the service, puts the answer in the caller's list
       jobs.py ask REDIS-PORT SECONDS           sixteen callers; prints jobs a second
"""

import socket
import sys
import threading
import time


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Redis:
    def __init__(self, port):
        self.connection = connect(port)
        self.stream = self.connection.makefile("rb")

    def call(self, *words):
        parts = [b"*%d\r\n" % len(words)] + [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        self.connection.sendall(b"".join(parts))
        return self.answer()

    def answer(self):
        line = self.stream.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return self.stream.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        return rest


def work(redis_port, service_port):
    redis, service = Redis(redis_port), connect(service_port)
    answers = service.makefile("rb")
    while True:
        caller = redis.call(b"BLPOP", b"jobs", b"0")[1]
        service.sendall(caller + b"\n")
        redis.call(b"LPUSH", caller, answers.readline().strip())


def caller(redis_port, name, end, counts):
    redis, done = Redis(redis_port), 0
    while time.monotonic() < end:
        redis.call(b"RPUSH", b"jobs", name)
        redis.call(b"BLPOP", name, b"0")
        done += 1
    counts.append(done)


def ask(redis_port, seconds):
    begin, counts = time.monotonic(), []
    names = [b"answer-%d-%d" % (time.monotonic_ns(), number) for number in range(16)]
    callers = [threading.Thread(target=caller, args=(redis_port, name, begin + seconds, counts)) for name in names]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    print(sum(counts) / (time.monotonic() - begin))


if sys.argv[1] == "work":
    work(int(sys.argv[2]), int(sys.argv[3]))
else:
    ask(int(sys.argv[2]), float(sys.argv[3]))
