# SPDX-License-Identifier: Apache-2.0
"""A name server: every name is at 127.0.0.1, and it says so some milliseconds later. usage: names.py ADDRESS MILLISECONDS"""

import asyncio
import struct
import sys


class Names(asyncio.DatagramProtocol):
    def __init__(self, after_s):
        self.after_s = after_s

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        asyncio.get_running_loop().call_later(self.after_s, self.answer, data, address)

    def answer(self, data, address):
        end = 12
        while data[end]:
            end += data[end] + 1
        question = data[12:end + 5]
        is_ipv4 = question[-4:-2] == b"\x00\x01"
        head = data[:2] + struct.pack("!HHHHH", 0x8180, 1, int(is_ipv4), 0, 0)
        record = b"\xc0\x0c" + struct.pack("!HHIH4B", 1, 1, 0, 4, 127, 0, 0, 1) if is_ipv4 else b""
        self.transport.sendto(head + question + record, address)


async def main():
    await asyncio.get_running_loop().create_datagram_endpoint(lambda: Names(float(sys.argv[2]) / 1000), local_addr=(sys.argv[1], 53))
    await asyncio.Event().wait()


asyncio.run(main())
