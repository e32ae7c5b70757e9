#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Archives each tick of a feed. usage: archivist.py FEED_PORT ARCHIVE_PORT"""

import socket
import sys

TICK_BYTES = 1024

archive = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
archive.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
answers = archive.makefile("r")
feed = socket.socket()
feed.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
feed.connect(("127.0.0.1", int(sys.argv[1])))
while len(tick := feed.recv(TICK_BYTES, socket.MSG_WAITALL)) == TICK_BYTES:
    archive.sendall(tick[:8].hex().encode() + b"\n")
    answers.readline()
