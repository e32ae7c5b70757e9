# SPDX-License-Identifier: Apache-2.0
"""Looks names up over UDP; and a name server that answers each question 6 ms later.

usage: names.py serve PORT
       names.py lookup PORT plain|fixed|vain SECONDS    prints names per second
"""

import asyncio
import ctypes
import os
import socket
import struct
import sys
import threading
import time


class Server(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        end = data.index(b"\0", 12) + 5
        answer = data[:2] + b"\x84\x00" + b"\0\1\0\1\0\0\0\0" + data[12:end] + b"\xc0\x0c\0\1\0\1\0\0\x0e\x10\0\4\x0a\0\0\1"
        asyncio.get_running_loop().call_later(0.006, self.transport.sendto, answer, address)


async def serve(port):
    await asyncio.get_running_loop().create_datagram_endpoint(Server, local_addr=("127.0.0.1", port))
    await asyncio.Event().wait()


def lookup(port, end, counts, number):
    asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asker.connect(("127.0.0.1", port))
    asker.settimeout(2)
    while time.monotonic() < end:
        name = os.urandom(8).hex().encode()
        asker.send(struct.pack("!HHHHHH", counts[number] & 0xFFFF, 0x100, 1, 0, 0, 0) + bytes([len(name)]) + name + b"\5hosts\3org\0\0\1\0\1")
        asker.recv(512)
        counts[number] += 1


if sys.argv[1] == "serve":
    asyncio.run(serve(int(sys.argv[2])))
else:
    ctypes.CDLL(None).prctl(15, b"lookup", 0, 0, 0)
    number = 16 if sys.argv[3] == "fixed" else 1
    counts = [0] * number
    begin = time.monotonic()
    threads = [threading.Thread(target=lookup, args=(int(sys.argv[2]), begin + float(sys.argv[4]), counts, i)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(counts) / (time.monotonic() - begin))
