#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Widgets of a page, over HTTP, one at a time. usage: widgets.py PORT QUEUE ROWS"""

import http.server
import sys

ROWS = int(sys.argv[3])


class Widgets(http.server.HTTPServer):
    request_queue_size = int(sys.argv[2])


class Widget(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = "".join(f"<li>{row * 7919 % 1000}</li>" for row in range(ROWS)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


Widgets(("127.0.0.1", int(sys.argv[1])), Widget).serve_forever()
