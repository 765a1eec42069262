//! A CPU that lacks instructions: who obeys is proven, who doesn't is left out, and each is told.

use ciphermeter_core::Mask;

use crate::model::Model;
use crate::trial::{Kept, Trial};

fn masked(models: Vec<Model>) -> Kept {
    let mut trial = Trial::new(models);
    trial.mask = Some(Mask::NoAvx512);
    trial.run().1
}

fn model(name: &str, path: &'static str, switched: Option<(&'static str, f64)>) -> Model {
    Model { path, switched, ..Model::new(name, 100.0) }
}

#[test]
fn who_obeys_is_measured_with_its_switch_thrown() {
    let kept = masked(vec![
        model("free", "soft", None),
        model("told", "avx512", Some(("avx2", 1.5))),
        model("felt", "unknown", Some(("unknown", 1.6))),
    ]);
    let (told, _) = kept.ratio("told");
    assert!((told - 1.5).abs() < 0.02, "{told}");
    let notes = kept.notes.join("\n");
    assert!(notes.contains("told does without AVX-512: xor went from avx512 to avx2"), "{notes}");
    assert!(notes.contains("felt does without AVX-512: xor takes 1.6 times as long"), "{notes}");
    assert!(!notes.contains("free does"), "{notes}");
}

#[test]
fn who_cannot_be_shown_to_obey_is_left_out_with_the_reason() {
    let kept = masked(vec![
        model("free", "soft", None),
        model("stuck", "avx512", None),
        model("liar", "avx512", Some(("avx512", 1.0))),
        model("dumb", "unknown", Some(("unknown", 1.0))),
    ]);
    let names: Vec<_> = kept.records.iter().map(|record| record.cell.provider.as_str()).collect();
    assert_eq!(names, ["free"]);
    let notes = kept.notes.join("\n");
    for said in [
        "stuck: xor excluded under --cpu no-avx512: it asks the CPU itself",
        "liar: xor excluded under --cpu no-avx512: its code path is still avx512",
        "dumb: xor excluded under --cpu no-avx512: its switch has no effect: calls take 1.00× as long",
    ] {
        assert!(notes.contains(said), "{said} in {notes}");
    }
}
