# SPDX-License-Identifier: Apache-2.0
"""A web application: GET / asks a database, renders many rows and shows the first.

usage: gunicorn app:application, with DATABASE_PORT in the environment
       app.py database PORT                         the database: answers each line after 4 ms, many at a time
"""

import asyncio
import html
import os
import socket
import sys

ANSWER_AFTER_S = 0.004
ROWS = 5000
SHOWN = 100

database = None


async def answer(reader, writer):
    while await reader.readline():
        await asyncio.sleep(ANSWER_AFTER_S)
        writer.write(b"42\n")
    writer.close()


async def run_database(port):
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


def ask(question):
    global database  # a connection for each worker process
    if database is None:
        database = socket.create_connection(("127.0.0.1", int(os.environ["DATABASE_PORT"]))).makefile("rwb")
    database.write(question + b"\n")
    database.flush()
    return database.readline().decode().strip()


def application(_, start_response):
    total = ask(b"select total")
    rows = [f"<tr><td>{row}</td><td>{html.escape(total)}</td></tr>" for row in range(ROWS)]
    page = "\n".join(sorted(rows)[:SHOWN]).encode()
    start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(page)))])
    return [page]


if __name__ == "__main__":
    asyncio.run(run_database(int(sys.argv[2])))
