# SPDX-License-Identifier: Apache-2.0
# usage: insert.py SECONDS FILE full|off: inserts rows, each in a transaction of its own; prints how many a second.
import sqlite3
import sys
import time

db = sqlite3.connect(sys.argv[2], isolation_level=None)
db.execute("pragma journal_mode=wal")
db.execute(f"pragma synchronous={sys.argv[3]}")
db.execute("create table if not exists events (at real, what text)")
done = 0
begin = time.monotonic()
until = begin + float(sys.argv[1])
while (now := time.monotonic()) < until:
    db.execute("insert into events values (?, ?)", (now, "something happened " * 4))
    done += 1
print(done / (now - begin))
