# SPDX-License-Identifier: Apache-2.0
"""A queue of jobs in SQLite, and workers that send a mail for each. Prints jobs a second.

usage: jobs.py fill DATABASE delete|wal
       jobs.py work DATABASE delete|wal PORT WORKERS SECONDS CACHE_MB
"""

import multiprocessing
import socket
import sqlite3
import sys
import time


def open_database(path, mode, cache_mb=2):
    database = sqlite3.connect(path, timeout=60, isolation_level=None)
    database.execute(f"pragma journal_mode={mode}")
    database.execute(f"pragma synchronous={'normal' if mode == 'wal' else 'full'}")
    database.execute(f"pragma cache_size={-1000 * cache_mb}")
    return database


def fill(path, mode):
    database = open_database(path, mode)
    database.execute("create table jobs (id integer primary key, state int not null, address text not null)")
    database.execute("create index waiting on jobs (id) where state = 0")
    database.execute("begin")
    database.executemany("insert into jobs (state, address) values (0, ?)", ((f"user{n}@example.org",) for n in range(100000)))
    database.execute("commit")


def claim(database):
    database.execute("begin immediate")
    job, address = database.execute("select id, address from jobs where state = 0 order by id limit 1").fetchone()
    database.execute("update jobs set state = 1 where id = ?", (job,))
    database.execute("commit")
    return job, address


def work(path, mode, cache_mb, port, deadline, counts, index):
    database = open_database(path, mode, cache_mb)
    mailer = socket.create_connection(("127.0.0.1", port))
    mailer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while time.monotonic() < deadline:
        job, address = claim(database)
        mailer.sendall(address.encode() + b"\n")
        mailer.recv(100)
        database.execute("update jobs set state = 2 where id = ?", (job,))
        counts[index] += 1


def run_workers(path, mode, port, workers, seconds, cache_mb):
    counts = multiprocessing.Array("i", workers, lock=False)
    deadline = time.monotonic() + seconds
    running = [multiprocessing.Process(target=work, args=(path, mode, cache_mb, port, deadline, counts, index)) for index in range(workers)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    print(f"{sum(counts) / seconds:.1f}")


if sys.argv[1] == "fill":
    fill(*sys.argv[2:4])
else:
    run_workers(*sys.argv[2:4], *map(int, sys.argv[4:8]))
