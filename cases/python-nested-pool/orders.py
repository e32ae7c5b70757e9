#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the parts of orders in a pool of threads. Prints orders a second. usage: orders.py PORT THREADS ROWS SECONDS"""

import concurrent.futures
import os
import socket
import sys
import threading
import time

PARTS = 4
UNDER_WAY = 5

port, threads, rows, seconds = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
pool = concurrent.futures.ThreadPoolExecutor(threads)
mine = threading.local()
may_start = threading.Semaphore(UNDER_WAY)
done = []


def ask(part):
    if not hasattr(mine, "service"):
        mine.service = socket.create_connection(("127.0.0.1", port))
        mine.service.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        mine.answers = mine.service.makefile("r")
    mine.service.sendall(b"part %d\n" % part)
    return int(mine.answers.readline())


def collect(order):
    parts = [pool.submit(ask, order * PARTS + part) for part in range(PARTS)]
    total = sum(part.result() for part in parts)
    summary = "".join(f"{row}: {total * row}\n" for row in range(rows))
    done.append(len(summary))
    may_start.release()


begin_s = time.monotonic()
order = 0
while time.monotonic() - begin_s < seconds:
    may_start.acquire()
    pool.submit(collect, order)
    order += 1
print(len(done) / (time.monotonic() - begin_s))
sys.stdout.flush()
os._exit(0)
