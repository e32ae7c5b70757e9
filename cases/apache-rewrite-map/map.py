#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tells Apache the folder of a tenant: it reads a name a line, asks the tenant service, and writes what it answers."""

import os
import socket
import sys

service = socket.create_connection(("127.0.0.1", int(os.environ.get("TENANTS_PORT", "21803"))))
service.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
answers = service.makefile("r")
while line := sys.stdin.readline():
    service.sendall(line.encode())
    sys.stdout.write(answers.readline())
    sys.stdout.flush()
