// SPDX-License-Identifier: Apache-2.0
// Shows a basket with its price. usage: basket.js PORT PRICES_PORT SOCKETS ROWS
'use strict';
const http = require('http');

const [port, pricesPort, sockets, rows] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: sockets });

function price(done) {
  http.get({ host: '127.0.0.1', port: pricesPort, agent, path: '/' }, (answer) => {
    let text = '';
    answer.on('data', (part) => { text += part; });
    answer.on('end', () => done(text.trim()));
  });
}

function page(text) {
  let html = '<table>';
  for (let row = 0; row < rows; row++) html += `<tr><td>${row}</td><td>${text}</td></tr>`;
  return html + '</table>';
}

http.createServer((request, response) => {
  price((text) => response.end(page(text)));
}).listen(port, '127.0.0.1');
