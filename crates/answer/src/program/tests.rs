//! The files of programs/ by their promises.

use std::collections::BTreeSet;

use super::*;

/// The settings of a program for both answers.
fn both(program: &Program) -> Option<[Setting; 2]> {
    let provider = program.providers.first().map_or("openssl", String::as_str);
    let [aes, chacha20] = Algorithm::USUAL;
    Some([program.setting(aes, provider, true)?, program.setting(chacha20, provider, true)?])
}

fn named(name: &str) -> &'static Program {
    program(name).unwrap_or_else(|| panic!("{name}"))
}

/// What a program is set to, for each cipher of its settings.
fn each(program: &Program) -> Vec<(Algorithm, Setting)> {
    let provider = program.providers.first().map_or("openssl", String::as_str);
    let ciphers: BTreeSet<Algorithm> = program.settings.iter().flat_map(|own| own.ciphers.iter().copied()).collect();
    ciphers.into_iter().filter_map(|one| Some((one, program.setting(one, provider, true)?))).collect()
}

/// All that may be printed for a program.
fn texts(setting: &Setting) -> Vec<&String> {
    let sections = setting.sections.iter().flat_map(|section| section.lines.iter().chain([&section.place]));
    sections.chain(&setting.remarks).chain(&setting.check).chain(&setting.links).collect()
}

#[test]
fn each_file_is_a_program_and_an_unknown_key_is_refused() {
    for text in FILES {
        let read: Result<Program, _> = toml::from_str(text);
        assert!(read.is_ok(), "{text}\n{}", read.unwrap_err());
    }
    assert_eq!(PROGRAMS.len(), FILES.len());
    let nginx = FILES[0];
    for (from, to) in [
        ("title = ", "tilte = "),
        ("check = ", "chekc = "),
        ("warning = ", "warnings = "),
        ("aes-256-gcm\", \"chacha20", "rot13\", \"chacha20"),
    ] {
        assert!(nginx.contains(from) && toml::from_str::<Program>(&nginx.replace(from, to)).is_err(), "{from}");
    }
    let ssh = FILES[2];
    for (from, to) in [("instead = ", "other = "), ("own = ", "owns = ")] {
        assert!(ssh.contains(from) && toml::from_str::<Program>(&ssh.replace(from, to)).is_err(), "{from}");
    }
}

#[test]
fn each_key_is_of_use() {
    let programs = || PROGRAMS.iter();
    let settings = || programs().flat_map(|program| &program.settings);
    assert!(programs().any(|program| !program.also.is_empty() && program.form.is_some() && program.budget.is_some()));
    assert!(programs().any(|program| program.overrated.is_some() && program.stand_in.is_some()));
    assert!(programs().any(|program| program.providers.is_empty()));
    assert!(programs().any(|program| matches!(program.choice, Choice::None(_))));
    assert!(settings().any(|setting| setting.needs_aes));
    for program in programs() {
        assert_eq!(program.leaves_a_choice(), !program.settings.is_empty(), "{program:?}");
        assert!(program.settings.iter().all(|one| one.ciphers.iter().all(|own| program.algorithms.contains(own))));
        assert!(program.messages.is_empty() || !program.algorithms.is_empty(), "{program:?}");
        let overrated = program.overrated.as_ref().map(|own| own.algorithm);
        assert!(program.settings.iter().all(|one| one.ciphers.iter().all(|own| Some(*own) != overrated)));
    }
}

#[test]
fn each_word_has_a_value_wherever_it_stands() {
    for program in PROGRAMS.iter().filter(|program| !program.words.is_empty()) {
        let own: BTreeSet<Algorithm> = each(program).into_iter().map(|(algorithm, _)| algorithm).collect();
        for (algorithm, provider) in own.iter().flat_map(|one| program.providers.iter().map(move |name| (*one, name))) {
            let Some(setting) = program.setting(algorithm, provider, true) else { continue };
            for text in texts(&setting) {
                let left = program.words.keys().find(|word| text.contains(&format!("{{{word}}}")));
                assert!(left.is_none() && !text.trim().is_empty(), "{text}");
            }
        }
        let all: Vec<&String> = program.settings.iter().flat_map(texts).collect();
        for (word, values) in &program.words {
            let place = format!("{{{word}}}");
            assert!(all.iter().any(|text| text.contains(&place)), "{}: nothing has {place}", program.name);
            let names: BTreeSet<&str> = values.keys().map(String::as_str).collect();
            let ciphers: BTreeSet<&str> = own.iter().map(|one| one.as_str()).collect();
            let libraries: BTreeSet<&str> = program.providers.iter().map(String::as_str).collect();
            // What alone is a remark may be missing for an answer.
            let is_remark = all.iter().any(|text| **text == place) && names.is_subset(&ciphers);
            assert!(names == ciphers || names == libraries || is_remark, "{}: {place} {names:?}", program.name);
        }
    }
}

#[test]
fn each_name_is_one_program_and_each_program_has_public_sources() {
    let mut names = BTreeSet::new();
    for own in PROGRAMS.iter() {
        assert!(own.also.iter().chain([&own.name]).all(|name| names.insert(name)), "{own:?}");
        assert!(!own.sources.is_empty(), "{}", own.name);
        assert!(own.sources.iter().all(|source| source.starts_with("https://")), "{:?}", own.sources);
        assert_eq!(program(&own.name.to_uppercase()).map(|found| &found.name), Some(&own.name));
    }
    assert!(program("tea").is_none());
}

