//! Programs that encrypt, as data: what each links, which workload stands for it, whether you choose its cipher, and the lines with which
//! you do. `run NAME` and `advise --for NAME` know the same ones, and print the same lines.
//!
//! Each entry names its public sources. Lines are those of the versions that `place` names; tests/system starts the programs with them.

mod disks;
mod entry;
mod fixed;
mod ssh;
mod suites;
mod tls;

use disks::{LUKS, ZFS};
pub use entry::{Choice, Program};
pub(super) use entry::{Setting, StandIn};
use fixed::{AGE, QUIC, RAGE, RESTIC, WIREGUARD};
use ssh::OPENSSH;
use tls::{GO, HAPROXY, JAVA, NGINX, NODE, RUSTLS};

/// All of them, in the order in which errors name them.
pub const PROGRAMS: [&Program; 14] =
    [&NGINX, &HAPROXY, &OPENSSH, &JAVA, &NODE, &RUSTLS, &GO, &QUIC, &WIREGUARD, &LUKS, &ZFS, &RESTIC, &AGE, &RAGE];

/// The program of that name.
pub fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.into_iter().find(|program| program.is_called(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ciphermeter_core::Algorithm;

    use super::*;

    /// The settings of a program for both answers.
    fn both(program: &Program) -> Option<[Setting; 2]> {
        let provider = program.providers.first().unwrap_or(&"openssl");
        let [aes, chacha20] = Algorithm::USUAL;
        Some([program.setting(aes, provider, true)?, program.setting(chacha20, provider, true)?])
    }

    #[test]
    fn each_name_is_one_program_and_each_program_has_public_sources() {
        let mut names = BTreeSet::new();
        for program in PROGRAMS {
            assert!(names.insert(program.name), "{} twice", program.name);
            assert!(program.also == program.name || names.insert(program.also), "{} twice", program.also);
            assert!(!program.sources.is_empty(), "{}", program.name);
            assert!(program.sources.iter().all(|source| source.starts_with("https://")), "{:?}", program.sources);
            assert_eq!(super::program(&program.name.to_uppercase()).map(|found| found.name), Some(program.name));
        }
        assert!(super::program("tea").is_none());
    }

    #[test]
    fn rage_is_no_other_name_of_age_but_links_another_library() {
        let [age, rage] = ["age", "rage"].map(|name| super::program(name).unwrap());
        assert_eq!((age.name, age.providers), ("age", &["go"][..]));
        assert_eq!((rage.name, rage.providers), ("rage", &["rustcrypto"][..]));
        assert_eq!((rage.messages, rage.algorithms), (age.messages, age.algorithms));
    }

    #[test]
    fn preferred_cipher_comes_first() {
        for program in PROGRAMS {
            let Some([aes, chacha20]) = both(program) else { continue };
            let is_same = aes.sections == chacha20.sections;
            assert_eq!(is_same, chacha20.sections.is_empty(), "{}: the answer changes the lines", program.name);
            for (setting, first, second) in [(aes, "AES", "CHACHA"), (chacha20, "CHACHA", "AES")] {
                for section in &setting.sections {
                    let lines = section.lines.concat().to_uppercase();
                    let (first, second) = (lines.find(first), lines.find(second));
                    // rustls has code that sorts, of which a test of its own shows what it does.
                    let names_both = first.is_some() && second.is_some();
                    assert!(!names_both || first < second, "{}: {lines}", program.name);
                    assert!(program.name == "rustls" || first.is_some(), "{}: {lines}", program.name);
                }
            }
        }
    }

    #[test]
    fn go_gets_lines_only_where_its_own_choice_is_the_slower_cipher() {
        let [aes, chacha20] = Algorithm::USUAL;
        for (algorithm, has_aes) in [(aes, true), (aes, false), (chacha20, false)] {
            let own = GO.setting(algorithm, "go", has_aes).unwrap();
            assert!(own.sections.is_empty() && own.check.is_none(), "{own:?}");
            assert!(own.remarks[0].ends_with("else ChaCha20-Poly1305. Leave CipherSuites unset."), "{own:?}");
        }
        let forced = GO.setting(chacha20, "go", true).unwrap();
        assert_eq!(forced.sections[0].warning, Some("Clients of TLS 1.2 without ChaCha20-Poly1305 are refused."));
        assert!(!forced.sections[0].lines.concat().contains("AES"), "{forced:?}");
    }

    #[test]
    fn lists_of_openssl_put_the_default_behind_and_say_what_they_replace() {
        for (program, default, section_says) in [
            (&NGINX, ":HIGH:!aNULL:!MD5;", "in place of HIGH and the rest"),
            (&HAPROXY, ":ALL:!COMPLEMENTOFDEFAULT ", "in place of ALL and the rest"),
            (&NODE, ":HIGH:-aNULL:-PSK:-SRP:-CAMELLIA ", ""),
        ] {
            for setting in both(program).unwrap() {
                let section = &setting.sections[0];
                assert!((section.lines.join(" ") + " ").contains(default), "{section:?}");
                assert_eq!(section.warning.is_some(), !section_says.is_empty(), "{section:?}");
                let says = |text: &str| text.starts_with("Replace lines of these names") && text.contains(section_says);
                assert!(section.warning.is_none_or(says), "{section:?}");
            }
        }
    }

    #[test]
    fn java_gets_a_list_only_where_its_own_order_is_the_slower_and_it_warns() {
        let [aes, chacha20] = both(&JAVA).unwrap();
        assert!(aes.sections.is_empty() && aes.check.is_none(), "{aes:?}");
        assert!(aes.remarks[0].contains("Leave jdk.tls.server.cipherSuites unset."), "{aes:?}");
        let warning = Some("Clients of TLS 1.2 with none of these suites are refused.");
        assert_eq!(chacha20.sections[0].warning, warning);
    }

    #[test]
    fn ssh_leads_with_the_client_and_warns_of_what_a_server_forces() {
        let setting = OPENSSH.setting(Algorithm::Aes256Gcm, "openssl", true).unwrap();
        let [client, server] = &setting.sections[..] else { panic!("{setting:?}") };
        assert_eq!((client.lines[0].as_str(), client.warning), ("  Ciphers ^aes256-gcm@openssh.com", None));
        assert!(server.warning.is_some_and(|warning| warning.contains("keep a session open")), "{server:?}");
    }

    #[test]
    fn lines_of_a_tls_library_name_the_calls_of_your_own_code() {
        for (program, call) in
            [(&GO, "cipher.NewGCM"), (&JAVA, "Cipher.getInstance"), (&NODE, "createCipheriv"), (&RUSTLS, "aead::")]
        {
            let remarks = both(program).unwrap().map(|setting| setting.remarks.join(" "));
            assert!(remarks.iter().all(|all| all.contains("In your own code, choose") && all.contains(call)));
        }
    }

    /// Lines are copied, so they are never wrapped or cut.
    #[test]
    fn lines_are_printable_and_fit_a_terminal_where_the_program_can_continue_them() {
        for program in PROGRAMS {
            let setting = match &program.choice {
                Choice::NotMeasured { setting, .. } => vec![setting()],
                _ => both(program).into_iter().flatten().collect(),
            };
            let sections = || setting.iter().flat_map(|setting| &setting.sections);
            let above = || sections().flat_map(|section| [vec![section.heading()], section.warning()].concat());
            assert!(above().all(|line| line.len() <= 80), "{setting:?}");
            for line in sections().flat_map(|section| &section.lines) {
                assert!(!line.chars().any(char::is_control), "{line:?}");
                let is_whole = ["haproxy", "node"].contains(&program.name);
                assert!(line.len() <= 80 || (is_whole && line.len() <= 160), "{}: {line}", program.name);
            }
        }
    }
}
