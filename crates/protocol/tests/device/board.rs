//! A board that is played by a thread: on a pseudo terminal, which is a serial line without control lines, or on TCP.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use ciphermeter_protocol::Address;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// What a board says to a request, by the request's number from 0; nothing: it stays silent. `Hang up` is what pulls its cable.
pub type Says = fn(usize, &str) -> Vec<u8>;

/// The answer that closes the line.
pub const HANG_UP: &[u8] = b"hang up";

/// A worker with one offer that it never made: it answers `describe` and `clock`, and everything else with `rejected`.
pub fn worker(request: &str) -> Vec<u8> {
    match request {
        request if request.contains("describe") => {
            b"{\"is\":\"worker\",\"protocol\":1,\"worker\":\"board\",\"runtime\":\"C\",\"max_line\":512}\r\n{\"is\":\"end\"}\r\n".to_vec()
        }
        request if request.contains("clock") => b"{\"is\":\"clock\",\"step\":1,\"call\":4,\"loop\":9}\r\n".to_vec(),
        _ => b"{\"is\":\"rejected\"}\r\n".to_vec(),
    }
}

/// A board on a serial line that says this.
pub fn on_a_line(says: Says) -> Address {
    let board = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&board).and_then(|()| unlockpt(&board)).unwrap();
    let mut settings = tcgetattr(&board).unwrap();
    // Nothing echoes what the board says before its line is open.
    settings.make_raw();
    tcsetattr(&board, OptionalActions::Now, &settings).unwrap();
    let name = ptsname(&board, Vec::new()).unwrap().into_string().unwrap();
    let mut board = File::from(board);
    thread::spawn(move || {
        let (mut line, mut number, mut byte) = (Vec::new(), 0, [0]);
        loop {
            match board.read(&mut byte) {
                Ok(1) if byte[0] == b'\n' => {
                    let answer = says(number, &String::from_utf8_lossy(&line));
                    if answer == HANG_UP || board.write_all(&answer).is_err() {
                        return;
                    }
                    (line, number) = (Vec::new(), number + 1);
                }
                Ok(1) => line.push(byte[0]),
                // Nobody has the line open.
                _ => thread::sleep(Duration::from_millis(5)),
            }
        }
    });
    Address::parse(&name).unwrap()
}

/// A board on the network that says this, connection after connection.
pub fn on_the_network(says: Says) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::parse(&format!("tcp:{}", listener.local_addr().unwrap())).unwrap();
    thread::spawn(move || {
        let mut number = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            for line in BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok) {
                let answer = says(number, &line);
                number += 1;
                if answer == HANG_UP || stream.write_all(&answer).is_err() {
                    break;
                }
            }
        }
    });
    address
}
