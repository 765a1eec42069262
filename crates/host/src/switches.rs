//! Settings from outside that change which code a library runs, and are no fact of the machine:
//! variables that this process inherited, and files that libraries read. One table has their names;
//! `--cpu` sets some of them itself, in workers alone.
//!
//! Values can be long, and hold secrets: what can change the code is kept of each, and no more than
//! [`MOST`] characters.

use std::ffi::OsString;
use std::fmt;

use ciphermeter_core::{Fact, NO_SWITCHES, SWITCHES, escaped};

use crate::tree::Tree;

/// The most characters of a value.
const MOST: usize = 100;

/// What of a value can change the code that runs.
enum Part {
    /// All of it, even if it is empty.
    Whole,
    /// Settings between these separators that begin with one of these words, and those that do with
    /// one of the others, without what is behind their `=`.
    Settings(char, &'static [&'static str], &'static [&'static str]),
    /// Files to load.
    Files,
}

/// Providers that contain a libcrypto, and languages whose libraries do.
const LIBCRYPTO: &[&str] = &["openssl", "aws-lc", "ciphermeter", "rustls", "C", "Java", "JavaScript", "Python"];
const NSS: &[&str] = &["nss"];
const ANY: &[&str] = &[];
const JAVA: Part = Part::Settings(
    ' ',
    &["-XX:", "-Xint", "-Xcomp"],
    &["-agent", "-javaagent", "-Djava.security.", "-Djdk.", "-Xbootclasspath", "@"],
);
const NODE: Part = Part::Settings(
    ' ',
    &["--enable-fips", "--force-fips", "--jitless", "--no-opt", "--openssl-"],
    &["-r", "--require", "--import"],
);

/// The variables, what counts of them, and the providers or languages that read them; none: any.
const VARIABLES: [(&str, Part, &[&str]); 29] = [
    ("OPENSSL_ia32cap", Part::Whole, LIBCRYPTO),
    ("OPENSSL_armcap", Part::Whole, LIBCRYPTO),
    ("OPENSSL_ppccap", Part::Whole, LIBCRYPTO),
    ("OPENSSL_s390xcap", Part::Whole, LIBCRYPTO),
    ("OPENSSL_riscvcap", Part::Whole, LIBCRYPTO),
    ("OPENSSL_CONF", Part::Whole, LIBCRYPTO),
    ("OPENSSL_MODULES", Part::Whole, LIBCRYPTO),
    ("OPENSSL_ENGINES", Part::Whole, LIBCRYPTO),
    ("OPENSSL_FORCE_FIPS_MODE", Part::Whole, LIBCRYPTO),
    ("NETTLE_FAT_OVERRIDE", Part::Whole, &["nettle"]),
    ("BOTAN_CLEAR_CPUID", Part::Whole, &["botan"]),
    ("NSS_DISABLE_HW_AES", Part::Whole, NSS),
    ("NSS_DISABLE_PCLMUL", Part::Whole, NSS),
    ("NSS_DISABLE_PMULL", Part::Whole, NSS),
    ("NSS_DISABLE_AVX", Part::Whole, NSS),
    ("NSS_DISABLE_AVX2", Part::Whole, NSS),
    ("NSS_DISABLE_SSSE3", Part::Whole, NSS),
    ("NSS_DISABLE_SSE4_1", Part::Whole, NSS),
    ("LIBGCRYPT_FORCE_FIPS_MODE", Part::Whole, &["libgcrypt"]),
    // Our own workers read it, as `--cpu` sets it.
    ("CIPHERMETER_CPU_WITHOUT", Part::Whole, &["libgcrypt", "C", "Python", "Zig"]),
    ("GODEBUG", Part::Settings(',', &["cpu.", "fips140"], &[]), &["Go"]),
    ("GLIBC_TUNABLES", Part::Settings(':', &["glibc.cpu."], &[]), ANY),
    ("JAVA_TOOL_OPTIONS", JAVA, &["Java"]),
    ("JDK_JAVA_OPTIONS", JAVA, &["Java"]),
    ("_JAVA_OPTIONS", JAVA, &["Java"]),
    ("NODE_OPTIONS", NODE, &["JavaScript"]),
    ("LD_PRELOAD", Part::Files, ANY),
    ("LD_AUDIT", Part::Files, ANY),
    ("DYLD_INSERT_LIBRARIES", Part::Files, ANY),
];

