#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts jobs into beanstalkd, reserves and deletes them. Prints jobs a second. usage: jobs.py PORT THREADS SECONDS"""

import socket
import sys
import threading
import time

BODY = b"x" * 200


def work(port, end_s, counts, number):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    answers = connection.makefile("rb")

    def call(command):
        connection.sendall(command)
        return answers.readline().split()

    while time.monotonic() < end_s:
        if call(b"put 1 0 60 %d\r\n%s\r\n" % (len(BODY), BODY))[0] != b"INSERTED":
            sys.exit(1)
        _, job, size = call(b"reserve\r\n")
        answers.read(int(size) + 2)
        call(b"delete %s\r\n" % job)
        counts[number] += 1


port, threads, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
counts = [0] * threads
begin_s = time.monotonic()
all_threads = [threading.Thread(target=work, args=(port, begin_s + seconds, counts, i)) for i in range(threads)]
for thread in all_threads:
    thread.start()
for thread in all_threads:
    thread.join()
print(sum(counts) / (time.monotonic() - begin_s))
