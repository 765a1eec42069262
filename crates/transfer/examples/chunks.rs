//! Measures which chunk size, and which way from the page cache into the socket, is fastest here. WIRE.md's choice
//! rests on this.
//!
//! `cargo run --release -p ciphermeter-transfer --example chunks -- FILE [ROUNDS]` sends the file over loopback to a
//! process that opens the frames and discards them, in every combination, in turns, and prints the median rate of each.
//! It is a model of a data connection with one fixed key, for timing only.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use aws_lc_rs::aead::{AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use memmap2::Mmap;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

const HEADER: usize = 5;
const TAG: usize = 16;
const SIZES: [usize; 5] = [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20];
/// Ways into the socket. `plain`: no cipher. `here`: read into the buffer that it is sent from, sealed in place.
/// `apart`: read into another buffer. `map`: sealed from a map of the file. `woken`: like `here`, but the receiver
/// waits for each byte, where the others leave the socket alone for a lull before they wait.
const WAYS: [&str; 5] = ["plain", "here", "apart", "map", "woken"];
const LULL: Duration = Duration::from_micros(20);

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "receive", suite, way, chunk, total] => receive(suite, way, chunk.parse()?, total.parse()?),
        [_, file] => compare(file, 9),
        [_, file, rounds] => compare(file, rounds.parse()?),
        _ => Err("give a file of some hundred MiB".into()),
    }
}

fn compare(path: &str, rounds: usize) -> Fallible<()> {
    let mut cells = Vec::new();
    for suite in ["aes-256-gcm", "chacha20-poly1305"] {
        for way in WAYS.into_iter().filter(|way| *way != "plain" || suite == "aes-256-gcm") {
            cells.extend(SIZES.map(|chunk| (suite, way, chunk, Vec::new())));
        }
    }
    for round in 0..=rounds {
        for turn in 0..cells.len() {
            // Other neighbours in each round; 8 and 45 cells have no common divisor, so each gets its turn.
            let number = (turn * 8 + round * 7) % cells.len();
            // Some systems drop from the page cache what was not read for seconds.
            io::copy(&mut File::open(path)?, &mut io::sink())?;
            let (suite, way, chunk, rates) = &mut cells[number];
            let rate = once(path, suite, way, *chunk)?;
            if round > 0 {
                rates.push(rate);
            }
        }
    }
    println!("{:<18} {:<6} {:>9} {:>12}", "suite", "way", "chunk", "median MB/s");
    for (suite, way, chunk, mut rates) in cells {
        rates.sort_by(f64::total_cmp);
        let suite = if way == "plain" { "none" } else { suite };
        println!("{suite:<18} {way:<6} {:>5} KiB {:>12.0}", chunk >> 10, rates[rates.len() / 2]);
    }
    Ok(())
}

fn once(path: &str, suite: &str, way: &str, chunk: usize) -> Fallible<f64> {
    let file = File::open(path)?;
    let total = file.metadata()?.len();
    let mut receiver = Command::new(std::env::current_exe()?)
        .args(["receive", suite, way, &chunk.to_string(), &total.to_string()])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut address = String::new();
    BufReader::new(receiver.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    let mut socket = TcpStream::connect(address.trim())?;
    socket.set_nodelay(true)?;
    let began = Instant::now();
    send(&file, total, &mut socket, suite, way, chunk)?;
    socket.read_exact(&mut [0])?;
    let took = began.elapsed().as_secs_f64();
    receiver.wait()?;
    Ok(total as f64 / took / 1e6)
}

fn key(suite: &str) -> LessSafeKey {
    let algorithm = if suite == "aes-256-gcm" { &AES_256_GCM } else { &CHACHA20_POLY1305 };
    LessSafeKey::new(UnboundKey::new(algorithm, &[7; 32]).expect("32 bytes"))
}

fn nonce(number: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(nonce)
}

fn send(file: &File, total: u64, socket: &mut TcpStream, suite: &str, way: &str, chunk: usize) -> Fallible<()> {
    let key = key(suite);
    // SAFETY: the benchmark's own file, which nothing shortens meanwhile. A transfer may not assume that, and does not
    // map.
    let map = if way == "map" { Some(unsafe { Mmap::map(file)? }) } else { None };
    let (mut apart, mut frame) = (vec![0; chunk], vec![0; HEADER + chunk + TAG]);
    let (mut offset, mut number) = (0, 0);
    while offset < total {
        let length = (total - offset).min(chunk as u64) as usize;
        let header = [0; HEADER];
        let (text, tag) = frame[HEADER..HEADER + length + TAG].split_at_mut(length);
        let aad = Aad::from(header);
        match (way, &map) {
            ("plain", _) => file.read_exact_at(text, offset)?,
            ("here" | "woken", _) => {
                file.read_exact_at(text, offset)?;
                let sealed = key.seal_in_place_separate_tag(nonce(number), aad, text);
                tag.copy_from_slice(sealed.map_err(|_| "sealing failed")?.as_ref());
            }
            (_, map) => {
                let from = match map {
                    Some(map) => &map[offset as usize..][..length],
                    None => {
                        file.read_exact_at(&mut apart[..length], offset)?;
                        &apart[..length]
                    }
                };
                let sealed = key.seal_out_of_place_scatter(nonce(number), aad, from, text, &[], tag);
                sealed.map_err(|_| "sealing failed")?;
            }
        }
        socket.write_all(&frame[..HEADER + length + TAG])?;
        offset += length as u64;
        number += 1;
    }
    Ok(())
}

/// With a lull before it waits for the socket.
fn read_exact(socket: &mut TcpStream, into: &mut [u8]) -> Fallible<()> {
    let mut filled = 0;
    let mut waits = false;
    while filled < into.len() {
        let left = &mut into[filled..];
        let read = match recv(&*socket, &mut *left, RecvFlags::DONTWAIT) {
            Ok((read, _)) => {
                waits = false;
                read
            }
            Err(Errno::WOULDBLOCK) if waits => socket.read(left)?,
            Err(Errno::WOULDBLOCK) => {
                thread::sleep(LULL);
                waits = true;
                continue;
            }
            Err(why) => return Err(why.into()),
        };
        if read == 0 {
            return Err("the sender ended early".into());
        }
        filled += read;
    }
    Ok(())
}

fn receive(suite: &str, way: &str, chunk: usize, total: u64) -> Fallible<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    let (mut socket, _) = listener.accept()?;
    let (key, mut frame) = (key(suite), vec![0; HEADER + chunk + TAG]);
    let (mut offset, mut number) = (0, 0);
    while offset < total {
        let length = (total - offset).min(chunk as u64) as usize;
        let frame = &mut frame[..HEADER + length + TAG];
        if way == "woken" {
            socket.read_exact(frame)?
        } else {
            read_exact(&mut socket, frame)?
        }
        if way != "plain" {
            let aad = Aad::from([0; HEADER]);
            key.open_in_place(nonce(number), aad, &mut frame[HEADER..]).map_err(|_| "opening failed")?;
        }
        offset += length as u64;
        number += 1;
    }
    Ok(socket.write_all(b"a")?)
}
