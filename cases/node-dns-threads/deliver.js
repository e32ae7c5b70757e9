// SPDX-License-Identifier: Apache-2.0
// Delivers a message for each request, to the host of the next customer. usage: node deliver.js PORT CUSTOMERS_PORT
'use strict';
const http = require('http');
const [port, customersPort] = process.argv.slice(2).map(Number);
const agent = new http.Agent({keepAlive: false});
let next = 0;

function deliver(done) {
  const hostname = `hooks.customer${next++ % 5000}.example`;
  const request = http.request({hostname, port: customersPort, method: 'GET', path: '/hook', agent}, (answer) => {
    answer.resume();
    answer.on('end', () => done(200));
  });
  request.on('error', () => done(502));
  request.end();
}

http.createServer((request, response) => deliver((status) => {
  response.writeHead(status, {'Content-Length': 3});
  response.end('ok\n');
})).listen(port, '127.0.0.1');
