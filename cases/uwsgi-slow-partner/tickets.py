# SPDX-License-Identifier: Apache-2.0
"""Tickets, for uWSGI. One request in four asks the partner."""

import itertools
import os
import socket

numbers = itertools.count(os.getpid())
rows = int(os.environ["ROWS"])
partner = None


def ask():
    global partner
    if partner is None:
        partner = socket.create_connection(("127.0.0.1", 21905))
    partner.sendall(b"seats\n")
    return partner.recv(100)


def application(environ, start_response):
    number = next(numbers)
    seats = ask() if number % 4 == 0 else b"42\n"
    page = "".join(f"<tr><td>{row}</td><td>{number}</td></tr>" for row in range(rows)).encode()
    start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(page) + len(seats)))])
    return [page, seats]
