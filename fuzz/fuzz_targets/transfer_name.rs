//! Names that a sender gives to files: no text panics, and an accepted name stays beneath the folder that it is joined
//! to, reaches into no transfer's state, and survives the wire unchanged.
#![no_main]

use std::path::{Component, Path};

use ciphermeter_transfer::{MAX_NAME, MAX_PART, MAX_PARTS, Name, STATE_PREFIX};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let name = match Name::parse(text) {
        Ok(name) => name,
        Err(why) => {
            let why = why.to_string();
            assert!(!why.contains(char::is_control), "{why:?}");
            return;
        }
    };
    assert_eq!(name.as_str(), text);
    assert!(text.len() <= MAX_NAME && !text.contains(char::is_control));

    let folder = Path::new("/into/here");
    let joined = folder.join(name.as_str());
    let beneath = joined.strip_prefix(folder).expect("it stays beneath");
    let parts: Vec<_> = beneath.components().collect();
    assert!(parts.iter().all(|part| matches!(part, Component::Normal(_))), "{parts:?}");
    assert!(parts.len() <= MAX_PARTS && parts.iter().map(|part| part.as_os_str()).eq(name.parts()));
    for part in name.parts() {
        assert!(part.len() <= MAX_PART && !part.to_lowercase().starts_with(STATE_PREFIX), "{part:?}");
    }
    let (outer, last) = name.split();
    assert_eq!(outer.map_or(last.into(), |outer| format!("{outer}/{last}")), text);

    let json = serde_json::to_string(&name).expect("a name is JSON");
    assert_eq!(serde_json::from_str::<Name>(&json).expect("it reads back"), name);
});
