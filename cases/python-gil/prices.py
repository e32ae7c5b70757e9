# SPDX-License-Identifier: Apache-2.0
"""Prices options by simulation, in threads or processes. Prints prices a second. usage: prices.py threads|processes WORKERS SECONDS"""

import multiprocessing
import random
import sys
import threading
import time


def price(throws):
    """Of a call at 100, for a share at 100 that moves by a fifth a year."""
    gains = 0.0
    for _ in range(200):
        value = 100.0
        for _ in range(10):
            value *= 1.0 + 0.063 * (throws.random() * 2 - 1) * 1.732
        gains += max(0.0, value - 100.0)
    return gains / 200


def work(deadline, index, counts):
    throws = random.Random(index)
    done = 0
    while time.monotonic() < deadline:
        price(throws)
        done += 1
    counts[index] = done


def main():
    kind, workers, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    counts = multiprocessing.Array("i", workers, lock=False)
    start = threading.Thread if kind == "threads" else multiprocessing.Process
    deadline = time.monotonic() + seconds
    running = [start(target=work, args=(deadline, index, counts)) for index in range(workers)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    print(f"{sum(counts) / seconds:.1f}")


if __name__ == "__main__":
    main()
