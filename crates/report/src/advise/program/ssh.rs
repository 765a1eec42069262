//! OpenSSH.

use ciphermeter_core::Algorithm;

use super::entry::{Choice, Overrated, Pick, Program, Section, Setting, StandIn};
use super::suites::{SUITES, longer_key};

pub(super) const OPENSSH: Program = Program {
    name: "ssh",
    also: "openssh",
    title: "OpenSSH",
    scenario: Some("tls"),
    algorithms: &SUITES,
    providers: &["openssl"],
    says: "OpenSSH takes AES-GCM and ChaCha20 from OpenSSL and brings its own Poly1305 (since 8.3; before, its own ChaCha20, too), for which OpenSSL's stands here",
    overrated: Some(Overrated {
        algorithm: Algorithm::ChaCha20Poly1305,
        instead: "Time both: `ssh -c CIPHER HOST 'head -c 2G /dev/zero' >/dev/null`, aes256-gcm@openssh.com and chacha20-poly1305@openssh.com.",
    }),
    stand_in: Some(StandIn { ciphers: "OpenSSL's ciphers", sizes: "TLS's sizes", own: "OpenSSH's" }),
    choice: Choice::Free(openssh),
    sources: &[
        "https://man.openbsd.org/ssh_config#Ciphers",
        "https://man.openbsd.org/sshd_config#DESCRIPTION",
        "https://www.rfc-editor.org/rfc/rfc4253#section-7.1",
        "https://github.com/openssh/openssh-portable/blob/master/cipher-chachapoly-libcrypto.c",
        "https://www.openssh.com/txt/release-8.1",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

/// The first of the client's ciphers that the server has is taken (RFC 4253, 7.1), so a server forces a cipher only by having no other.
fn openssh(_: Pick) -> Setting {
    let cipher = "aes256-gcm@openssh.com";
    Setting {
        sections: vec![
            Section::new("ssh_config, whose order counts (OpenSSH 8.1 or later)", [format!("  Ciphers ^{cipher}")]),
            Section::new(
                "sshd_config, only to force it, as a server's order does not count",
                [format!("  Ciphers {cipher}")],
            )
            .with_warning("Clients without it can no longer log in; keep a session open while you try it."),
        ],
        check: Some("sshd -T | grep ^ciphers; ssh -G HOST | grep ^ciphers".into()),
        links: Some("ssh -V"),
        remarks: vec![
            "The first line with Ciphers counts, in an included file too: replace that one.",
            longer_key(true),
            "The margin is a lower bound: OpenSSH's own Poly1305 is portable C, and each packet's length is encrypted with a second key.",
        ],
    }
}
