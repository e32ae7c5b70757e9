# SPDX-License-Identifier: Apache-2.0
"""Sends the lines of its standard input to a collector, so many at a time, and waits for each receipt. usage: shipper.py PORT LINES"""

import os
import socket
import sys

collector = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
collector.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
receipts = collector.makefile("rb")
at_a_time = int(sys.argv[2])
held = b""
while True:
    lines = held.split(b"\n")
    if len(lines) == 1:
        more = os.read(0, 8192)
        if not more:
            break
        held += more
        continue
    sent = lines[:-1][:at_a_time]
    held = b"\n".join(lines[len(sent):])
    collector.sendall(b" | ".join(sent) + b"\n")
    receipts.readline()
