# SPDX-License-Identifier: Apache-2.0
# usage: ask.py serve PORT                     one process with one thread works 2 ms for each request
#        ask.py ask SECONDS PORT CONNECTIONS   as many threads, each with a connection; prints answers per second
import asyncio
import hashlib
import socket
import sys
import threading
import time


async def answer(reader, writer):
    while await reader.read(64):
        hashlib.pbkdf2_hmac("sha256", b"key", b"salt", 4000)
        writer.write(b"a" * 64)
    writer.close()


async def serve(port):
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


def ask(port, until, counts, index):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        while time.monotonic() < until:
            connection.sendall(b"q" * 64)
            if not connection.recv(64):
                return
            counts[index] += 1


with open("/proc/self/comm", "w") as comm:
    comm.write("service" if sys.argv[1] == "serve" else "asker")
if sys.argv[1] == "serve":
    asyncio.run(serve(int(sys.argv[2])))
else:
    seconds, port, connections = float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    counts = [0] * connections
    begin = time.monotonic()
    threads = [threading.Thread(target=ask, args=(port, begin + seconds, counts, i)) for i in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(counts) / (time.monotonic() - begin))
