//! The page that measures in a browser, as `make page` builds it: read once, when the server starts, and then served from memory.
//!
//! Promises: nothing is read at a request, so no path of a request chooses a file; what is served allows itself no more than the page's
//! own policy does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use axum::http::HeaderValue;
use ciphermeter_host::private;

/// Files of a page, and bytes of all of them.
const MOST_FILES: usize = 200;
const MOST_BYTES: u64 = 32 << 20;
/// Folders within folders.
const MOST_DEPTH: usize = 4;

const INDEX: &str = "index.html";
const HEAD: &str = "<head>";
const POLICY: [&str; 2] = ["http-equiv=\"Content-Security-Policy\"", "content=\""];

/// What a page's policy may allow, besides code within its text by its hash: nothing of other servers.
const SOURCES: [&str; 4] = ["'none'", "'self'", "'wasm-unsafe-eval'", "data:"];

/// What to do where there is no page.
pub const MISSING: &str = "the page that measures in a browser is not here: build it with `make page`, or name its folder with --page, and start the server again";

/// A file of the page.
#[derive(Debug)]
pub struct File {
    pub kind: &'static str,
    pub bytes: axum::body::Bytes,
    /// Whether its name has a hash of its contents, so that browsers may keep it.
    pub is_hashed: bool,
}

/// The page.
#[derive(Debug)]
pub struct Site {
    files: BTreeMap<String, File>,
    /// The page's own policy, and that nothing shows it in a frame.
    pub policy: HeaderValue,
}

impl Site {
    /// The page in the named folder; without one, that beside this program or of its installation, if it is there.
    ///
    /// # Errors
    /// The named folder has no such page.
    pub fn find(named: Option<&Path>, wants_token: bool) -> Result<Option<Self>> {
        let is_here = |folder: &PathBuf| folder.join(INDEX).is_file();
        let Some(folder) = named.map(Path::to_owned).or_else(|| places().into_iter().find(is_here)) else {
            return Ok(None);
        };
        let read = Self::read(&folder, wants_token);
        Ok(Some(read.with_context(|| format!("cannot serve the page in {}", folder.display()))?))
    }

    /// Whether [`Site::find`] finds one without a name.
    pub fn is_here() -> bool {
        places().iter().any(|folder| folder.join(INDEX).is_file())
    }

    /// A file by its path below the page.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// The page itself.
    pub fn index(&self) -> &File {
        &self.files[INDEX]
    }

    fn read(folder: &Path, wants_token: bool) -> Result<Self> {
        let mut files = BTreeMap::new();
        let mut left = MOST_BYTES;
        collect(folder, "", MOST_DEPTH, &mut left, &mut files)?;
        let index = files.get_mut(INDEX).context("it has no index.html: build it with `make page`")?;
        let text = String::from_utf8(index.bytes.to_vec()).context("its index.html is not UTF-8")?;
        let policy = policy(&text).context("its index.html is not that of Ciphermeter: build it with `make page`")?;
        let policy = HeaderValue::try_from(format!("{policy}; frame-ancestors 'none'"))?;
        index.bytes = told(&text, wants_token)?.into();
        Ok(Self { files, policy })
    }
}

/// Tells the page that it is a team's, and whether runs are taken with a token alone.
fn told(index: &str, wants_token: bool) -> Result<String> {
    ensure!(index.contains(HEAD), "its index.html has no head");
    let wants = if wants_token { "token" } else { "nothing" };
    Ok(index.replacen(HEAD, &format!("{HEAD}<meta name=\"ciphermeter-team\" content=\"{wants}\">"), 1))
}

/// The policy that the page has in itself.
fn policy(index: &str) -> Option<&str> {
    let (_, from) = index.split_once(POLICY[0])?;
    let (_, from) = from.split_once(POLICY[1])?;
    let (policy, _) = from.split_once('"')?;
    let is_own = |source: &str| SOURCES.contains(&source) || source.starts_with("'sha256-");
    let is_strict = policy.split(';').all(|rule| rule.split_whitespace().skip(1).all(is_own));
    (policy.starts_with("default-src 'none'") && is_strict).then_some(policy)
}

/// Regular files alone, each within what is left.
fn collect(folder: &Path, below: &str, depth: usize, left: &mut u64, files: &mut BTreeMap<String, File>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(|name| format!("{below}{name}")) else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() && depth > 0 {
            collect(&entry.path(), &format!("{name}/"), depth - 1, left, files)?;
        } else if kind.is_file() {
            let Some(kind) = kind_of(&name) else { continue };
            let bytes = entry.metadata()?.len();
            *left = left.checked_sub(bytes).with_context(|| format!("it has more than {MOST_BYTES} bytes"))?;
            if files.len() == MOST_FILES {
                bail!("it has more than {MOST_FILES} files");
            }
            let is_hashed = name.starts_with("assets/");
            files.insert(name, File { kind, bytes: fs::read(entry.path())?.into(), is_hashed });
        }
    }
    Ok(())
}

fn kind_of(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => return None,
    })
}

/// Where the page is without being named: `page` beside this program, after links, or `PREFIX/lib/ciphermeter/page` of
/// `PREFIX/bin`. It runs in other people's browsers, so no other user may have put it there.
fn places() -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|own| own.canonicalize().ok());
    let Some(beside) = own.as_deref().and_then(Path::parent) else { return Vec::new() };
    let installed = beside.parent().map(|prefix| (prefix.to_owned(), prefix.join("lib/ciphermeter/page")));
    let is_trusted = |(root, page): &(PathBuf, PathBuf)| private::check_below(root, page).is_ok();
    let all = [Some((beside.to_owned(), beside.join("page"))), installed];
    all.into_iter().flatten().filter(is_trusted).map(|(_, page)| page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><head><meta\n http-equiv=\"Content-Security-Policy\"\n content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'\"></head></html>";

    fn built(index: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        fs::write(folder.path().join("index.html"), index).unwrap();
        fs::write(folder.path().join("assets/a-1.js"), "1").unwrap();
        fs::write(folder.path().join("notes.txt"), "not of the page").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link.json")).unwrap();
        folder
    }

    #[test]
    fn page_has_its_own_policy_and_is_told_whose_it_is() {
        let folder = built(PAGE);
        let site = Site::find(Some(folder.path()), true).unwrap().unwrap();
        let policy = site.policy.to_str().unwrap();
        assert_eq!(policy, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'");
        let index = String::from_utf8(site.index().bytes.to_vec()).unwrap();
        assert!(index.contains("<head><meta name=\"ciphermeter-team\" content=\"token\">"), "{index}");
        assert!(site.file("assets/a-1.js").unwrap().is_hashed);
    }

    #[test]
    fn what_is_no_file_of_the_page_is_not_served() {
        let folder = built(PAGE);
        let site = Site::find(Some(folder.path()), false).unwrap().unwrap();
        for path in ["notes.txt", "link.json", "../index.html", "assets", "assets/../index.html", ""] {
            assert!(site.file(path).is_none(), "{path}");
        }
    }

    #[test]
    fn folder_of_something_else_is_refused() {
        let allows = |source: &str| PAGE.replace("'self'", source);
        for index in [
            "",
            "<head></head>",
            &PAGE.replace("'none'", "*"),
            &allows("'unsafe-inline'"),
            &allows("http:"),
            &allows("evil.example"),
        ] {
            let folder = built(index);
            assert!(Site::find(Some(folder.path()), false).is_err(), "{index}");
        }
        assert!(Site::find(Some(Path::new("/nonexistent")), false).is_err());
    }
}
