// SPDX-License-Identifier: Apache-2.0
// Computes quotes by HTTP, a thread for each connection. usage: quotes PORT
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

// The price of an option by a tree of its possible prices.
fn price_of(strike: f64) -> f64 {
    const STEPS: usize = 600;
    let mut values: Vec<f64> = (0..=STEPS).map(|up| (100.0 * 1.002f64.powi(2 * up as i32 - STEPS as i32) - strike).max(0.0)).collect();
    for step in (0..STEPS).rev() {
        for up in 0..=step {
            values[up] = 0.4999 * values[up] + 0.5 * values[up + 1];
        }
    }
    values[0]
}

fn serve(stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    let mut strike = 80.0;
    while lines.read_line(&mut line)? > 0 {
        if line == "\r\n" {
            strike = 80.0 + (strike - 79.0) % 40.0;
            let text = format!("{:.4}\n", price_of(strike));
            lines.get_mut().write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", text.len(), text).as_bytes())?;
        }
        line.clear();
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let port: u16 = std::env::args().nth(1).expect("PORT").parse().expect("PORT");
    for stream in TcpListener::bind(("127.0.0.1", port))?.incoming() {
        let stream = stream?;
        thread::Builder::new().name("quote".into()).spawn(move || serve(stream))?;
    }
    Ok(())
}
