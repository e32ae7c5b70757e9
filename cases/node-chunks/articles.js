// SPDX-License-Identifier: Apache-2.0
// Fetches articles, eight at a time. usage: articles.js STORE-PORT ARCHIVE-PORT chunks|tasks ROUNDS SECONDS
// Prints articles a second.
const net = require('net');

const [storePort, archivePort, how, rounds, seconds] = process.argv.slice(2);
const end = Date.now() + Number(seconds) * 1000;

class Service {
  constructor(port) {
    this.port = Number(port);
    this.idle = [];
  }

  fetch(number) {
    return new Promise((resolve, reject) => {
      const socket = this.idle.pop() || net.connect(this.port, '127.0.0.1').setNoDelay(true);
      socket.once('error', reject);
      socket.once('data', (data) => {
        socket.removeListener('error', reject);
        this.idle.push(socket);
        resolve(data);
      });
      socket.write(`article ${number}\n`);
    });
  }
}

function checksum(number) {
  let sum = number;
  for (let round = 0; round < Number(rounds); round++) sum = (sum * 31 + round) % 1000003;
  return sum;
}

const store = new Service(storePort);
const archive = new Service(archivePort);
let started = 0;
let done = 0;

async function fetchNext() {
  const number = started++;
  await (number % 8 === 0 ? archive : store).fetch(number);
  checksum(number);
  done++;
}

async function inChunks() {
  while (Date.now() < end) await Promise.all(Array.from({ length: 8 }, fetchNext));
}

async function task() {
  while (Date.now() < end) await fetchNext();
}

async function main() {
  await (how === 'chunks' ? inChunks() : Promise.all(Array.from({ length: 8 }, task)));
  console.log((done / Number(seconds)).toFixed(1));
  process.exit(0);
}

main();
