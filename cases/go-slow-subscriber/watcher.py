#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Subscribes to a feed some times. Prints ticks a second and subscriber. usage: watcher.py PORT SUBSCRIBERS SECONDS"""

import selectors
import socket
import sys
import time

TICK_BYTES = 1024

subscribers, seconds = int(sys.argv[2]), float(sys.argv[3])
selector = selectors.DefaultSelector()
for _ in range(subscribers):
    selector.register(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), selectors.EVENT_READ)
begin_s = time.monotonic()
read_bytes = 0
while time.monotonic() - begin_s < seconds:
    for key, _ in selector.select(0.1):
        read_bytes += len(key.fileobj.recv(65536))
print(read_bytes / TICK_BYTES / subscribers / (time.monotonic() - begin_s))
