# SPDX-License-Identifier: Apache-2.0
"""A service that answers each line after 2 ms, on many connections at a time.

usage: service.py PORT
"""

import asyncio
import sys

ANSWER_AFTER_S = 0.002


async def answer(reader, writer):
    while await reader.readline():
        await asyncio.sleep(ANSWER_AFTER_S)
        writer.write(b"42\n")
    writer.close()


async def run(port):
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(run(int(sys.argv[1])))
