# SPDX-License-Identifier: Apache-2.0
"""Requests and replies over NATS, in its text protocol.

usage: requests.py reply PORT                      answers every request
       requests.py ask PORT SECONDS IN_FLIGHT      asks, that many at a time; prints how many a second
"""

import socket
import sys
import time


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = connection.makefile("rb")
    stream.readline()  # what the server says of itself
    connection.sendall(b'CONNECT {"verbose":false}\r\n')
    return connection, stream


def messages(connection, stream):
    """(subject to answer to, text) of each message that comes."""
    while line := stream.readline():
        if line.startswith(b"PING"):
            connection.sendall(b"PONG\r\n")
        elif line.startswith(b"MSG"):
            words = line.split()
            yield words[3] if len(words) == 5 else None, stream.read(int(words[-1]) + 2)[:-2]


def reply(port):
    connection, stream = connect(port)
    connection.sendall(b"SUB work 1\r\n")
    for answer_to, _ in messages(connection, stream):
        connection.sendall(b"PUB %s 4\r\ndone\r\n" % answer_to)


def ask(port, seconds, in_flight):
    connection, stream = connect(port)
    request = b"PUB work answers 100\r\n" + 100 * b"x" + b"\r\n"
    connection.sendall(b"SUB answers 1\r\n" + in_flight * request)
    begin_s = time.monotonic()
    answers = 0
    for _ in messages(connection, stream):
        answers += 1
        connection.sendall(request)
        if answers % 100 == 0 and time.monotonic() - begin_s > seconds:
            break
    print(answers / (time.monotonic() - begin_s))


if sys.argv[1] == "reply":
    reply(int(sys.argv[2]))
else:
    ask(int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
