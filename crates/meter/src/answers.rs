//! Known answers: what every provider must give before it is timed.
//!
//! Valid vectors must come out, forged ones be rejected, and of some the tag is cut and flipped. What a provider does not take, or what
//! does not fit into its device, is passed over; but some must have been answered.

use ciphermeter_core::{Algorithm, Form, Operation};
use ciphermeter_protocol::{CheckInput, LinkError};

use crate::vectors::{Vector, vectors};
use crate::{Answer, Worker};

/// What a proof came to.
pub enum Verdict {
    Right,
    /// Nothing shows that it is right, or wrong; why.
    Unanswered(String),
    Wrong(String),
    Broken(LinkError),
}

/// The two operations that undo each other.
pub fn operations(algorithm: Algorithm) -> (Operation, Operation) {
    if algorithm.has(Operation::Seal) {
        (Operation::Seal, Operation::Open)
    } else {
        (Operation::Encrypt, Operation::Decrypt)
    }
}

/// How many known answers were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Messages that were sealed as they must be.
    pub sealed: usize,
    /// Those that were opened.
    pub opened: usize,
    /// Forgeries that were rejected.
    pub rejected: usize,
    /// Vectors that the provider does not take, or that do not fit into its device.
    pub unsupported: usize,
}

/// Has a provider give the known answers of an algorithm in a form, as every run does first. Comes back with what is wrong, if
/// anything is.
///
/// # Errors
/// The worker broke.
pub fn known_answers(
    worker: &mut Worker,
    provider: &str,
    algorithm: Algorithm,
    form: Form,
) -> Result<(Tally, Option<String>), LinkError> {
    let mut tally = Tally::default();
    let verdict = answer_vectors(worker, provider, algorithm, form, &mut tally)?;
    let wrong = if let Verdict::Wrong(why) = verdict { Some(why) } else { None };
    Ok((tally, wrong))
}

/// The same, as the verdict of a proof.
pub fn answer_vectors(
    worker: &mut Worker,
    provider: &str,
    algorithm: Algorithm,
    form: Form,
    tally: &mut Tally,
) -> Result<Verdict, LinkError> {
    let (seal, open) = operations(algorithm);
    let mut last_why = String::from("none was asked");
    for vector in known(algorithm) {
        let ask = |operation, input: &[u8]| CheckInput {
            provider: provider.into(),
            algorithm,
            operation,
            form: Some(form),
            key: vector.key.clone(),
            nonce: vector.nonce.clone(),
            aad: vector.aad.clone(),
            input: input.to_vec(),
            threads: None,
        };
        let wrong = |operation, expected: &str, answer: &Answer| {
            Ok(Verdict::Wrong(format!("vector {}: {operation} must {expected}, {}", vector.id, told(answer))))
        };
        let is_right = |answer: &Answer| match answer {
            Answer::Output(output) => vector.valid && *output == vector.message,
            Answer::Rejected => !vector.valid,
            Answer::Unsupported(_) => true,
        };
        let answer = answered(worker, ask(open, &vector.sealed), is_right)?;
        match (&answer, vector.valid) {
            (Answer::Unsupported(why), _) => {
                (last_why, tally.unsupported) = (why.clone(), tally.unsupported + 1);
                continue;
            }
            (answer, true) if !is_right(answer) => return wrong(open, "give the message", answer),
            (answer, false) if !is_right(answer) => return wrong(open, "reject a forgery", answer),
            (_, true) => tally.opened += 1,
            (_, false) => {
                tally.rejected += 1;
                continue;
            }
        }
        let is_right = |answer: &Answer| match answer {
            Answer::Output(output) => *output == vector.sealed,
            Answer::Unsupported(_) => true,
            Answer::Rejected => false,
        };
        match answered(worker, ask(seal, &vector.message), is_right)? {
            Answer::Unsupported(why) => last_why = why,
            answer if is_right(&answer) => tally.sealed += 1,
            answer => return wrong(seal, "give the sealed text", &answer),
        }
        for forged in forgeries(algorithm, &vector) {
            let is_right = |answer: &Answer| matches!(answer, Answer::Rejected | Answer::Unsupported(_));
            let answer = answered(worker, ask(open, &forged), is_right)?;
            if !is_right(&answer) {
                return wrong(open, "reject a forgery", &answer);
            }
        }
    }
    if tally.sealed == 0 || tally.opened == 0 {
        return Ok(Verdict::Unanswered(format!("it answered no vector, so it is unverified: {last_why}")));
    }
    Ok(Verdict::Right)
}

/// An answer. A board that is wrong is asked once more, so that a bit that flips on its line does not accuse its library.
fn answered(worker: &mut Worker, input: CheckInput, is_right: impl Fn(&Answer) -> bool) -> Result<Answer, LinkError> {
    let again = worker.is_board().then(|| input.clone());
    let answer = worker.check(input)?;
    let Some(input) = again.filter(|_| !is_right(&answer)) else { return Ok(answer) };
    if is_right(&worker.check(input)?) { Err(LinkError::Unsteady) } else { Ok(answer) }
}

fn told(answer: &Answer) -> String {
    match answer {
        Answer::Output(output) => {
            format!("it gave {} bytes beginning {}", output.len(), hex::encode(&output[..output.len().min(8)]))
        }
        Answer::Rejected => "it rejected it".into(),
        Answer::Unsupported(why) => format!("it says unsupported: {why}"),
    }
}

/// The known answers of an algorithm. XOR has none published; its answer is its definition.
fn known(algorithm: Algorithm) -> Vec<Vector> {
    if algorithm != Algorithm::Xor {
        return vectors(algorithm);
    }
    let key: Vec<u8> = (0..32).map(|n| n * 7 + 1).collect();
    let of_length = |length: usize| {
        let message: Vec<u8> = (0..length).map(|n| (n * 31 + 5) as u8).collect();
        let sealed = message.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        Vector {
            id: format!("xor-{length}"),
            key: key.clone(),
            nonce: vec![],
            aad: vec![],
            message,
            sealed,
            valid: true,
        }
    };
    [0, 1, 31, 32, 33, 63, 64, 65, 1000].map(of_length).into()
}

/// A sealed text cut short and with each end flipped. For a few vectors only: they cost as much as the vector itself.
fn forgeries(algorithm: Algorithm, vector: &Vector) -> Vec<Vec<u8>> {
    let length = vector.sealed.len();
    if algorithm.tag_bytes() == 0 || !length.is_multiple_of(7) || length == 0 {
        return Vec::new();
    }
    let flipped = |place: usize| {
        let mut sealed = vector.sealed.clone();
        sealed[place] ^= 1;
        sealed
    };
    vec![
        flipped(0),
        flipped(length - 1),
        vector.sealed[..length - 1].to_vec(),
        vector.sealed[..length.min(15)].to_vec(),
        vec![],
    ]
}
