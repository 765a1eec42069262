//! Where a symbolic link points, as it travels: only to within the folder that was sent.
//!
//! Promises: a link whose target [`LinkTarget::stays_within`] leads to its own top-level folder, or into it, whatever
//! other such links are on the way. `..` stands only at the beginning, so it counts from the folder that holds the link,
//! which is a real one; what follows goes down, through folders or through links of which the same holds.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::{BadName, MAX_NAME, Name};

/// A relative path, `..` only at its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LinkTarget {
    text: String,
    /// How many folders it goes up.
    ups: usize,
}

/// Why a link is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadLink {
    /// Not relative, or it goes up after it went down.
    #[error("it leads, or could lead, out of the folder that is sent")]
    Outside,
    /// A part of the target is no name that can be sent.
    #[error("its target cannot be sent: {0}")]
    BadName(BadName),
}

impl LinkTarget {
    /// Checks a text.
    pub fn parse(text: &str) -> Result<Self, BadLink> {
        if text.len() > MAX_NAME {
            return Err(BadLink::BadName(BadName::TooLong));
        }
        let (mut ups, mut down) = (0, Vec::new());
        for part in text.split('/') {
            match part {
                "." => {}
                ".." if down.is_empty() => ups += 1,
                // `a/..` depends on where a link `a` leads.
                ".." => return Err(BadLink::Outside),
                part => down.push(part),
            }
        }
        if text.starts_with('/') {
            return Err(BadLink::Outside);
        }
        if !down.is_empty() {
            Name::parse(&down.join("/")).map_err(BadLink::BadName)?;
        }
        Ok(Self { text: text.into(), ups })
    }

    /// Whether a link of that name leads to nothing outside the folder that its name begins with.
    pub fn stays_within(&self, link: &Name) -> bool {
        // A link in `top` itself may not go up at all.
        link.parts().count().checked_sub(2).is_some_and(|depth| self.ups <= depth)
    }

    /// The target as the link stores it.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for LinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<LinkTarget> for String {
    fn from(target: LinkTarget) -> Self {
        target.text
    }
}

impl TryFrom<String> for LinkTarget {
    type Error = BadLink;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn stays(link: &str, target: &str) -> bool {
        LinkTarget::parse(target).is_ok_and(|target| target.stays_within(&Name::parse(link).unwrap()))
    }

    #[test]
    fn links_stay_within_their_top_folder() {
        for (link, target) in
            [("d/l", "f"), ("d/l", "./e/f"), ("d/e/l", "../f"), ("d/e/g/l", "../../f"), ("d/e/l", ".."), ("d/l", ".")]
        {
            assert!(stays(link, target), "{link} {target}");
        }
        for (link, target) in [
            ("d/l", "../d/f"),
            ("d/e/l", "../../x"),
            ("l", "f"),
            ("d/l", "/etc/passwd"),
            ("d/l", "e/../f"),
            ("d/e/l", "x/../../.."),
            ("d/l", ""),
            ("d/l", "e//f"),
            ("d/l", "e/"),
            ("d/l", ".ciphermeter-00/state.json"),
            ("d/l", "a\nb"),
        ] {
            assert!(!stays(link, target), "{link} {target}");
        }
    }

    proptest! {
        /// In a tree of folders and of links that stay within, no path leads out of the top folder.
        #[test]
        fn no_chain_of_links_leads_out(
            links in proptest::collection::vec(("[ab](/[ab]){0,2}/l[0-3]", "(\\.\\./){0,3}([ab]|l[0-3]|\\.)(/([ab]|l[0-3]))?"), 1..6),
        ) {
            let outer = tempfile::tempdir().unwrap();
            let outer = outer.path().canonicalize().unwrap();
            let top = outer.join("top");
            for (link, target) in &links {
                let name = Name::parse(&format!("top/{link}")).unwrap();
                let path = outer.join(name.as_str());
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                if stays(name.as_str(), target) {
                    let _ = std::os::unix::fs::symlink(target, &path);
                }
            }
            for (link, _) in &links {
                if let Ok(real) = top.join(link).canonicalize() {
                    prop_assert!(real.starts_with(&top), "{:?} in {:?}", real, links);
                }
            }
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            if let Ok(target) = LinkTarget::parse(&text) {
                prop_assert!(!Path::new(target.as_str()).is_absolute());
            }
        }
    }
}
