# SPDX-License-Identifier: Apache-2.0
"""A caller with a length and a text in two writes, and its server.

usage: rpc.py serve PORT plain|fixed|vain
       rpc.py call PORT plain|fixed|vain SECONDS    prints calls per second
"""

import ctypes
import hashlib
import socket
import struct
import sys
import threading
import time


def read(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def answer(connection, variant):
    try:
        while True:
            (size,) = struct.unpack("!I", read(connection, 4))
            text = read(connection, size)
            for _ in range(20 if variant == "vain" else 40):
                digest = hashlib.sha256(text).digest()
            connection.sendall(digest)
    except ConnectionError:
        pass


def serve(port, variant):
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, variant), daemon=True).start()


def call(port, variant, end, counts, number):
    connection = socket.create_connection(("127.0.0.1", port))
    if variant == "fixed":
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    text = b"x" * 200
    while time.monotonic() < end:
        connection.sendall(struct.pack("!I", len(text)))
        connection.sendall(text)
        read(connection, 32)
        counts[number] += 1


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]), sys.argv[3])
else:
    ctypes.CDLL(None).prctl(15, b"caller", 0, 0, 0)
    counts = [0] * 4
    begin = time.monotonic()
    threads = [threading.Thread(target=call, args=(int(sys.argv[2]), sys.argv[3], begin + float(sys.argv[4]), counts, i)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(counts) / (time.monotonic() - begin))
