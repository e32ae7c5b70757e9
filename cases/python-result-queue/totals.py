#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Totals of events by shop. usage: totals.py PROCESSES RESULTS-TOGETHER SECONDS; prints results a second."""

import multiprocessing
import sys
import time


def parse(queue, together, until):
    number = 0
    while time.monotonic() < until:
        results = []
        for _ in range(together):
            number += 1
            line = f"{number};shop-{number % 50};{number % 977}"
            _, shop, amount = line.split(";")
            results.append((shop, int(amount)))
        queue.put(results)
    queue.put(None)


def main():
    processes, together, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    queue = multiprocessing.Queue(maxsize=1000)
    begin = time.monotonic()
    parsers = [multiprocessing.Process(target=parse, args=(queue, together, begin + seconds)) for _ in range(processes)]
    for parser in parsers:
        parser.start()
    totals, done, open_parsers = {}, 0, processes
    while open_parsers:
        results = queue.get()
        if results is None:
            open_parsers -= 1
            continue
        for shop, amount in results:
            totals[shop] = totals.get(shop, 0) + amount
            done += 1
    print(done / (time.monotonic() - begin))


main()
