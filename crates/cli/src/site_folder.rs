//! A folder that holds a generated site, and nothing else that is ever touched.
//!
//! Promises: it is new, empty, or one that was written by this before, which a file in it says; files of anyone else are neither
//! replaced nor removed; no link is followed; each file is whole or not there, and the first page comes last.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{in_quotes, quoted_path};

use crate::new_file::replace;
use crate::outside;

/// The file that says whose the folder is: a line, then the names of all files that were written.
const MARKER: &str = ".ciphermeter-site";
const FIRST_LINE: &str = "ciphermeter site 1";
/// The most bytes of it.
const MOST: u64 = 1 << 20;
const REMEDY: &str = "name a new or an empty folder with --site";

/// A folder that may be written.
pub struct SiteFolder {
    path: PathBuf,
    /// Names of files that were written before.
    earlier: BTreeSet<String>,
}

/// A file of the site.
pub struct SiteFile {
    pub name: String,
    pub content: Vec<u8>,
}

impl SiteFolder {
    /// Looks at the folder without touching it.
    pub fn check(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            bail!("a site is a folder: {REMEDY}");
        }
        let shown = quoted_path(path);
        // With a slash behind its name, a link would be what it leads to.
        let path: PathBuf = path.components().collect();
        let new = || Self { path: path.clone(), earlier: BTreeSet::new() };
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new()),
            Err(error) => return Err(error).context(format!("cannot write a site into {shown}: {REMEDY}")),
            Ok(facts) if facts.is_symlink() => bail!("cannot write a site into {shown}: it is a link; {REMEDY}"),
            Ok(facts) if !facts.is_dir() => bail!("cannot write a site into {shown}: it is not a folder; {REMEDY}"),
            Ok(_) => {}
        }
        let entries = fs::read_dir(&path).with_context(|| format!("cannot read {shown}: {REMEDY}"))?;
        let is_empty = entries.take(1).count() == 0;
        if is_empty {
            return Ok(new());
        }
        let marker = path.join(MARKER);
        let is_own = marker.symlink_metadata().is_ok_and(|facts| facts.is_file());
        let text = is_own.then(|| outside::read(&marker, MOST).ok()).flatten().unwrap_or_default();
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            bail!("{shown} holds other files, and a site is written into none of these: {REMEDY}");
        }
        let earlier = lines.filter(|name| is_name(name)).map(str::to_owned).collect();
        Ok(Self { path, earlier })
    }

    /// Writes the files, the last of them last, and removes those of an earlier site that are no longer part of it.
    pub fn write(&self, files: &[SiteFile]) -> Result<()> {
        let names: BTreeSet<String> = files.iter().map(|file| file.name.clone()).collect();
        for name in &names {
            self.check_is_own(name)?;
        }
        let shown = quoted_path(&self.path);
        match fs::create_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(error)
                    .context(format!("cannot make the folder {shown}: make the folders above it, or {REMEDY}"));
            }
            _ => {}
        }
        // All that may be there, before any of it is.
        self.mark(&self.earlier.union(&names).cloned().collect())?;
        for SiteFile { name, content } in files {
            self.check_is_own(name)?;
            self.put(name, content)?;
        }
        for name in self.earlier.difference(&names) {
            let file = self.path.join(name);
            if file.symlink_metadata().as_ref().is_ok_and(Metadata::is_file) {
                fs::remove_file(&file).with_context(|| format!("cannot remove {}", quoted_path(&file)))?;
            }
        }
        self.mark(&names)
    }

    /// What takes the place of a file was written by this, or takes no place.
    fn check_is_own(&self, name: &str) -> Result<()> {
        let file = self.path.join(name);
        match file.symlink_metadata() {
            Err(_) if is_name(name) => Ok(()),
            Ok(facts) if is_name(name) && facts.is_file() && self.earlier.contains(name) => Ok(()),
            _ => bail!(
                "{} is in {} and was not written by --site: move it away, or {REMEDY}",
                in_quotes(name),
                quoted_path(&self.path)
            ),
        }
    }

    fn mark(&self, names: &BTreeSet<String>) -> Result<()> {
        let lines = names.iter().map(|name| format!("{name}\n"));
        self.put(MARKER, format!("{FIRST_LINE}\n{}", lines.collect::<String>()).as_bytes())
    }

    fn put(&self, name: &str, content: &[u8]) -> Result<()> {
        let file = self.path.join(name);
        replace(&file, |out| Ok(out.write_all(content)?))
            .with_context(|| format!("cannot write {}: {REMEDY}", quoted_path(&file)))
    }
}

/// A file beside others, whose name leads nowhere else.
fn is_name(name: &str) -> bool {
    let may = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.".contains(letter);
    (1..=120).contains(&name.len()) && name.chars().all(may) && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn files(names: &[&str]) -> Vec<SiteFile> {
        names.iter().map(|name| SiteFile { name: (*name).into(), content: name.as_bytes().to_vec() }).collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    #[test]
    fn folder_of_its_own_is_written_again_and_what_is_gone_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        SiteFolder::check(&site).unwrap().write(&files(&["a.html", "index.html"])).unwrap();
        assert_eq!(names(&site), [MARKER, "a.html", "index.html"]);
        SiteFolder::check(&site).unwrap().write(&files(&["b.html", "index.html"])).unwrap();
        assert_eq!(names(&site), [MARKER, "b.html", "index.html"]);
    }

    #[test]
    fn files_of_others_are_neither_replaced_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        SiteFolder::check(&site).unwrap().write(&files(&["index.html"])).unwrap();
        fs::write(site.join("notes.txt"), "mine").unwrap();
        fs::write(site.join("a.html"), "mine").unwrap();
        let why = SiteFolder::check(&site).unwrap().write(&files(&["a.html"])).unwrap_err().to_string();
        assert!(why.contains("was not written by --site"), "{why}");
        SiteFolder::check(&site).unwrap().write(&files(&["b.html"])).unwrap();
        assert_eq!(names(&site), [MARKER, "a.html", "b.html", "notes.txt"]);
        assert_eq!(fs::read_to_string(site.join("a.html")).unwrap(), "mine");
    }

    #[test]
    fn marker_of_another_hand_removes_nothing_outside() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        fs::create_dir(&site).unwrap();
        fs::write(folder.path().join("outside"), "mine").unwrap();
        symlink(folder.path().join("outside"), site.join("b.html")).unwrap();
        let lines = format!("{FIRST_LINE}\n../outside\n/etc/passwd\nb.html\n{MARKER}\n");
        fs::write(site.join(MARKER), lines).unwrap();
        assert!(SiteFolder::check(&site).unwrap().write(&files(&["b.html"])).is_err(), "a link is not followed");
        SiteFolder::check(&site).unwrap().write(&files(&["index.html"])).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("outside")).unwrap(), "mine");
    }

    #[test]
    fn other_folders_links_and_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [full, link, file] = ["full", "link", "file"].map(|name| folder.path().join(name));
        fs::create_dir(&full).unwrap();
        fs::write(full.join("mine"), "").unwrap();
        symlink(&full, &link).unwrap();
        fs::write(&file, "").unwrap();
        let with_slash = folder.path().join("link/");
        for path in [&full, &link, &file, &with_slash] {
            let why = SiteFolder::check(path).err().unwrap().to_string();
            assert!(why.contains(REMEDY), "{why}");
        }
    }
}
