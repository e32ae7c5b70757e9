#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shop: each of its threads makes bills, and asks the tax office for each. usage: shop.py PORT THREADS ROWS SECONDS
prints bills a second"""

import socket
import sys
import threading
import time

PORT, THREADS, ROWS, SECONDS = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
done = [0] * THREADS


def bills(number, end):
    with socket.create_connection(("127.0.0.1", PORT)) as office:
        office.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = office.makefile()
        while time.monotonic() < end:
            amount = sum(row * 7 % 13 for row in range(ROWS))
            office.sendall(f"{amount}\n".encode())
            answers.readline()
            done[number] += 1


def main():
    begin = time.monotonic()
    threads = [threading.Thread(target=bills, args=(number, begin + SECONDS)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(done) / (time.monotonic() - begin))


main()
