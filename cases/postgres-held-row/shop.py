#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that sell from one stock. usage: shop.py DATABASE-FOLDER PAYMENTS-PORT inside|before PROCESSES SECONDS

Asks the payment service inside of the transaction that has locked the stock's row, or before. Prints sales a second."""

import multiprocessing
import socket
import sys
import time

import psycopg2


def sell(folder, port, when, end, counts):
    database = psycopg2.connect(host=folder, dbname="bench", user="nobody")
    service = socket.create_connection(("127.0.0.1", port))
    service.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    answers = service.makefile("rb")

    def pay():
        service.sendall(b"pay\n")
        answers.readline()

    done = 0
    with database.cursor() as cursor:
        while time.monotonic() < end:
            if when == "before":
                pay()
            cursor.execute("select n from stock where id = 1 for update")
            if when == "inside":
                pay()
            cursor.execute("update stock set n = n + 1 where id = 1")
            database.commit()
            done += 1
    counts.put(done)


def main():
    folder, port, when, processes, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
    counts = multiprocessing.Queue()
    begin = time.monotonic()
    sellers = [multiprocessing.Process(target=sell, args=(folder, port, when, begin + seconds, counts)) for _ in range(processes)]
    for seller in sellers:
        seller.start()
    done = sum(counts.get() for _ in sellers)
    print(done / (time.monotonic() - begin))
    for seller in sellers:
        seller.join()


main()
