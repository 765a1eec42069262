//! The lines for a program's configuration, for scenarios that are named after a program which lets you choose.

/// What a program calls AES and ChaCha20, in the order in which it is to prefer them.
struct Choice {
    aes: &'static str,
    chacha20: &'static str,
    between: &'static str,
}

/// Cipher suites of TLS 1.3 by their names in OpenSSL; every client has one of them.
const TLS: Choice = Choice {
    aes: "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256",
    chacha20: "TLS_CHACHA20_POLY1305_SHA256",
    between: ":",
};
/// As `ssh -Q cipher` lists them.
const SSH: Choice = Choice { aes: "aes256-gcm@openssh.com", chacha20: "chacha20-poly1305@openssh.com", between: "," };

/// The lines for a scenario's program that prefer AES, or else ChaCha20; none where it has nothing to choose.
pub(super) fn lines(scenario: &str, prefers_aes: bool) -> Vec<String> {
    match scenario {
        "nginx" => vec![
            "For nginx.conf (nginx 1.19.4 or later; TLS 1.3):".into(),
            "  ssl_prefer_server_ciphers on;".into(),
            "  ssl_conf_command Ciphersuites".into(),
            format!("    {};", TLS.ordered(prefers_aes)),
        ],
        "ssh" => vec!["For ssh_config, and sshd_config:".into(), format!("  Ciphers {}", SSH.ordered(prefers_aes))],
        _ => Vec::new(),
    }
}

impl Choice {
    fn ordered(&self, prefers_aes: bool) -> String {
        let order = if prefers_aes { [self.aes, self.chacha20] } else { [self.chacha20, self.aes] };
        order.join(self.between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_cipher_comes_first_and_lines_fit() {
        for name in ["nginx", "ssh"] {
            let [aes, chacha20] = [true, false].map(|prefers_aes| lines(name, prefers_aes));
            for lines in [&aes, &chacha20] {
                assert!(lines.iter().all(|line| line.len() <= 80), "{lines:?}");
            }
            let place = |lines: &[String], word: &str| lines.concat().to_lowercase().find(word).unwrap();
            assert!(place(&aes, "gcm") < place(&aes, "chacha20"));
            assert!(place(&chacha20, "chacha20") < place(&chacha20, "gcm"));
        }
        assert!(lines("wireguard", true).is_empty());
    }
}
