//! OpenSSH.

use super::entry::{Choice, Pick, Program, Section, Setting};
use super::suites::SUITES;

pub(super) const OPENSSH: Program = Program {
    name: "ssh",
    also: "openssh",
    title: "OpenSSH",
    scenario: Some("tls"),
    algorithms: &SUITES,
    providers: &["openssl"],
    says: "OpenSSH takes AES-GCM and ChaCha20 from OpenSSL and brings its own Poly1305 (since 8.3; before, its own ChaCha20, too), for which OpenSSL's stands here",
    choice: Choice::Free(openssh),
    sources: &[
        "https://man.openbsd.org/ssh_config#Ciphers",
        "https://www.rfc-editor.org/rfc/rfc4253#section-7.1",
        "https://github.com/openssh/openssh-portable/blob/master/cipher-chachapoly-libcrypto.c",
        "https://www.openssh.com/txt/release-8.1",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

/// The first of the client's ciphers that the server has is taken (RFC 4253, 7.1), so a server forces a cipher only by having no other.
fn openssh(Pick { prefers_aes, .. }: Pick) -> Setting {
    let cipher = if prefers_aes { "aes256-gcm@openssh.com" } else { "chacha20-poly1305@openssh.com" };
    Setting {
        sections: vec![
            Section::new("ssh_config, whose order counts (OpenSSH 8.1 or later)", [format!("  Ciphers ^{cipher}")]),
            Section::new(
                "sshd_config, whose order does not count: this forces it on every client",
                [format!("  Ciphers {cipher}")],
            ),
        ],
        check: Some("sshd -t; ssh -G HOST shows what a client offers"),
        links: Some("ssh -V"),
        remarks: vec![if prefers_aes {
            "Its ChaCha20-Poly1305 is slower still than the one measured: Poly1305 is its own portable C, and each packet's length has a second key."
        } else {
            "Its ChaCha20-Poly1305 is slower than the one measured, so the lead is smaller: Poly1305 is its own portable C, and each packet's length has a second key."
        }],
    }
}