/// A file of words that name what a library shall not use, and who reads it.
const DENIED: (&str, &[&str]) = ("etc/gcrypt/hwf.deny", &["libgcrypt"]);

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// The variable, or the file.
    pub name: String,
    /// Whether it is a variable, which another process need not have.
    pub is_inherited: bool,
    value: String,
    readers: &'static [&'static str],
}

impl Switch {
    fn new(name: &str, value: &str, is_inherited: bool, readers: &'static [&'static str]) -> Self {
        let value = match value.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}… ({} characters)", &value[..end], value.chars().count()),
            None if value.is_empty() => "''".into(),
            None => value.into(),
        };
        Self { name: name.into(), is_inherited, value: escaped(&value), readers }
    }

    /// Whether a provider reads it that is called so, or its language; of one without names, nobody
    /// knows.
    pub fn is_read_by(&self, names: &[&str]) -> bool {
        self.readers.is_empty() || names.is_empty() || self.readers.iter().any(|reader| names.contains(reader))
    }
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// Those in force for what this process starts.
pub fn switches() -> Vec<Switch> {
    of(&Tree::live(), |name| std::env::var_os(name))
}

pub(crate) fn of(tree: &Tree, variable: impl Fn(&str) -> Option<OsString>) -> Vec<Switch> {
    let inherited = VARIABLES.iter().filter_map(|(name, part, readers)| {
        let value = part.of(&variable(name)?.to_string_lossy())?;
        Some(Switch::new(name, &value, true, readers))
    });
    let (path, readers) = DENIED;
    let denied = tree.text(path).ok().map(|text| words(&text)).filter(|words| !words.is_empty());
    let denied = denied.map(|words| Switch::new(&format!("/{path}"), &words, false, readers));
    inherited.chain(denied).collect()
}

/// As a fact.
pub fn fact<'a>(switches: impl IntoIterator<Item = &'a Switch>) -> Fact {
    let all: Vec<String> = switches.into_iter().map(ToString::to_string).collect();
    Fact::present(SWITCHES, if all.is_empty() { NO_SWITCHES.into() } else { all.join("; ") })
}

/// The words of a file, without comments.
fn words(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(",")
}

impl Part {
    /// What of a value counts; `None`: nothing.
    fn of(&self, value: &str) -> Option<String> {
        let (kept, separator) = match self {
            Self::Whole => return Some(value.to_owned()),
            Self::Settings(separator, whole, named) => {
                let begins = |setting: &str, words: &[&str]| words.iter().any(|word| setting.starts_with(word));
                let kept = value.split(*separator).map(str::trim).filter_map(|setting| match setting.split_once('=') {
                    _ if begins(setting, whole) => Some(setting.to_owned()),
                    Some((name, _)) if begins(setting, named) => Some(format!("{name}=…")),
                    None if begins(setting, named) => Some(setting.to_owned()),
                    _ => None,
                });
                (kept.collect::<Vec<_>>(), *separator)
            }
            Self::Files => {
                let files = value.split([' ', ':']).filter(|file| !file.is_empty() && !is_harmless(file));
                (files.map(str::to_owned).collect(), ':')
            }
        };
        (!kept.is_empty()).then(|| kept.join(&separator.to_string()))
    }
}

