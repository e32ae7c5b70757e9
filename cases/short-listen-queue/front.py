#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Front pages: a page asks for all its widgets at once, each over a connection of its own, and is done with the last.
usage: front.py PORT USERS WIDGETS ROWS SECONDS     prints pages a second"""

import concurrent.futures
import sys
import threading
import time
import urllib.request

PORT, USERS, WIDGETS, ROWS = (int(argument) for argument in sys.argv[1:5])
SECONDS = float(sys.argv[5])
done = [0] * USERS


def widget(number):
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/{number}", timeout=5) as answer:
                return len(answer.read())
        except OSError:  # asked again: the server forgot a connection that did not fit
            pass


def user(number, end):
    with concurrent.futures.ThreadPoolExecutor(WIDGETS) as pool:
        while time.monotonic() < end:
            size = sum(pool.map(widget, range(WIDGETS)))
            sum(row * size % 13 for row in range(ROWS))
            done[number] += 1


def main():
    begin = time.monotonic()
    users = [threading.Thread(target=user, args=(number, begin + SECONDS)) for number in range(USERS)]
    for thread in users:
        thread.start()
    for thread in users:
        thread.join()
    print(sum(done) / (time.monotonic() - begin))


main()
