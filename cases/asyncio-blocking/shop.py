# SPDX-License-Identifier: Apache-2.0
"""A web service: each request asks a ledger, with a blocking client.

usage: shop.py PORT LEDGER_PORT plain|fixed
"""

import asyncio
import concurrent.futures
import socket
import sys
import threading

local = threading.local()


def ask_ledger(port):
    if not hasattr(local, "ledger"):
        local.ledger = socket.create_connection(("127.0.0.1", port))
    local.ledger.sendall(b"balance\n")
    return local.ledger.recv(100)


async def answer(reader, writer, port, pool):
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            if pool:
                balance = await asyncio.get_running_loop().run_in_executor(pool, ask_ledger, port)
            else:
                balance = ask_ledger(port)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(balance), balance))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main(port, ledger_port, variant):
    pool = concurrent.futures.ThreadPoolExecutor(16) if variant == "fixed" else None
    server = await asyncio.start_server(lambda reader, writer: answer(reader, writer, ledger_port, pool), "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
