//! `HOST:PATH` on a command line, by scp's rule: a colon before the first slash makes it a place on another machine.
//!
//! Promises: no host reaches ssh that ssh could take for an option, or that a configured command could take for more
//! than a name.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;

use anyhow::{Result, bail};
use ciphermeter_core::{in_quotes, quoted};

use crate::words::bracketed;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The host as ssh takes it: `[USER@]HOST`, without brackets.
    pub host: String,
    /// The path there; a relative one begins in the home folder, which is the empty one.
    pub path: String,
}

impl Place {
    /// The place that an argument means; `None` for a path of this machine.
    pub fn parse(argument: &OsStr) -> Result<Option<Self>> {
        let Some(colon) = colon(argument.as_bytes()) else { return Ok(None) };
        let Some(text) = argument.to_str() else {
            bail!(
                "{} is not UTF-8, which HOST:PATH must be; for a file of this machine, write ./ before it",
                in_quotes(&argument.to_string_lossy())
            );
        };
        let (host, path) = (&text[..colon], &text[colon + 1..]);
        let (user, name) = match host.rsplit_once('@') {
            Some((user, name)) => (Some(user), name),
            None => (None, host),
        };
        let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        check_host(user, name)?;
        let host = user.map_or_else(|| name.to_owned(), |user| format!("{user}@{name}"));
        Ok(Some(Self { host, path: from_home(path)?.into_owned() }))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&format!("{}:{}", in_brackets(&self.host), self.path)))
    }
}

/// The host as it stands before a colon.
fn in_brackets(host: &str) -> String {
    host.rsplit_once('@').map_or_else(|| bracketed(host), |(user, name)| format!("{user}@{}", bracketed(name)))
}

/// Where the colon between host and path is: scp's function of that name. Between brackets a colon belongs to the host.
fn colon(argument: &[u8]) -> Option<usize> {
    if argument.first() == Some(&b':') {
        return None;
    }
    let mut in_brackets = argument.first() == Some(&b'[');
    for (at, byte) in argument.iter().enumerate() {
        match (byte, argument.get(at + 1)) {
            (b'@', Some(b'[')) => in_brackets = true,
            (b']', Some(b':')) if in_brackets => return Some(at + 1),
            (b':', _) if !in_brackets => return Some(at),
            (b'/', _) => return None,
            _ => {}
        }
    }
    None
}

fn check_host(user: Option<&str>, name: &str) -> Result<()> {
    if name.is_empty() || user == Some("") {
        bail!("a host is missing before the colon: write HOST:FOLDER, or ./ before a file of this machine");
    }
    if name.starts_with('-') || user.is_some_and(|user| user.starts_with('-')) {
        bail!(
            "{} is no host: it begins with -, like an option; give it another name in ssh's configuration",
            in_quotes(name)
        );
    }
    // What ssh itself refuses since 9.6, as a `ProxyCommand` may hand it to a shell, and brackets besides their own place.
    let is_odd = |character: char| {
        character.is_whitespace() || character.is_control() || "'`\"$\\;&<>|(){}[]".contains(character)
    };
    if name.contains(is_odd) || user.is_some_and(|user| user.contains(is_odd)) {
        bail!("{} is no host: write HOST:FOLDER, or ./ before a file of this machine", in_quotes(name));
    }
    Ok(())
}

/// A path without the `~` that means the home folder, where a relative path begins anyway. A name in that folder that
/// itself begins with `~` gets `./` before it, so that it is never taken for a home folder again.
fn from_home(path: &str) -> Result<Cow<'_, str>> {
    let rest = match path.strip_prefix('~') {
        None => return Ok(path.into()),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
        Some(_) => bail!(
            "{} names another user's home folder, which is not looked up; write its full path, or ./ before a name that begins with ~",
            in_quotes(path)
        ),
    };
    Ok(if rest.starts_with('~') { format!("./{rest}").into() } else { rest.into() })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Option<(String, String)>> {
        Place::parse(OsStr::new(text)).map(|place| place.map(|place| (place.host, place.path)))
    }

    #[test]
    fn colon_before_the_first_slash_makes_a_place() {
        for (text, host, path) in [
            ("host:folder", "host", "folder"),
            ("host:", "host", ""),
            ("host:~", "host", ""),
            ("host:~/", "host", ""),
            ("host:~/a b", "host", "a b"),
            ("host:~//etc", "host", "etc"),
            ("host:~/~", "host", "./~"),
            ("host:~/~a/b", "host", "./~a/b"),
            ("host:./~a", "host", "./~a"),
            ("host:/srv/in", "host", "/srv/in"),
            ("host:a:b", "host", "a:b"),
            ("user@host:folder", "user@host", "folder"),
            ("a@b@host:", "a@b@host", ""),
            ("[::1]:folder", "::1", "folder"),
            ("user@[fe80::1%eth0]:folder", "user@fe80::1%eth0", "folder"),
            ("[host]:a:b", "host", "a:b"),
            ("host:$(touch x);'\"", "host", "$(touch x);'\""),
        ] {
            assert_eq!(parse(text).unwrap(), Some((host.to_owned(), path.to_owned())), "{text}");
        }
    }

    #[test]
    fn other_arguments_are_paths_of_this_machine() {
        for text in ["file", "./a:b", "/x/a:b", "a/b:c", ":a", "[::1", "[::1]", "[a]b:c", "", "user@[::1"] {
            assert_eq!(parse(text).unwrap(), None, "{text}");
        }
        assert_eq!(Place::parse(&OsString::from_vec(b"./\xff:b".into())).unwrap(), None);
    }

    #[test]
    fn bad_place_is_refused_with_the_reason() {
        for (text, why) in [
            ("-oProxyCommand=x:folder", "begins with -"),
            ("user@-oProxyCommand=x:folder", "begins with -"),
            ("-l@host:", "begins with -"),
            ("[-x]:folder", "begins with -"),
            ("@host:folder", "a host is missing"),
            ("user@:folder", "a host is missing"),
            ("[]:folder", "a host is missing"),
            ("[[]:folder", "is no host"),
            ("[x@[::1]:folder", "is no host"),
            ("a b:folder", "is no host"),
            ("a$(x)b:folder", "is no host"),
            ("host:~user/x", "another user's home"),
            ("host:~user", "another user's home"),
        ] {
            let said = parse(text).unwrap_err().to_string();
            assert!(said.contains(why), "{text}: {said}");
        }
        let said = Place::parse(&OsString::from_vec(b"host:\xff".into())).unwrap_err().to_string();
        assert!(said.contains("not UTF-8") && said.contains("./"), "{said}");
    }

    #[test]
    fn shown_place_reads_as_typed() {
        for text in ["host:folder", "user@host:/srv", "[::1]:a", "me@[fe80::1%eth0]:", "host:a b"] {
            assert_eq!(Place::parse(OsStr::new(text)).unwrap().unwrap().to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-a~@:/\\[\\]%. ]{0,12}|.{0,40}") {
            if let Ok(Some(place)) = Place::parse(OsStr::new(&text)) {
                prop_assert!(!place.host.starts_with('-') && !place.host.is_empty());
                prop_assert!(!place.path.starts_with('~'));
                // The shown place means the same.
                let again = Place::parse(OsStr::new(&format!("{}:{}", in_brackets(&place.host), place.path)));
                prop_assert_eq!(again.unwrap(), Some(place));
            }
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = Place::parse(&OsString::from_vec(bytes));
        }
    }
}
