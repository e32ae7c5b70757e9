// SPDX-License-Identifier: Apache-2.0
// Asks a partner for each quote, over so many connections with one question each at a time.
// usage: quotes.js PORT PARTNER_PORT CONNECTIONS
'use strict';
const http = require('http');
const net = require('net');

const [port, partnerPort, count] = process.argv.slice(2).map(Number);
const waiting = [];

class Connection {
  constructor() {
    this.answered = null;
    this.socket = net.connect(partnerPort, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.on('data', (price) => {
      const answered = this.answered;
      this.answered = null;
      answered(price);
      askNext();
    });
  }

  ask(answered) {
    this.answered = answered;
    this.socket.write('quote\n');
  }
}

const connections = Array.from({ length: count }, () => new Connection());

function askNext() {
  const free = connections.find((connection) => connection.answered === null);
  if (free && waiting.length > 0) free.ask(waiting.shift());
}

http.createServer((request, response) => {
  waiting.push((price) => response.end(price));
  askNext();
}).listen(port, '127.0.0.1');
