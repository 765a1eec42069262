use super::*;
use crate::receive::samples::file;

fn offer(files: &[(&str, u64, u32)], folders: &[&str]) -> Offer {
    let folder = |name: &&str| (Name::parse(name).unwrap(), 0o755);
    let files = files.iter().map(|(name, size, mode)| OfferedFile { mode: *mode, ..file(name, *size) }).collect();
    Offer { files, folders: folders.iter().map(folder).collect(), left_out: 0 }
}

fn accepted() -> Accepted {
    Accepted::new(offer(&[("d/a", 100, 0o644), ("d/b", 100, 0o755)], &["d", "d/e"]), &HashMap::new())
}

#[test]
fn offer_within_the_accepted_one_is_not_asked_again() {
    for (files, folders) in [
        (&[("d/a", 100, 0o644), ("d/b", 100, 0o755)][..], &["d", "d/e"][..]),
        (&[("d/b", 99, 0o600), ("d/a", 0, 0o600)], &["d/e"]),
        (&[("d/b", 100, 0o755)], &[]),
        (&[], &[]),
    ] {
        assert_eq!(accepted().exceeded_by(&offer(files, folders)), [], "{files:?}");
    }
}

#[test]
fn excess_over_the_accepted_offer_is_named() {
    for (files, folders, words) in [
        (&[("d/a", 101, 0o644)][..], &[][..], "d/a has 101 bytes; accepted were 100"),
        (&[("d/a", 1, 0o744)], &[], "d/a is executable now and was not when accepted"),
        (&[("d/c", 0, 0o644)], &[], "d/c was not among the accepted names"),
        (&[], &["f"], "f was not among the accepted names"),
        (&[("d/e", 1, 0o644)], &[], "d/e changed between file, folder and link since it was accepted"),
        (&[], &["d/a"], "d/a changed between file, folder and link since it was accepted"),
    ] {
        let excess = accepted().exceeded_by(&offer(files, folders)).remove(0).to_string();
        assert!(excess.contains(words), "{excess}");
    }
}

#[test]
fn file_numbers_outlive_the_order_of_offers() {
    let mut accepted = accepted();
    assert!(accepted.take(offer(&[("d/b", 100, 0o755)], &[]), &HashMap::new()).is_empty());
    assert_eq!((accepted.count(), accepted.part(0), accepted.part(1)), (1, Some(1), None));
    assert_eq!(accepted.bytes(), 100);
    let later = offer(&[("new", 7, 0o644), ("d/b", 50, 0o755), ("d/a", 100, 0o644)], &["f"]);
    let changed = accepted.take(later, &HashMap::new());
    assert_eq!(changed, [1]);
    assert_eq!([0, 1, 2].map(|number| accepted.part(number).unwrap()), [2, 1, 0]);
    assert_eq!(accepted.exceeded_by(&offer(&[("new", 7, 0o644), ("d/b", 100, 0o755)], &["f"])), []);
}

#[test]
fn accepted_offer_survives_this_process() {
    let mut before = accepted();
    before.take(offer(&[("d/a", 3, 0o644)], &[]), &HashMap::new());
    let after: Accepted = serde_json::from_slice(&serde_json::to_vec(&before).unwrap()).unwrap();
    assert_eq!(after.exceeded_by(&offer(&[("d/a", 100, 0o644)], &["d"])), [], "the limit is the accepted size");
    assert_eq!(after.exceeded_by(&offer(&[("d/a", 101, 0o644)], &["d"])).len(), 1);
    assert_eq!(after.files, before.files);
}

fn beyond(files: &[u32]) -> HashMap<u32, Fate> {
    files.iter().map(|file| (*file, Fate::Skipped(Skipped::Beyond))).collect()
}

#[test]
fn what_goes_beyond_is_left_out_until_it_does_not() {
    let mut accepted = accepted();
    let grown = offer(&[("d/a", 105, 0o644), ("d/b", 100, 0o755)], &["d"]);
    assert!(accepted.take(grown.clone(), &beyond(&[0])).is_empty(), "what is here of it stays until then");
    assert_eq!((accepted.skipped(0), accepted.has_part(0), accepted.bytes()), (Some(Skipped::Beyond), false, 100));
    assert_eq!(accepted.not_offered().count(), 0);
    // It stays in the state, and is decided anew with each offer.
    let mut after: Accepted = serde_json::from_slice(&serde_json::to_vec(&accepted).unwrap()).unwrap();
    assert_eq!(after.exceeded_by(&grown)[0].to_string(), "d/a has 105 bytes; accepted were 100");
    let again = offer(&[("d/a", 100, 0o644)], &[]);
    assert_eq!(after.exceeded_by(&again), []);
    after.take(again, &HashMap::new());
    assert_eq!((after.skipped(0), after.bytes()), (None, 100));
    accepted.take(grown, &HashMap::new());
    assert_eq!((accepted.skipped(0), accepted.bytes()), (None, 205), "the user accepted it");
}

#[test]
fn name_that_came_later_is_a_stranger_until_it_is_accepted() {
    let mut accepted = accepted();
    let wider = offer(&[("d/new", 0, 0o644)], &["d"]);
    accepted.take(wider.clone(), &beyond(&[0]));
    let kinds =
        |accepted: &Accepted| accepted.exceeded_by(&wider).into_iter().map(|excess| excess.kind).collect::<Vec<_>>();
    assert_eq!((kinds(&accepted), accepted.new_files(&wider)), (vec![ExcessKind::New], vec![0]));
    assert!(accepted.names().all(|name| name.as_str() != "d/new"));
    accepted.take(wider.clone(), &HashMap::new());
    assert_eq!((kinds(&accepted), accepted.new_files(&wider)), (vec![], vec![]));
    assert!(accepted.names().any(|name| name.as_str() == "d/new"));
}

#[test]
fn what_is_declined_before_a_resume_does_not_come() {
    let mut accepted = accepted();
    accepted.take(offer(&[("d/a", 105, 0o644)], &[]), &beyond(&[0]));
    // Of what is wanted: d/b, and the folders d and d/e.
    accepted.decline(&HashSet::from([0]), &HashSet::from([1]));
    assert_eq!(accepted.skipped(1), Some(Skipped::Declined));
    accepted.take(offer(&[("d/b", 300, 0o755)], &["d", "d/e"]), &HashMap::new());
    assert_eq!(accepted.skipped(1), Some(Skipped::Declined));
    let folders: Vec<_> = accepted.folders().into_iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(folders, ["d"]);
}