#[test]
fn rage_is_no_other_name_of_age_but_links_another_library() {
    let [age, rage] = ["age", "rage"].map(named);
    assert_eq!((age.name.as_str(), &age.providers[..]), ("age", &["go".to_owned()][..]));
    assert_eq!((rage.name.as_str(), &rage.providers[..]), ("rage", &["rustcrypto".to_owned()][..]));
    assert_eq!((&rage.messages, &rage.algorithms), (&age.messages, &age.algorithms));
}

#[test]
fn preferred_cipher_comes_first() {
    for program in PROGRAMS.iter() {
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
fn program_with_tls_of_go_gets_lines_only_where_gos_own_choice_is_the_slower_cipher() {
    let [aes, chacha20] = Algorithm::USUAL;
    for (name, leave) in [("go", "Leave CipherSuites unset."), ("caddy", "Leave `ciphers` unset.")] {
        for (algorithm, has_aes) in [(aes, true), (aes, false), (chacha20, false)] {
            let own = named(name).setting(algorithm, "go", has_aes).unwrap();
            assert!(own.sections.is_empty() && own.check.is_none(), "{own:?}");
            assert!(own.remarks[0].ends_with(&format!("else ChaCha20-Poly1305. {leave}")), "{own:?}");
        }
        let forced = named(name).setting(chacha20, "go", true).unwrap();
        let warning = forced.sections[0].warning.as_deref();
        assert_eq!(warning, Some("Clients of TLS 1.2 without ChaCha20-Poly1305 are refused."));
        assert!(!forced.sections[0].lines.concat().contains("AES"), "{forced:?}");
    }
}

#[test]
fn lists_of_openssl_put_the_default_behind_and_say_what_they_replace() {
    for (program, default, section_says) in [
        ("nginx", ":HIGH:!aNULL:!MD5;", "in place of HIGH and the rest"),
        ("haproxy", ":ALL:!COMPLEMENTOFDEFAULT ", "in place of ALL and the rest"),
        ("apache", ":HIGH:!aNULL ", "in place of HIGH and the rest"),
        ("postgres", ":HIGH:MEDIUM:+3DES:!aNULL' ", "in place of HIGH and the rest"),
        ("node", ":HIGH:-aNULL:-PSK:-SRP:-CAMELLIA ", ""),
    ] {
        for setting in both(named(program)).unwrap() {
            let section = &setting.sections[0];
            assert!((section.lines.join(" ") + " ").contains(default), "{section:?}");
            assert_eq!(section.warning.is_some(), !section_says.is_empty(), "{section:?}");
            let says = |text: &String| text.starts_with("Replace lines of these names") && text.contains(section_says);
            assert!(section.warning.as_ref().is_none_or(says), "{section:?}");
        }
    }
}

#[test]
fn java_gets_a_list_only_where_its_own_order_is_the_slower_and_it_warns() {
    let [aes, chacha20] = both(named("java")).unwrap();
    assert!(aes.sections.is_empty() && aes.check.is_none(), "{aes:?}");
    assert!(aes.remarks[0].contains("Leave jdk.tls.server.cipherSuites unset."), "{aes:?}");
    let warning = chacha20.sections[0].warning.as_deref();
    assert_eq!(warning, Some("Clients of TLS 1.2 with none of these suites are refused."));
}

#[test]
fn ssh_leads_with_the_client_and_warns_of_what_a_server_forces() {
    let [aes, chacha20] = Algorithm::USUAL;
    let setting = named("ssh").setting(aes, "openssl", true).unwrap();
    let [client, server] = &setting.sections[..] else { panic!("{setting:?}") };
    assert_eq!((client.lines[0].as_str(), &client.warning), ("  Ciphers ^aes256-gcm@openssh.com", &None));
    assert!(server.warning.as_ref().is_some_and(|warning| warning.contains("keep a session open")), "{server:?}");
    assert_eq!(named("ssh").setting(chacha20, "openssl", true), None, "its own is slower than the one measured");
}

#[test]
fn lines_of_a_tls_library_name_the_calls_of_your_own_code() {
    for (program, call) in
        [("go", "cipher.NewGCM"), ("java", "Cipher.getInstance"), ("node", "createCipheriv"), ("rustls", "aead::")]
    {
        let remarks = both(named(program)).unwrap().map(|setting| setting.remarks.join(" "));
        assert!(remarks.iter().all(|all| all.contains("In your own code, choose") && all.contains(call)));
    }
}

/// Lines are copied, so they are never wrapped or cut.
#[test]
fn lines_are_printable_and_fit_a_terminal_where_the_program_can_continue_them() {
    for program in PROGRAMS.iter() {
        for section in each(program).into_iter().flat_map(|(_, setting)| setting.sections) {
            assert!([vec![section.heading()], section.warning()].concat().iter().all(|line| line.len() <= 80));
            for line in section.lines {
                assert!(!line.chars().any(char::is_control), "{line:?}");
                let is_whole = ["haproxy", "node", "postgres"].contains(&program.name.as_str());
                assert!(line.len() <= 80 || (is_whole && line.len() <= 160), "{}: {line}", program.name);
            }
        }
    }
}
