# SPDX-License-Identifier: Apache-2.0
# usage: stages.py SECONDS READERS PACKERS: readers make blocks that take a third of the time to make that packers take to
# pack, through a pipe of eight blocks; prints blocks per second.
import multiprocessing as mp
import os
import random
import sys
import time
import zlib


def call_me(name):
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)


def read(queue, seed):
    call_me("reader")
    block = random.Random(seed).randbytes(60_000)
    while True:
        zlib.crc32(block * 40)
        queue.put(block)


def pack(queue, count):
    call_me("packer")
    while True:
        zlib.compress(queue.get(), 6)
        with count.get_lock():
            count.value += 1


seconds, readers, packers = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
queue, count = mp.Queue(8), mp.Value("q", 0)
workers = [mp.Process(target=read, args=(queue, i)) for i in range(readers)]
workers += [mp.Process(target=pack, args=(queue, count)) for _ in range(packers)]
for worker in workers:
    worker.start()
begin = time.monotonic()
time.sleep(seconds)
print(count.value / (time.monotonic() - begin))
for worker in workers:
    worker.kill()
os._exit(0)
