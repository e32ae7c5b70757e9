// SPDX-License-Identifier: Apache-2.0
// Prints labels: workers take jobs from one channel and ask a label service for each. Prints jobs a second.
// usage: printer PORT WORKERS kept|dropped SECONDS
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

static DONE: AtomicU64 = AtomicU64::new(0);

struct Service {
    answers: BufReader<TcpStream>,
}

impl Service {
    fn dial(port: u16) -> Service {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("no label service");
        stream.set_nodelay(true).expect("no TCP_NODELAY");
        Service { answers: BufReader::new(stream) }
    }

    fn print(&mut self, job: u64) {
        let mut answer = String::new();
        self.answers.get_mut().write_all(format!("label {job}\n").as_bytes()).expect("not sent");
        self.answers.read_line(&mut answer).expect("no answer");
        DONE.fetch_add(1, Ordering::Relaxed);
    }
}

// The guard is a temporary of the condition: it lives until the body ends.
fn work_with_guard(jobs: &Mutex<Receiver<u64>>, service: &mut Service) {
    while let Ok(job) = jobs.lock().unwrap().recv() {
        service.print(job);
    }
}

fn work_without_guard(jobs: &Mutex<Receiver<u64>>, service: &mut Service) {
    loop {
        let job = jobs.lock().unwrap().recv();
        match job {
            Ok(job) => service.print(job),
            Err(_) => return,
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let port: u16 = arguments[1].parse().expect("PORT");
    let workers: usize = arguments[2].parse().expect("WORKERS");
    let kept = arguments[3] == "kept";
    let seconds: u64 = arguments[4].parse().expect("SECONDS");
    let (sender, receiver) = sync_channel(64);
    let jobs = Arc::new(Mutex::new(receiver));
    for _ in 0..workers {
        let jobs = Arc::clone(&jobs);
        let run = move || {
            let mut service = Service::dial(port);
            if kept { work_with_guard(&jobs, &mut service) } else { work_without_guard(&jobs, &mut service) }
        };
        thread::Builder::new().name("worker".into()).spawn(run).expect("no thread");
    }
    let begin = Instant::now();
    let mut job = 0;
    while begin.elapsed() < Duration::from_secs(seconds) {
        sender.send(job).expect("no worker");
        job += 1;
    }
    println!("{:.1}", DONE.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64());
    std::process::exit(0);
}
