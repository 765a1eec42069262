//! What `push` says of TLS has a remedy.

use std::fs;

use rcgen::{CertificateParams, KeyPair};

use crate::common::Server;
use crate::common::engine::{Engine, sqlite};
use crate::common::sender::Sender;

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
