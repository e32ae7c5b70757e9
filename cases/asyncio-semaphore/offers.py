#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows offers of a partner by HTTP. usage: offers.py PORT PARTNER-PORT PERMITS ROWS"""

import asyncio
import sys


class Partner:
    """Connections to the partner; each serves one question at a time."""

    def __init__(self, port, permits):
        self.port = port
        self.permits = asyncio.Semaphore(permits)
        self.idle = []

    async def ask(self):
        async with self.permits:
            reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"offer\n")
            answer = await reader.readline()
            self.idle.append((reader, writer))
            return answer.decode().strip()


async def main():
    port, partner_port, permits, rows = (int(argument) for argument in sys.argv[1:])
    partner = Partner(partner_port, permits)

    async def serve(reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                offer = await partner.ask()
                page = "".join(f"<li>{row}: {offer}</li>\n" for row in range(rows)).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(page) + page)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main())
