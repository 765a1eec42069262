//! What is left of an offer while its user leaves names out, and what becomes of names that are taken.

use std::collections::HashSet;
use std::path::Path;

use ciphermeter_transfer::{BadPattern, Decision, Excludes, Existing, Name, Offer, Question};

/// An offer with some of its files left out.
pub struct Selection<'a> {
    whole: &'a Question<'a>,
    /// How names that are taken were decided before the question, if they were.
    pub existing: Option<Existing>,
    declined: HashSet<u32>,
    declined_folders: HashSet<u32>,
    /// The offer without them; `None` while it is whole, because there may be a million names.
    rest: Option<Offer>,
}

impl<'a> Selection<'a> {
    /// Without what these patterns cover.
    pub fn new(whole: &'a Question<'a>, existing: Option<Existing>, excludes: &Excludes) -> Self {
        let mut selection =
            Self { whole, existing, declined: HashSet::new(), declined_folders: HashSet::new(), rest: None };
        selection.leave_out(excludes);
        selection
    }

    /// Leaves out what this pattern covers, too. Returns how many files and how many folders that are.
    pub fn leave_out_pattern(&mut self, pattern: &str) -> Result<(usize, usize), BadPattern> {
        let before = (self.declined.len(), self.declined_folders.len());
        self.leave_out(&Excludes::new(&[pattern.to_owned()])?);
        Ok((self.declined.len() - before.0, self.declined_folders.len() - before.1))
    }

    fn leave_out(&mut self, excludes: &Excludes) {
        let offer = self.whole.offer;
        let covers = |name: &Name| excludes.covers(Path::new(name.as_str()));
        let files = (0..).zip(&offer.files).filter(|(_, file)| covers(&file.name));
        self.declined.extend(files.map(|(number, _)| number));
        let folders = (0..).zip(&offer.folders).filter(|(_, (name, _))| covers(name));
        self.declined_folders.extend(folders.map(|(number, _)| number));
        if !self.declined.is_empty() || !self.declined_folders.is_empty() {
            let files = self.left().map(|number| offer.files[number as usize].clone()).collect();
            let is_left = |(number, _): &(u32, _)| !self.declined_folders.contains(number);
            let folders = (0..).zip(&offer.folders).filter(is_left).map(|(_, folder)| folder.clone()).collect();
            self.rest = Some(Offer { files, folders, left_out: offer.left_out });
        }
    }

    fn left(&self) -> impl Iterator<Item = u32> {
        (0..self.whole.offer.files.len() as u32).filter(|number| !self.declined.contains(number))
    }

    pub fn question(&self) -> Question<'_> {
        let Some(rest) = &self.rest else { return self.whole.clone() };
        let taken: HashSet<u32> = self.whole.existing.iter().copied().collect();
        let (names, tops): (HashSet<&Name>, _) = (rest.names().collect(), rest.tops());
        Question {
            offer: rest,
            excess: self.whole.excess.iter().filter(|excess| names.contains(&excess.name)).cloned().collect(),
            existing: (0..)
                .zip(self.left())
                .filter(|(_, file)| taken.contains(file))
                .map(|(number, _)| number)
                .collect(),
            taken_folders: self.whole.taken_folders.iter().filter(|top| tops.contains(top.as_str())).cloned().collect(),
            // Whether what is left fits is known only at the end.
            lacks_room: false,
            ..self.whole.clone()
        }
    }

    /// Whether no file is left of those that were offered, if there were some; otherwise no folder. What was accepted before
    /// ends without them.
    pub fn is_nothing(&self) -> bool {
        let are_folders = self.whole.offer.files.is_empty();
        self.whole.excess.is_empty()
            && self.rest.as_ref().is_some_and(|rest| rest.files.is_empty() && (!are_folders || rest.folders.is_empty()))
    }

    /// The decision without what goes beyond the offer that was accepted before.
    pub fn decision_within(mut self, fills: bool) -> Decision {
        let (files, folders) = self.whole.beyond();
        self.declined.extend(files);
        self.declined_folders.extend(folders);
        self.decision(Existing::Refuse, fills)
    }

    /// The decision, with this about names that are taken where nothing was decided before, and about folders that are
    /// there.
    pub fn decision(self, existing: Existing, fills: bool) -> Decision {
        Decision {
            declined: self.declined,
            declined_folders: self.declined_folders,
            existing: self.existing.unwrap_or(existing),
            fills,
        }
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_transfer::{Disk, OfferedFile, Version};

    use super::*;

    fn offer(names: &[&str]) -> Offer {
        let file = |name: &&str| OfferedFile {
            name: Name::parse(name).unwrap(),
            size: 1,
            data: None,
            link: None,
            stream: false,
            mode: 0o644,
            modified: 0,
            nanoseconds: 0,
            version: Version([0; 16]),
        };
        Offer { files: names.iter().map(file).collect(), ..Offer::default() }
    }

    #[test]
    fn left_out_files_are_declined_and_the_rest_keeps_its_marks() {
        let offer = offer(&["a.sh", "b", "d/c.sh", "d/e"]);
        let whole = Question {
            offer: &offer,
            into: None,
            is_pipe: false,
            is_new_folder: false,
            is_resumed: false,
            excess: Vec::new(),
            existing: vec![0, 3],
            taken_folders: vec!["d".into()],
            disk: Disk::default(),
            lacks_room: true,
        };
        let mut selection = Selection::new(&whole, None, &Excludes::default());
        assert_eq!((selection.question().offer.files.len(), selection.question().existing), (4, vec![0, 3]));
        assert_eq!(selection.leave_out_pattern("*.sh").unwrap(), (2, 0));
        assert_eq!(selection.leave_out_pattern("*.sh").unwrap(), (0, 0));
        assert!(selection.leave_out_pattern("[").is_err());
        let left: Vec<_> = selection.question().offer.files.iter().map(|file| file.name.to_string()).collect();
        assert_eq!(
            (left.as_slice(), selection.question().existing),
            (&["b".to_owned(), "d/e".to_owned()][..], vec![1])
        );
        let decision = selection.decision(Existing::Skip, true);
        assert_eq!((decision.declined, decision.existing), (HashSet::from([0, 2]), Existing::Skip));
        let within = Excludes::new(&["d".to_owned()]).unwrap();
        assert!(Selection::new(&whole, None, &within).question().taken_folders.is_empty());
        let patterns = Excludes::new(&["*".to_owned()]).unwrap();
        assert!(Selection::new(&whole, None, &patterns).is_nothing());
    }
}
