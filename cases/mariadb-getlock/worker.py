# SPDX-License-Identifier: Apache-2.0
"""Workers that take jobs from a table; prints jobs per second.

usage: worker.py SOCKET create|SECONDS plain|fixed|vain
"""

import sys
import threading
import time

import pymysql


def connect(path):
    return pymysql.connect(unix_socket=path, user="nobody", autocommit=False)


def create(path):
    cursor = connect(path).cursor()
    cursor.execute("create database if not exists work")
    cursor.execute("use work")
    cursor.execute("drop table if exists work.jobs")
    cursor.execute("create table work.jobs (id int primary key, state int, n bigint)")
    cursor.execute("insert into work.jobs select seq, seq % 100, 0 from seq_1_to_200")
    cursor.execute("commit")


def take(path, end, number, variant, counts):
    connection = connect(path)
    cursor = connection.cursor()
    while time.monotonic() < end:
        if variant == "fixed":
            cursor.execute("select id from work.jobs where state = 7 or id < 40 limit 1 for update skip locked")
        else:
            cursor.execute("select get_lock('jobs', 10)")
            cursor.execute("select id from work.jobs where state = 7 limit 1")
        row = cursor.fetchone()
        if row:
            cursor.execute("update work.jobs set n = n + 1 where id = %s", row)
        connection.commit()
        if variant != "fixed":
            cursor.execute("select release_lock('jobs')")
        counts[number] += 1


def main(path, what, variant):
    if what == "create":
        create(path)
        return
    workers = 16 if variant == "vain" else 8
    counts = [0] * workers
    begin = time.monotonic()
    threads = [threading.Thread(target=take, args=(path, begin + float(what), i, variant, counts)) for i in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(counts) / (time.monotonic() - begin))


main(*sys.argv[1:])
