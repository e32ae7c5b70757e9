// SPDX-License-Identifier: Apache-2.0
// Orders pass four stages. Prints orders a second. usage: orders PORT BATCH ROUNDS SECONDS
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

const CHANNEL: usize = 16;
const OTHER_ROUNDS: u64 = 30_000;

static DONE: AtomicU64 = AtomicU64::new(0);
static SUM: AtomicU64 = AtomicU64::new(0);

struct Order {
    number: u64,
    price: u64,
}

fn compute(mut value: u64, rounds: u64) -> u64 {
    for _ in 0..rounds {
        value = value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    }
    value
}

fn parse(next: SyncSender<Order>, rounds: u64) {
    for number in 0.. {
        if next.send(Order { number: compute(number, rounds), price: 0 }).is_err() {
            return;
        }
    }
}

fn enrich(orders: Receiver<Order>, next: SyncSender<Order>) {
    for mut order in orders {
        order.number = compute(order.number, OTHER_ROUNDS);
        next.send(order).expect("no next stage");
    }
}

fn price(orders: Receiver<Order>, next: SyncSender<Order>, port: u16, batch: usize) {
    let mut service = TcpStream::connect(("127.0.0.1", port)).expect("no price service");
    service.set_nodelay(true).expect("no TCP_NODELAY");
    let mut answers = BufReader::new(service.try_clone().expect("no second handle"));
    let mut asked: Vec<Order> = Vec::new();
    for order in orders {
        asked.push(order);
        if asked.len() < batch {
            continue;
        }
        let names: Vec<String> = asked.iter().map(|order| order.number.to_string()).collect();
        service.write_all((names.join(" ") + "\n").as_bytes()).expect("not sent");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("no answer");
        for mut priced in asked.drain(..) {
            priced.price = answer.trim().parse().expect("no price");
            next.send(priced).expect("no next stage");
        }
    }
}

fn write(orders: Receiver<Order>) {
    for order in orders {
        SUM.fetch_add(compute(order.price, OTHER_ROUNDS), Ordering::Relaxed);
        DONE.fetch_add(1, Ordering::Relaxed);
    }
}

fn start(name: &str, run: impl FnOnce() + Send + 'static) {
    thread::Builder::new().name(name.into()).spawn(run).expect("no thread");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let port: u16 = arguments[1].parse().expect("PORT");
    let batch: usize = arguments[2].parse().expect("BATCH");
    let rounds: u64 = arguments[3].parse().expect("ROUNDS");
    let seconds: u64 = arguments[4].parse().expect("SECONDS");
    let (to_enrich, from_parse) = sync_channel(CHANNEL);
    let (to_price, from_enrich) = sync_channel(CHANNEL);
    let (to_write, from_price) = sync_channel(CHANNEL);
    start("parse", move || parse(to_enrich, rounds));
    start("enrich", move || enrich(from_parse, to_price));
    start("price", move || price(from_enrich, to_write, port, batch));
    start("write", move || write(from_price));
    thread::sleep(Duration::from_secs(seconds));
    println!("{:.1}", DONE.load(Ordering::Relaxed) as f64 / seconds as f64);
    std::process::exit(0);
}
