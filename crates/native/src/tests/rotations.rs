//! Cells that go round several texts and keys.

use super::*;

const ROTATION: Rotation = Rotation { texts: 4, keys: 2 };

/// The ways whose texts and keys can go round.
fn rotating_ways(worker: &mut Worker) -> Vec<Prepare> {
    let mut ways = ways(worker);
    ways.retain(|way| way.operation != Operation::KeySetup && !way.form.is_split());
    ways.iter_mut().for_each(|way| way.rotation = ROTATION);
    ways
}

#[test]
fn samples_leave_what_is_made_anew() {
    for mut worker in workers() {
        for message in [0, 16, 100, 5000] {
            for way in rotating_ways(&mut worker) {
                let Some(message) = way.algorithm.nearest(message) else { continue };
                let title = format!("{} {} {} {} of {message}", way.provider, way.algorithm, way.operation, way.form);
                if let Err(why) = ready(&mut worker, &Prepare { message, ..way.clone() }) {
                    assert!(message == 0 && way.algorithm == Algorithm::Aes256Siv, "{title}: {why}");
                    continue;
                }
                let (first, last) = sample(&mut worker, 1000, 7);
                assert!(last - first >= 7 + 2 - 1, "{title}: a warm-up goes round all keys");
                if has_digest(&way) {
                    let left = digest(&mut worker, first, last);
                    digest(&mut worker, 0, 0);
                    assert_eq!(left, digest(&mut worker, first, last), "{title}");
                }
                release(&mut worker);
            }
        }
    }
}

#[test]
fn each_iteration_has_its_key() {
    for mut worker in workers() {
        for way in rotating_ways(&mut worker).into_iter().filter(has_digest) {
            let title = format!("{} {} {} {}", way.provider, way.algorithm, way.operation, way.form);
            let mut digests = |rotation| {
                ready(&mut worker, &Prepare { rotation, ..way.clone() }).unwrap();
                let made = [8, 9, 11].map(|iteration| digest(&mut worker, iteration, iteration));
                release(&mut worker);
                made
            };
            let (one, several) = (digests(Rotation::NONE), digests(ROTATION));
            assert_eq!(one[0], several[0], "{title}: key 0");
            let opened = way.operation.consumes_sealed();
            // What comes out when a text is opened is the message, whatever its key.
            assert_eq!(one[1] == several[1], opened, "{title}: key 1");
            assert_eq!(several[1], digests(Rotation { texts: 8, keys: 2 })[1], "{title}: the same under more texts");
        }
    }
}

#[test]
fn in_place_each_text_has_a_chain_of_its_own() {
    for mut worker in workers() {
        let mut ways = rotating_ways(&mut worker);
        ways.retain(|way| has_digest(way) && way.form == Form::InPlace && !way.operation.consumes_sealed());
        for way in ways {
            let mut chain = |rotation, first, last| {
                ready(&mut worker, &Prepare { rotation, ..way.clone() }).unwrap();
                let made = digest(&mut worker, first, last);
                release(&mut worker);
                made
            };
            // Of iterations 1 to 8, the text of iteration 8 saw 4 and 8; of 5 to 8 only 8.
            let rotation = Rotation { texts: 4, keys: 1 };
            let alone = chain(Rotation::NONE, 8, 8);
            assert_eq!(chain(rotation, 5, 8), alone, "{} {}", way.provider, way.algorithm);
            assert_ne!(chain(rotation, 1, 8), alone, "{} {}", way.provider, way.algorithm);
        }
    }
}

#[test]
fn what_cannot_rotate_is_refused_with_the_reason() {
    let mut worker = Worker::new("rustcrypto", Planted::default()).unwrap();
    let way =
        Prepare { rotation: ROTATION, ..prepare("rustcrypto", Algorithm::Aes256Gcm, Operation::Open, Form::InPlace) };
    let mut refused = |way: Prepare| ready(&mut worker, &way).unwrap_err();
    let uneven = Prepare { rotation: Rotation { texts: 3, keys: 2 }, ..way.clone() };
    assert_eq!(refused(uneven), "3 texts to open under 2 keys: each key has as many as any other");
    for wrong in [Prepare { operation: Operation::KeySetup, ..way.clone() }, Prepare { threads: 2, ..way.clone() }] {
        let why = refused(wrong);
        // Where there is one CPU, two threads are refused before that.
        assert!(why.contains("single calls of one thread") || why.contains("may use: 1"), "{why}");
    }
    let large = Prepare { message: 1 << 30, rotation: Rotation { texts: 1 << 20, keys: 1 }, ..way };
    assert!(refused(large).contains("MiB that are free"));
}
