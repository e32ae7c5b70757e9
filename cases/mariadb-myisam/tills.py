#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two tills sell while a report runs; prints sales a second.

usage: tills.py SOCKET create ENGINE | tills.py SOCKET report | tills.py SOCKET sell SECONDS
"""

import sys
import threading
import time

import pymysql

TILLS = 2
ROWS = 60_000


def connect(path):
    return pymysql.connect(unix_socket=path, user="nobody", autocommit=True)


def create(path, engine):
    cursor = connect(path).cursor()
    cursor.execute("create database if not exists shop")
    cursor.execute("use shop")
    cursor.execute("drop table if exists shop.stock")
    cursor.execute(f"create table shop.stock (id int primary key, sold bigint, name char(60)) engine={engine}")
    cursor.execute(f"insert into shop.stock select seq, 0, concat('article ', seq) from seq_1_to_{ROWS}")


def report(path):
    cursor = connect(path).cursor()
    while True:
        cursor.execute("select sum(crc32(name)), sum(sold) from shop.stock")
        cursor.fetchall()


def sell(path, number, end_s, counts):
    cursor = connect(path).cursor()
    while time.monotonic() < end_s:
        cursor.execute("update shop.stock set sold = sold + 1 where id = %s", (number * 997 + counts[number] % 500 + 1,))
        counts[number] += 1
        time.sleep(0.001)  # the customer pays


def main(path, what, *rest):
    if what == "create":
        create(path, *rest)
    elif what == "report":
        report(path)
    else:
        counts = [0] * TILLS
        begin_s = time.monotonic()
        threads = [threading.Thread(target=sell, args=(path, i, begin_s + float(rest[0]), counts)) for i in range(TILLS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(sum(counts) / (time.monotonic() - begin_s))


main(*sys.argv[1:])
