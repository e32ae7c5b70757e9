# SPDX-License-Identifier: Apache-2.0
"""A web application with a thread for each connection and a pool of connections to a service behind it.

usage: app.py serve PORT SERVICE_PORT POOL_SIZE     the application: GET / asks the service once
       app.py service PORT                          the service: answers each request after 10 ms, many at a time
"""

import asyncio
import http.server
import queue
import socket
import sys

ANSWER_AFTER_S = 0.010


async def answer(reader, writer):
    while await reader.readline():
        await asyncio.sleep(ANSWER_AFTER_S)
        writer.write(b"42\n")
    writer.close()


async def run_service(port):
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


class Pool:
    """Connections that are lent to one thread at a time; who finds none waits."""

    def __init__(self, port, size):
        self.free = queue.LifoQueue()
        for _ in range(size):
            self.free.put(socket.create_connection(("127.0.0.1", port)).makefile("rwb"))

    def ask(self):
        connection = self.free.get()
        try:
            connection.write(b"how many?\n")
            connection.flush()
            return connection.readline()
        finally:
            self.free.put(connection)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave together
    pool = None

    def do_GET(self):
        body = self.pool.ask()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64


if sys.argv[1] == "service":
    asyncio.run(run_service(int(sys.argv[2])))
else:
    Handler.pool = Pool(int(sys.argv[3]), int(sys.argv[4]))
    Server(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
