// SPDX-License-Identifier: Apache-2.0
// usage: crawl.js PORT TASKS REQUESTS-A-SECOND SECONDS; prints pages a second.
const http = require('http');
const [port, tasks, rate, seconds] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const end = Date.now() + seconds * 1000;
let done = 0;

// A turn for each request, 1/rate apart.
let next = Date.now();
function turn() {
  const now = Date.now();
  next = Math.max(next + 1000 / rate, now - 5);
  return new Promise((go) => setTimeout(go, next - now));
}

function page() {
  return new Promise((go, fail) => {
    http.get({ port, agent, path: '/' }, (answer) => {
      answer.resume();
      answer.on('end', go);
    }).on('error', fail);
  });
}

async function crawl() {
  while (Date.now() < end) {
    await turn();
    await page();
    done++;
  }
}

Promise.all(Array.from({ length: tasks }, crawl)).then(() => {
  console.log(done / seconds);
  process.exit(0);
});
