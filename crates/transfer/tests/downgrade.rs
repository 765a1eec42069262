//! Neither end can make the other accept a suite that does not follow from both ends' rates.

use std::fs;
use std::thread;

use crate::common::{bytes, plain, receive_options, receiving, send_options, send_paths, test_ends};
use ciphermeter_transfer::{Error, Rate, SendOptions, Suite};
use serde_json::{Value, json};

fn welcome(changes: Value) -> Value {
    let mut welcome = json!({
        "is": "welcome", "wire": 3, "transfer": "11".repeat(16), "attempt": 1, "resume": "22".repeat(16),
        "suites": test_ends::suites(), "suite": "aes-256-gcm", "why": "so", "asked": false, "streams": 1,
    });
    for (key, value) in changes.as_object().unwrap() {
        welcome[key] = value.clone();
    }
    welcome
}

/// How a sender reacts to a welcome, and what it says after it.
fn answered(welcome: &Value, options: &SendOptions) -> (Error, Option<Value>) {
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(1000)).unwrap();
    let receiver = test_ends::Receiver::new(&[test_ends::ALPN]);
    thread::scope(|scope| {
        let next = scope.spawn(|| {
            let mut sender = receiver.accept().unwrap();
            let hello = sender.receive().unwrap();
            assert_eq!((&hello["is"], &hello["wire"]), (&json!("hello"), &json!(3)));
            sender.send(welcome).unwrap();
            sender.receive()
        });
        let error = send_paths(&receiver.ticket, &[path], options).unwrap_err();
        (plain(error), next.join().unwrap())
    })
}

#[test]
fn receiver_that_picks_another_suite_gets_nothing() {
    let (error, next) = answered(&welcome(json!({"suite": "chacha20-poly1305"})), &send_options());
    assert!(matches!(&error, Error::Message(why) if why.contains("both ends' rates")), "{error}");
    assert_eq!(next, None);
    // Nor a receiver that omits the better suite from its list, but picks it.
    let chacha = json!([{"suite": "chacha20-poly1305", "seal": 1000, "open": 1000}]);
    let (error, next) = answered(&welcome(json!({"suites": chacha})), &send_options());
    assert!(matches!(error, Error::Message(_)) && next.is_none(), "{error}");
}

#[test]
fn receiver_that_overrules_the_user_gets_nothing() {
    let wanted = SendOptions { wanted: Some(Suite::Aes256Gcm), ..send_options() };
    let overruled = welcome(json!({"suite": "chacha20-poly1305", "asked": true}));
    let (error, next) = answered(&overruled, &wanted);
    assert!(matches!(&error, Error::Disagreed(why) if why.contains("leave --cipher away")), "{error}");
    assert_eq!(next, None);
}

#[test]
fn impossible_welcome_is_refused() {
    for changes in [
        json!({"suite": "null"}),
        json!({"suite": "aes-128-gcm"}),
        json!({"suites": [{"suite": "rot13", "seal": 1, "open": 1}]}),
        json!({"suites": []}),
        json!({"wire": 1}),
        json!({"streams": 0}),
        json!({"streams": 2}),
        json!({"transfer": "11"}),
        json!({"is": "ready"}),
    ] {
        let (error, next) = answered(&welcome(changes.clone()), &send_options());
        assert!(matches!(error, Error::Message(_)), "{changes}: {error}");
        assert_eq!(next, None, "{changes}");
    }
}

#[test]
fn refusal_text_has_no_effect_on_a_terminal() {
    let refused = json!({"is": "refused", "why": format!("no\u{1b}[2J\n{}", "x".repeat(5000))});
    let (error, _) = answered(&refused, &send_options());
    let text = error.to_string();
    assert!(
        text.contains("refuses: \"no\\u{1b}[2J\\nxxx") && !text.contains(char::is_control) && text.len() < 600,
        "{text}"
    );
}

#[test]
fn sender_with_only_unknown_suites_is_refused_and_ticket_stays_valid() {
    let to = tempfile::tempdir().unwrap();
    let receiving = receiving(receive_options(Some(to.path())), true);
    for suites in
        [json!([{"suite": "null", "seal": 9, "open": 9}]), json!("aes-256-gcm"), json!([{"suite": "aes-256-gcm"}])]
    {
        let mut sender = test_ends::sender(receiving.address);
        let mut hello = test_ends::hello(&receiving.ticket);
        hello["suites"] = suites;
        sender.send(&hello).unwrap();
        let answer = sender.receive().unwrap();
        assert_eq!(answer["is"], "refused", "{answer}");
        assert!(answer["why"].as_str().unwrap().contains("same version"), "{answer}");
    }
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(1000)).unwrap();
    send_paths(&receiving.ticket, &[path], &send_options()).unwrap();
    receiving.ended().unwrap();
}

#[test]
fn missing_common_suite_is_reported_on_both_ends() {
    let receiving = receiving(receive_options(None), true);
    let mut sender = test_ends::sender(receiving.address);
    let mut hello = test_ends::hello(&receiving.ticket);
    hello["suites"] = json!([]);
    sender.send(&hello).unwrap();
    assert_eq!(sender.receive().unwrap()["is"], "refused");
    assert!(matches!(receiving.ended().map_err(plain), Err(Error::Disagreed(_))));
}

#[test]
fn conflicting_cipher_options_are_reported_on_both_ends() {
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(1000)).unwrap();
    let mut options = receive_options(None);
    options.wanted = Some(Suite::Aes256Gcm);
    let receiving = receiving(options, true);
    let options = SendOptions { wanted: Some(Suite::ChaCha20Poly1305), ..send_options() };
    let sent = send_paths(&receiving.ticket, &[path], &options).unwrap_err();
    let received = receiving.ended().unwrap_err();
    for error in [sent, received] {
        assert!(error.to_string().contains("leave --cipher away on one of them"), "{error}");
        assert!(!error.to_string().contains("invalid message"), "{error}");
    }
}

/// A suite that only one end has, or that one end is slow at, decides, however fast the other end is.
#[test]
fn rates_of_both_ends_decide() {
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(1000)).unwrap();
    let slow_aes = crate::common::rates(100, 900);
    let only = |suite| vec![Rate { suite, seal: 500, open: 500 }];
    let fast = crate::common::rates(5000, 1500);
    for (sender, receiver, expected) in [
        (&slow_aes, &fast, Suite::ChaCha20Poly1305),
        (&fast, &slow_aes, Suite::ChaCha20Poly1305),
        (&fast, &fast, Suite::Aes256Gcm),
        (&only(Suite::ChaCha20Poly1305), &fast, Suite::ChaCha20Poly1305),
        (&fast, &only(Suite::ChaCha20Poly1305), Suite::ChaCha20Poly1305),
    ] {
        let mut options = receive_options(None);
        options.rates = receiver.clone();
        let receiving = receiving(options, true);
        let options = SendOptions { rates: sender.clone(), ..send_options() };
        let sent = send_paths(&receiving.ticket, std::slice::from_ref(&path), &options).unwrap();
        let received = receiving.ended().unwrap();
        assert_eq!((sent.suite, received.suite), (expected, expected));
        assert_eq!((sent.receiver_rates, received.sender_rates), (receiver.clone(), sender.clone()));
    }
}
