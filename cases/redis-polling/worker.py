# SPDX-License-Identifier: Apache-2.0
"""A worker that takes jobs from a list in Redis, and a client that waits for each answer.

usage: worker.py poll|block PORT                worker: looks every 5 ms, or lets Redis wake it
       worker.py ask PORT SECONDS               client: prints jobs a second
"""

import socket
import sys
import time


class Redis:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.connection.makefile("rb")

    def call(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        parts += [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        self.connection.sendall(b"".join(parts))
        return self.answer()

    def answer(self):
        line = self.stream.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.stream.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.answer() for _ in range(int(rest))]
        return rest


def next_job(redis, how):
    if how == "block":
        return redis.call(b"BLPOP", b"jobs", b"0")[1]
    while not (job := redis.call(b"LPOP", b"jobs")):
        time.sleep(0.005)
    return job


def work(how, port):
    redis = Redis(port)
    while True:
        job = next_job(redis, how)
        sum(range(20_000))  # the work
        redis.call(b"RPUSH", b"answers", job)


def ask(port, seconds):
    redis = Redis(port)
    begin_s = time.monotonic()
    jobs = 0
    while time.monotonic() - begin_s < seconds:
        redis.call(b"RPUSH", b"jobs", b"%d" % jobs)
        redis.call(b"BLPOP", b"answers", b"0")
        sum(range(60_000))  # what it makes of the answer: meanwhile there is no job, and the worker goes to sleep
        jobs += 1
    print(jobs / (time.monotonic() - begin_s))


if sys.argv[1] == "ask":
    ask(int(sys.argv[2]), float(sys.argv[3]))
else:
    work(sys.argv[1], int(sys.argv[2]))
