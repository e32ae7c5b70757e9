# SPDX-License-Identifier: Apache-2.0
"""Asks memcached for a small value, does something with it, asks again; prints how many values a second.

usage: client.py PORT SECONDS
"""

import socket
import sys
import time

port, seconds = int(sys.argv[1]), float(sys.argv[2])
connection = socket.create_connection(("127.0.0.1", port))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
stream = connection.makefile("rb")
connection.sendall(b"set key 0 0 100\r\n" + 100 * b"x" + b"\r\n")
stream.readline()
begin_s = time.monotonic()
values = 0
while time.monotonic() - begin_s < seconds:
    connection.sendall(b"get key\r\n")
    while (line := stream.readline()) != b"END\r\n":
        stream.read(int(line.split()[3]) + 2)
    values += 1
    sum(range(10_000))  # what it needs the value for
print(values / (time.monotonic() - begin_s))
