# SPDX-License-Identifier: Apache-2.0
"""A helper of Squid's: asks a policy service whether a request is allowed. usage: helper.py PORT"""

import socket
import sys

service = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
service.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
answers = service.makefile("rb")
for line in sys.stdin:
    service.sendall(line.encode())
    sys.stdout.write("OK\n" if answers.readline() else "ERR\n")
    sys.stdout.flush()
