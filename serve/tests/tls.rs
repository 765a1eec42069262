//! What `push` says of TLS has a remedy.

use std::fs;

use rcgen::{CertificateParams, KeyPair};

use crate::common::engine::{Engine, sqlite};
use crate::common::sender::Sender;
use crate::common::{Server, program};

/// A server with a certificate for these names, and the file of that.
fn secure(folder: &std::path::Path, names: &[&str]) -> (Server, String, Engine) {
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let certificate = CertificateParams::new(names).unwrap().self_signed(&key).unwrap();
    let [certificate_file, key_file] =
        ["certificate.pem", "key.pem"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    fs::write(&certificate_file, certificate.pem()).unwrap();
    fs::write(&key_file, key.serialize_pem()).unwrap();
    let engine = sqlite();
    let server = Server::start(&engine, &["--certificate", &certificate_file, "--key", &key_file]);
    (server, certificate_file, engine)
}

fn says(sender: &Sender, words: &[&str], remedy: &str) {
    let (code, said) = sender.push(words);
    assert_eq!(code, Some(5), "{said}");
    let of_run = said.lines().find(|line| line.contains(words[2])).unwrap_or_else(|| panic!("{said}"));
    assert!(of_run.contains(remedy), "{said}");
}

#[test]
fn faults_of_tls_are_said_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (server, certificate, _engine) = secure(folder.path(), &["127.0.0.1", "localhost"]);
    let mut sender = Sender::new();
    let one = sender.measure().to_string();
    says(&sender, &[&one, "--to", &server.url], "name the copy with --certificate");
    let other = server.url.replace("https://", "http://");
    says(&sender, &[&one, "--to", &other], "if the server speaks HTTPS, write https://127.0.0.1");
    let plain_engine = sqlite();
    let plain = Server::start(&plain_engine, &[]);
    let secure_url = plain.url.replace("http://", "https://");
    says(&sender, &[&one, "--to", &secure_url], "if it is HTTP, write http:// in --to");
    let foreign = tempfile::tempdir().unwrap();
    let (wrong, other_certificate, _other_engine) = secure(foreign.path(), &["team.example"]);
    says(
        &sender,
        &[&one, "--to", &wrong.url, "--certificate", &other_certificate],
        "its certificate is for other names",
    );
    let (_, said) = sender.push(&[&one, "--to", &server.url, "--certificate", &certificate]);
    assert!(said.contains("has the run"), "{said}");
}

#[test]
fn certificates_that_cannot_be_used_are_one_line_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let [key, other] = [(); 2].map(|()| KeyPair::generate().unwrap());
    let made = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let certificate = file("certificate.pem", &made.pem());
    let [key, other] = [("key.pem", &key), ("other.pem", &other)].map(|(name, key)| file(name, &key.serialize_pem()));
    let odd = file("odd.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    let long = file("long.pem", &" ".repeat((1 << 20) + 1));
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap().to_owned();
    for (certificate, key, why) in [
        (pipe.as_str(), key.as_str(), "it is not a regular file"),
        ("/dev/zero", &key, "it is not a regular file"),
        (&certificate, "/dev/zero", "it is not a regular file"),
        (&long, &key, "longer than 1 MiB"),
        (&key, &key, "has no certificate in PEM: name"),
        (&certificate, &certificate, "has no private key in PEM"),
        (&certificate, &other, "is not that of the certificate"),
        (&certificate, &odd, "cannot be used"),
    ] {
        let (home, engine) = (tempfile::tempdir().unwrap(), sqlite());
        let words = ["serve", "--listen", "127.0.0.1:0", "--database", &engine.url];
        let output = program(home.path()).args(words).args(["--certificate", certificate, "--key", key]).output();
        let said = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(said.lines().count() == 1 && said.contains(why), "{certificate} {key}: {said}");
    }
}
