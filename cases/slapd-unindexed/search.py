#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Searches people by their number, in some threads. Prints searches a second. usage: search.py ADDRESS THREADS SECONDS"""

import sys
import threading
import time

import ldap


def search(address, number, end_s, counts):
    directory = ldap.initialize(address)
    while time.monotonic() < end_s:
        wanted = (counts[number] * 37 + number) % 40000 + 1
        if len(directory.search_s("dc=example", ldap.SCOPE_SUBTREE, f"(employeeNumber={wanted})", ["mail"])) != 1:
            sys.exit("not found")
        counts[number] += 1


address, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
counts = [0] * threads
begin_s = time.monotonic()
all_threads = [threading.Thread(target=search, args=(address, i, begin_s + seconds, counts)) for i in range(threads)]
for thread in all_threads:
    thread.start()
for thread in all_threads:
    thread.join()
print(sum(counts) / (time.monotonic() - begin_s))
