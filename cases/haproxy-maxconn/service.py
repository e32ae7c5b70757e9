# SPDX-License-Identifier: Apache-2.0
"""An HTTP service that takes 10 ms for each answer, many at a time. usage: service.py PORT"""

import asyncio
import sys


async def answer(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(0.010)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def run(port):
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(run(int(sys.argv[1])))
