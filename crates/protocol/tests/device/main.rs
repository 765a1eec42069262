//! Links to boards that start late, chatter, stop in the middle of a line, vanish, or are none.

mod board;

use std::time::Duration;

use board::{HANG_UP, on_a_line, on_the_network, worker};
use ciphermeter_protocol::{Address, ConnectError, DeviceLines, DeviceLink, Link, LinkError, Reply, Request, describe};

/// What answers has time enough on any machine.
const PATIENCE: Duration = Duration::from_secs(3600);

fn opened(address: &Address) -> (DeviceLines, DeviceLink) {
    let mut lines = DeviceLines::with_patience(PATIENCE);
    let link = lines.link(address).unwrap();
    (lines, link)
}

/// Why there is no worker, told after so many seconds at most.
fn refused(address: &Address, seconds: u64) -> String {
    let mut lines = DeviceLines::with_patience(Duration::from_secs(seconds));
    lines.link(address).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn board_is_a_worker_like_any_other() {
    for address in [on_a_line(|_, request| worker(request)), on_the_network(|_, request| worker(request))] {
        let (_, mut link) = opened(&address);
        let described = describe(&mut link, PATIENCE).unwrap();
        assert_eq!((described.worker.as_str(), described.device.max_line), ("board", 512));
        assert_eq!(link.ask(&Request::Clock, PATIENCE).unwrap(), Reply::Counter { step: 1, call: 4, empty: 9 });
        assert_eq!(link.ask(&Request::Release { cell: 1 }, PATIENCE).unwrap(), Reply::Rejected);
    }
}

#[test]
fn boot_chatter_and_late_start_are_survived() {
    let (_, mut link) = opened(&on_a_line(|number, request| match number {
        0 => b"ets Jul 29 2019 12:21:46\r\nrst:0x1 (POWERON)\r\n{\"is\":\"sam".to_vec(),
        1 => b"ple\"}\r\nI (27) boot: ESP-IDF\r\n".to_vec(),
        _ => worker(request),
    }));
    assert_eq!(link.ask(&Request::Release { cell: 1 }, PATIENCE).unwrap(), Reply::Rejected);
}

#[test]
fn answers_to_the_first_requests_are_not_taken_for_later_ones() {
    // It was asleep while it was asked three times, and answers all at once.
    let (_, mut link) = opened(&on_a_line(|number, request| match number {
        0 | 1 => Vec::new(),
        2 => worker(request).repeat(3),
        _ => worker(request),
    }));
    assert_eq!(describe(&mut link, PATIENCE).unwrap().worker, "board");
    assert_eq!(link.ask(&Request::Release { cell: 1 }, PATIENCE).unwrap(), Reply::Rejected);
}

#[test]
fn what_is_no_worker_is_told_with_the_remedy() {
    let silent = refused(&on_a_line(|_, _| Vec::new()), 1);
    assert!(silent.contains("silence for 1 s: no worker answers; flash the firmware"), "{silent}");
    let sketch = refused(&on_a_line(|_, _| b"Temp: 21.5\x1b[0m\r\n".to_vec()), 3);
    assert!(sketch.contains(r"it says `Temp: 21.5\u{1b}[0m"), "{sketch}");
    let json = refused(&on_the_network(|_, _| b"{\"lux\":7}\n".to_vec()), 3);
    assert!(json.contains(r#"it says `{"lux":7}`"#), "{json}");
    let flood = refused(&on_the_network(|_, _| vec![b'x'; 2 << 20]), 3600);
    assert!(flood.contains("it sent 1 MiB without an answer, beginning with `xxx"), "{flood}");
    let mut lines = DeviceLines::default();
    let absent = lines.link(&Address::parse("/dev/ttyNone7").unwrap()).map(|_| ()).unwrap_err().to_string();
    assert!(absent.contains("/dev/ttyNone7: there is no such device; plug the board in"), "{absent}");
    let closed = refused(&Address::parse("tcp:127.0.0.1:1").unwrap(), 3600);
    assert!(closed.contains("tcp:127.0.0.1:1: no connection:"), "{closed}");
}

#[test]
fn port_in_use_is_told_so() {
    let address = on_a_line(|_, request| worker(request));
    let (_lines, _link) = opened(&address);
    let why = refused(&address, 3600);
    assert!(why.contains("another program has it open"), "{why}");
}

#[test]
fn providers_of_one_board_share_its_line() {
    let address = on_a_line(|_, request| worker(request));
    let (mut lines, mut first) = opened(&address);
    let mut second = lines.link(&address).unwrap();
    for link in [&mut first, &mut second] {
        assert_eq!(link.ask(&Request::Release { cell: 1 }, PATIENCE).unwrap(), Reply::Rejected);
    }
    drop((first, second));
    assert!(lines.link(&address).is_ok(), "the line is free again");
}

#[test]
fn line_that_broke_is_opened_again_for_all_links() {
    let half = on_a_line(|_, request| match request.contains("\"cell\":7") {
        true => b"{\"is\":\"sam\r\n".to_vec(),
        false => worker(request),
    });
    let gone = on_the_network(|_, request| match request.contains("\"cell\":7") {
        true => HANG_UP.to_vec(),
        false => worker(request),
    });
    for address in [half, gone] {
        let (mut lines, mut first) = opened(&address);
        let mut second = lines.link(&address).unwrap();
        let error = first.ask(&Request::Release { cell: 7 }, PATIENCE).unwrap_err();
        assert!(matches!(error, LinkError::BadLine { .. } | LinkError::Lost), "{error}");
        assert_eq!((first.life(), second.life()), (1, 1));
        let third = lines.link(&address).unwrap();
        assert_eq!((first.life(), second.life(), third.life()), (2, 2, 2));
        assert_eq!(second.ask(&Request::Release { cell: 1 }, PATIENCE).unwrap(), Reply::Rejected);
    }
}

#[test]
fn unasked_answer_breaks_the_line_and_chatter_does_not() {
    let says = |_, request: &str| match request {
        request if request.contains("\"cell\":7") => [worker(request), b"I (99) wifi: connected\r\n".to_vec()].concat(),
        request if request.contains("\"cell\":8") => worker(request).repeat(2),
        request => worker(request),
    };
    let (_, mut link) = opened(&on_a_line(says));
    let mut ask = |cell| {
        let answer = link.ask(&Request::Release { cell }, PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
        answer
    };
    for cell in [7, 1, 8] {
        assert_eq!(ask(cell).unwrap(), Reply::Rejected);
    }
    assert!(matches!(ask(1), Err(LinkError::Unasked)));
}

#[test]
fn unplugged_cable_is_noticed_at_once() {
    let address = on_a_line(|_, request| if request.contains("\"cell\"") { HANG_UP.to_vec() } else { worker(request) });
    let (mut lines, mut link) = opened(&address);
    assert!(matches!(link.ask(&Request::Release { cell: 1 }, PATIENCE), Err(LinkError::Lost)));
    drop(link);
    assert!(matches!(lines.link(&address), Err(ConnectError::Port { .. } | ConnectError::Broken { .. })));
}

#[test]
fn long_lines_go_through_a_narrow_line() {
    let (_, mut link) = opened(&on_a_line(|_, request| match request.contains("\"provider\"") {
        true => format!("{{\"is\":\"output\",\"output\":\"{}\"}}\n", "5a".repeat(request.len() / 4)).into_bytes(),
        false => worker(request),
    }));
    let check = ciphermeter_protocol::CheckInput {
        provider: "p".into(),
        algorithm: ciphermeter_core::Algorithm::Aes256Gcm,
        operation: ciphermeter_core::Operation::Seal,
        form: None,
        key: vec![7; 32],
        nonce: vec![7; 12],
        aad: vec![],
        input: vec![7; 16 * 1024],
        threads: None,
    };
    let Reply::Output(output) = link.ask(&Request::Check(check), PATIENCE).unwrap() else { panic!("no output") };
    assert!(output.len() > 8000);
}
