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
