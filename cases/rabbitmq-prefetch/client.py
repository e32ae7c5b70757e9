# SPDX-License-Identifier: Apache-2.0
"""A producer and a consumer of one queue in RabbitMQ, in AMQP 0-9-1 itself.

usage: client.py produce PORT LOOK_EVERY_MS        keeps about LONGEST messages in the queue, until it is stopped
       client.py consume PORT SECONDS PREFETCH     takes and acknowledges; prints how many messages a second
"""

import socket
import struct
import sys
import time

QUEUE = b"orders"
LONGEST = 2000
AT_ONCE = 200  # messages published before the producer looks how long the queue is
METHOD, HEADER, BODY, HEARTBEAT, END = 1, 2, 3, 8, b"\xce"


def short_text(text):
    return bytes([len(text)]) + text


def long_text(text):
    return struct.pack(">I", len(text)) + text


def frame(kind, channel, payload):
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + END


def method(channel, class_id, method_id, arguments=b""):
    return frame(METHOD, channel, struct.pack(">HH", class_id, method_id) + arguments)


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.send(b"AMQP\x00\x00\x09\x01")
        self.await_method(10, 10)  # start
        self.send(method(0, 10, 11, long_text(b"") + short_text(b"PLAIN") + long_text(b"\x00guest\x00guest") + short_text(b"en_US")))
        self.await_method(10, 30)  # tune
        self.send(method(0, 10, 31, struct.pack(">HIH", 2047, 131072, 0)))
        self.send(method(0, 10, 40, short_text(b"/") + short_text(b"") + b"\x00"))
        self.await_method(10, 41)  # open
        self.send(method(1, 20, 10, short_text(b"")))
        self.await_method(20, 11)  # channel open

    def send(self, data):
        self.socket.sendall(data)

    def read_frame(self):
        head = self.stream.read(7)
        if len(head) < 7:
            raise SystemExit("the broker has closed the connection")
        kind, _, size = struct.unpack(">BHI", head)
        return kind, self.stream.read(size + 1)[:-1]

    def await_method(self, class_id, method_id):
        """Its arguments; whatever comes before it is passed over."""
        while True:
            kind, payload = self.read_frame()
            if kind == METHOD and struct.unpack_from(">HH", payload) == (class_id, method_id):
                return payload[4:]

    def declare_queue(self):
        """How many messages it holds."""
        self.send(method(1, 50, 10, b"\x00\x00" + short_text(QUEUE) + b"\x02" + long_text(b"")))  # durable
        answer = self.await_method(50, 11)
        return struct.unpack_from(">I", answer, 1 + answer[0])[0]


def name_thread(name):
    with open("/proc/self/comm", "w", encoding="utf-8") as file:
        file.write(name)


def produce(port, look_every_s):
    name_thread("producer")
    connection = Connection(port)
    text = 200 * b"x"
    message = (method(1, 60, 40, b"\x00\x00" + short_text(b"") + short_text(QUEUE) + b"\x00")
               + frame(HEADER, 1, struct.pack(">HHQHB", 60, 0, len(text), 0x1000, 2))  # persistent
               + frame(BODY, 1, text))
    while True:
        while connection.declare_queue() < LONGEST:
            connection.send(AT_ONCE * message)
        time.sleep(look_every_s)


def consume(port, seconds, prefetch):
    name_thread("consumer")
    connection = Connection(port)
    connection.declare_queue()
    connection.send(method(1, 60, 10, struct.pack(">IHB", 0, prefetch, 0)))
    connection.await_method(60, 11)
    connection.send(method(1, 60, 20, b"\x00\x00" + short_text(QUEUE) + short_text(b"") + b"\x00" + long_text(b"")))
    begin_s = time.monotonic()
    taken = 0
    while taken % 100 != 0 or time.monotonic() - begin_s < seconds:
        delivery = connection.await_method(60, 60)
        tag = struct.unpack_from(">Q", delivery, 1 + delivery[0])[0]
        connection.send(method(1, 60, 80, struct.pack(">QB", tag, 0)))
        taken += 1
    print(taken / (time.monotonic() - begin_s))


if sys.argv[1] == "produce":
    produce(int(sys.argv[2]), float(sys.argv[3]) / 1000)
else:
    consume(int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
