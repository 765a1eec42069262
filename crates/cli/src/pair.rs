//! The two sides that `guard` compares, and what of each is measured.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use ciphermeter_core::{Against, Note, in_quotes, quoted_path};
use ciphermeter_host::file;
use ciphermeter_meter::Source;

use crate::built_in::native;
use crate::copies::Folder;
use crate::side::Side;
use crate::sources::Sources;
use crate::spot::ALL_PROVIDERS;

/// What is compared.
pub struct Pair {
    old: Side,
    new: Side,
    /// A second copy of the old side.
    control: Option<Side>,
}

/// How the two are called on the command line.
const OLD: &str = "OLD";
const NEW: &str = "NEW";
/// The most providers that a measurement of the usual time has room for, unless they are named.
const MOST_UNNAMED: usize = 3;

impl Pair {
    pub fn read(old: &str, new: &str) -> Result<Self> {
        let (old, new) = (Side::read(old, OLD)?, Side::read(new, NEW)?);
        if old == new {
            bail!("OLD and NEW are the same, {}: name two builds", shown(&old));
        }
        Ok(Self { old, new, control: None })
    }

    /// The hash of both where they have the same bytes: then nothing can have changed. A script may have the same bytes and start another
    /// program, so commands are never the same.
    pub fn same_bytes(&self) -> Result<Option<String>> {
        match (&self.old, &self.new) {
            (Side::Library(old), Side::Library(new)) | (Side::Ciphermeter(old), Side::Ciphermeter(new)) => {
                if fs::metadata(old)?.len() != fs::metadata(new)?.len() {
                    return Ok(None);
                }
                let hash = file::sha256(old)?;
                Ok((file::sha256(new)? == hash).then_some(hash))
            }
            _ => Ok(None),
        }
    }

    /// The sources of the same sides to be measured again: copies of their files, in other places on disk and in memory, and the old side
    /// twice. What cannot be copied is started anew: of a command nothing says which files it reads, and a folder for temporary files may
    /// be one from which nothing is loaded.
    pub fn sources_again(&self, named: &[String], patience: Duration) -> Result<Sources> {
        self.copied(named, patience)
            .or_else(|error| self.again([None, None, None], &format!("{error:#}"), (named, patience)))
    }

    fn copied(&self, named: &[String], patience: Duration) -> Result<Sources> {
        let folder = Folder::temporary()?;
        let copy = |side: &Side, name: &str| -> Result<Option<Side>> {
            Ok(match side {
                Side::Library(file) => Some(Side::Library(folder.take(file, name)?)),
                Side::Ciphermeter(file) => Some(Side::Ciphermeter(folder.take(file, name)?)),
                Side::Workers(_) | Side::Worker(_) => None,
            })
        };
        let copies = [copy(&self.new, "new")?, copy(&self.old, "old")?, copy(&self.old, "control")?];
        let sources = self.again(copies, "a command cannot be copied", (named, patience))?;
        Ok(Sources { folder: Some(folder), ..sources })
    }

    /// The sources of the second measurement, of these copies as far as there are any; `why` there are none.
    fn again(
        &self,
        [new, old, control]: [Option<Side>; 3],
        why: &str,
        (named, patience): (&[String], Duration),
    ) -> Result<Sources> {
        let note = |(name, copied, side): (&str, &Option<Side>, &Side)| {
            let shown = shown(side);
            Note::other(match copied {
                Some(_) => format!("{name} is a copy of {shown}"),
                None => format!("{name} is started anew, not copied: {why}"),
            })
        };
        let notes = [(NEW, &new, &self.new), (OLD, &old, &self.old)].map(note);
        let pair = Self {
            new: new.unwrap_or_else(|| self.new.clone()),
            old: old.unwrap_or_else(|| self.old.clone()),
            control: Some(control.unwrap_or_else(|| self.old.clone())),
        };
        let mut sources = pair.sources(named, patience)?;
        sources.notes.splice(..0, notes);
        Ok(sources)
    }

    /// The providers that both sides have, of those that are named if any are, and the contention probe.
    pub fn sources(&self, named: &[String], patience: Duration) -> Result<Sources> {
        let are_all = named.is_empty() || named.iter().any(|name| name == ALL_PROVIDERS);
        let takes = |source: &Source| are_all || named.iter().any(|name| name.eq_ignore_ascii_case(&source.provider));
        let taken = |side: &Side, mark: &str, what: &str| -> Result<Vec<Source>> {
            let all = side.sources(mark, what, patience)?;
            let offers = |name: &&String| all.iter().any(|source| name.eq_ignore_ascii_case(&source.provider));
            if let Some(missing) = named.iter().find(|name| !are_all && !offers(name)) {
                let (missing, there) = (in_quotes(missing), names(&all));
                bail!("{what} {} does not offer {missing}, only {there}: check --provider", shown(side));
            }
            Ok(all.into_iter().filter(takes).collect())
        };
        let (new, old) = (taken(&self.new, "", NEW)?, taken(&self.old, Against::MARK, OLD)?);
        let control = self.control.as_ref().map(|side| taken(side, Against::CONTROL, OLD)).transpose()?;
        let has = |all: &[Source], source: &Source| all.iter().any(|other| other.provider == source.provider);
        let common = new.iter().filter(|source| has(&old, source)).count();
        if common == 0 {
            bail!("OLD offers {}, and NEW {}: they have no provider in common", names(&old), names(&new));
        }
        if named.is_empty() && common > MOST_UNNAMED {
            bail!("OLD and NEW have {common} providers in common: name those that the change touches with --provider");
        }
        let probe = native()?.into_iter().filter(|source| source.name == "ceiling");
        let alone: Vec<Source> = old.iter().filter(|old| !has(&new, old)).cloned().collect();
        if !alone.is_empty() {
            bail!("NEW {} lacks {}: name what is compared with --provider", shown(&self.new), names(&alone));
        }
        let pairs = new.iter().filter(|source| has(&old, source)).cloned();
        let olds = old.iter().chain(control.iter().flatten()).filter(|source| has(&new, source)).cloned();
        let sources = probe.chain(pairs).chain(olds).collect();
        Ok(Sources { sources, notes: Vec::new(), partial: false, folder: None })
    }
}

fn names(sources: &[Source]) -> String {
    let names: BTreeSet<&str> = sources.iter().map(|source| source.provider.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// A side as it is shown.
fn shown(side: &Side) -> String {
    let file = |file: &Path| quoted_path(file);
    match side {
        Side::Library(path) | Side::Ciphermeter(path) | Side::Workers(path) => file(path),
        Side::Worker(command) => file(&command.program),
    }
}