/// Whether a file changes nothing in libraries: Termux preloads one that corrects the paths of
/// scripts, and a run counts allocations with one that is a descriptor of its own.
fn is_harmless(file: &str) -> bool {
    let is_own =
        file.strip_prefix("/proc/").and_then(|rest| rest.split_once("/fd/")).is_some_and(|(process, number)| {
            [process, number].iter().all(|part| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit()))
        });
    is_own || file.rsplit('/').next().is_some_and(|name| name.starts_with("libtermux-exec"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn with(set: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| set.iter().find(|(own, _)| *own == name).map(|(_, value)| OsString::from(value));
        of(&samples::empty(), variable).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_changes_the_code_is_kept_and_nothing_else() {
        for (name, value, kept) in [
            ("OPENSSL_ia32cap", "~0x200000200000000", "~0x200000200000000"),
            ("GODEBUG", "http2client=0,cpu.aes=off", "cpu.aes=off"),
            ("GLIBC_TUNABLES", "glibc.malloc.check=3:glibc.cpu.hwcaps=-AVX2", "glibc.cpu.hwcaps=-AVX2"),
            ("JAVA_TOOL_OPTIONS", "-Xmx1g -Dkey.password=secret -XX:-UseAES", "-XX:-UseAES"),
            ("LD_PRELOAD", "/usr/lib/libslow.so", "/usr/lib/libslow.so"),
            // Made up for this test.
            ("NETTLE_FAT_OVERRIDE", "", "''"),
            ("_JAVA_OPTIONS", "-javaagent:/a.jar=token -Xint", "-javaagent:/a.jar=… -Xint"),
            ("LD_PRELOAD", "/x/libtermux-exec.so:/proc/12/fd/3:/proc/self/fd/3", "/proc/self/fd/3"),
            ("NODE_OPTIONS", "--max-old-space-size=99 --require=/s.js", "--require=…"),
            ("OPENSSL_CONF", "/tmp/a\u{1b}[2Jb", "/tmp/a\\u{1b}[2Jb"),
            ("BOTAN_CLEAR_CPUID", "aesni,clmul", "aesni,clmul"),
        ] {
            assert_eq!(with(&[(name, value)]), [format!("{name}={kept}")]);
        }
        for (name, value) in [
            ("GODEBUG", "gctrace=1"),
            ("JAVA_TOOL_OPTIONS", "-Xmx512m -Dfile.encoding=UTF-8"),
            ("GLIBC_TUNABLES", "glibc.malloc.arena_max=1"),
            ("LD_PRELOAD", " "),
            ("LD_PRELOAD", "/data/data/com.termux/files/usr/lib/libtermux-exec-ld-preload.so"),
            ("NODE_OPTIONS", "--trace-warnings"),
            ("OPENSSL_IA32CAP", "0"),
        ] {
            assert!(with(&[(name, value)]).is_empty(), "{name}={value}");
        }
    }

    #[test]
    fn long_value_is_cut() {
        let long = "é".repeat(100_000);
        let all = with(&[("OPENSSL_CONF", &long)]);
        assert_eq!(all, [format!("OPENSSL_CONF={}… (100000 characters)", "é".repeat(MOST))]);
    }

    #[test]
    fn file_that_denies_instructions_is_one() {
        let of = |text| of(&Tree::of(&[("etc/gcrypt/hwf.deny", text)]), |_| None);
        let denied = of("# not on this host\nintel-aesni\n intel-pclmul # nor this\n");
        assert_eq!(denied[0].to_string(), "/etc/gcrypt/hwf.deny=intel-aesni,intel-pclmul");
        assert!(!denied[0].is_inherited && denied[0].is_read_by(&["libgcrypt"]) && !denied[0].is_read_by(&["openssl"]));
        assert!(of("").is_empty() && of("# all is well\n\n").is_empty());
    }

    #[test]
    fn setting_matters_to_who_reads_it() {
        let read = |name: &str, names: &[&str]| {
            let variable = |own: &str| (own == name).then(|| OsString::from("cpu.aes=off"));
            of(&samples::empty(), variable)[0].is_read_by(names)
        };
        assert!(read("GODEBUG", &["tink-go", "Go"]) && !read("GODEBUG", &["ring"]));
        assert!(read("OPENSSL_armcap", &["pyca", "Python"]) && !read("OPENSSL_armcap", &["nettle"]));
        assert!(read("LD_AUDIT", &["ring"]) && read("GODEBUG", &[]), "a worker of your own may be anything");
    }

    #[test]
    fn every_name_is_there_once() {
        let mut names: Vec<&str> = VARIABLES.iter().map(|(name, ..)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VARIABLES.len());
    }
}
