// SPDX-License-Identifier: Apache-2.0
// A shop's service: GET /price answers a small page made from a template, GET /report all orders, compressed.
//
// usage: server.js PORT TEMPLATE sync|async       how the report is compressed

"use strict";
const fs = require("fs");
const http = require("http");
const zlib = require("zlib");

const ORDERS = 12000;
const [port, template, how] = process.argv.slice(2);

const orders = Array.from({ length: ORDERS }, (_, id) => ({
  id,
  customer: `customer ${(id * 7919) % 10007}`,
  total: ((id * 31) % 9973) / 100,
  paid: id % 3 === 0,
}));
const report = Buffer.from(JSON.stringify(orders));

function answerReport(response) {
  const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
  if (how === "sync") {
    response.writeHead(200, headers).end(zlib.gzipSync(report)); // the event loop stands still meanwhile
    return;
  }
  zlib.gzip(report, (error, compressed) => {
    if (error) throw error;
    response.writeHead(200, headers).end(compressed);
  });
}

async function answerPrice(response) {
  const text = await fs.promises.readFile(template, "utf8");
  const order = orders[Math.floor(Math.random() * ORDERS)];
  response.writeHead(200, { "Content-Type": "text/html" }).end(text.replace("PRICE", order.total));
}

http
  .createServer((request, response) => {
    if (request.url === "/report") answerReport(response);
    else answerPrice(response);
  })
  .listen(Number(port), "127.0.0.1");
