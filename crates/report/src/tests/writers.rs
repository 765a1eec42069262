//! Whatever prints a run says the same of it: the relation that each text names is the one that the answer holds.

use ciphermeter_core::{Algorithm, Operation, Record, Run};
use ciphermeter_estimate::{Cipher, Comparison};

use super::advises::advised;
use crate::{Stored, TableOptions, answer, html, ranking, screen, write_markdown};
use ciphermeter_answer::fixtures::{self, cell};
use ciphermeter_answer::{About, Answer};

const BOTH: [Algorithm; 2] = Algorithm::USUAL;
const SIZES: [u64; 3] = [64, 1024, 16_384];

/// One to three libraries at these sizes: in a third of the runs one cipher is the faster everywhere, in a third both are equal, and in
/// a third each library and size is another.
fn generated(random: &mut fastrand::Rng) -> Vec<Record> {
    let sort = random.u32(0..3);
    let ahead = random.f64() * 1.5 - 0.75;
    let mut cells = Vec::new();
    let mut libraries = ["openssl", "ring", "go"][..random.usize(1..4)].to_vec();
    // What has but one of them is in no comparison of a library, and may be the fastest of all.
    libraries.extend((random.u32(0..3) == 0).then_some("alone"));
    let only = BOTH[random.usize(0..2)];
    for provider in libraries {
        for message in SIZES {
            let ns = 50.0 + message as f64 * (0.2 + random.f64());
            let log = match sort {
                0 => ahead + 0.05 * random.f64(),
                1 => 0.004 * random.f64(),
                _ => random.f64() - 0.5,
            };
            let both = BOTH.into_iter().zip([ns, ns * log.exp()]);
            for (algorithm, ns) in both.filter(|(algorithm, _)| provider != "alone" || *algorithm == only) {
                cells.extend([Operation::Seal, Operation::Open].map(|own| cell(provider, algorithm, own, message, ns)));
            }
        }
    }
    fixtures::records(&cells, 8)
}

/// The cipher that a text tells its reader to use.
fn told(text: &str) -> Option<Algorithm> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_told = |algorithm: &Algorithm| {
        let name = algorithm.title();
        [format!("Use {name}. It"), format!("Use {name} from"), format!("Use {name} (")]
            .iter()
            .any(|own| words.contains(own))
    };
    BOTH.into_iter().find(is_told)
}

/// Which of both each row of a table names as the faster, where it names one; a row has a size before its figures.
fn rows(text: &str, words: [&str; 2]) -> Vec<Option<usize>> {
    let is_row = |line: &&str| {
        let mut words =
            line.split([' ', '|']).filter(|word| !word.is_empty()).skip_while(|word| *word != "B" && *word != "KiB");
        words.nth(1).is_some_and(|figure| figure.parse::<f64>().is_ok())
    };
    let faster = |line: &str| words.iter().position(|word| line.contains(&format!("{word} ")));
    text.lines().filter(is_row).map(faster).collect()
}

/// How the sentence begins that says why an advice names another cipher.
const RULES: &str = "Two rules: ";

struct Written {
    screen: String,
    markdown: String,
    page: String,
    advice: String,
    /// The cipher that the document of the advice names.
    advised: Option<Algorithm>,
    ranking: String,
}

fn written(run: &Run, records: &[Record]) -> Written {
    let options = TableOptions { width: 80, color: false };
    let mut markdown = Vec::new();
    write_markdown(&mut markdown, run, records).unwrap();
    let (advice, document) = advised(records, None, None);
    let named = document["answer"]["about"]["algorithm"].as_str();
    Written {
        screen: screen(run, records, options).text,
        markdown: String::from_utf8(markdown).unwrap(),
        page: html(&[Stored { run, records }]).unwrap(),
        advice,
        advised: named.map(|name| name.parse().unwrap()),
        ranking: ranking(run, records, options).unwrap().text,
    }
}

/// What of these texts contradicts the answer, by the writer's name.
fn contradictions(answer: &Answer, written: &Written) -> Vec<&'static str> {
    let Some(About::Ciphers(pair)) = &answer.about else { panic!("{answer:?}") };
    let winner = pair.recommended.map(|winner: Cipher| winner.algorithm);
    let side = |comparison: Comparison| comparison.faster().map(|side| side as usize);
    let usual: Vec<_> = pair.usual().rows.iter().map(|row| side(row.comparison)).collect();
    let every = || pair.libraries.iter().flat_map(|library| &library.rows);
    let all: Vec<_> = every().map(|row| side(row.comparison)).collect();
    let kinds = BOTH.map(|algorithm| algorithm.kind().title());
    let shown = rows(&written.screen, kinds);
    let first = written.ranking.lines().filter(|line| line.trim_start().starts_with("1 ")).map(str::to_owned);
    let first: Vec<String> = first.collect();
    let ranks = |algorithm: Algorithm| first.iter().any(|line| line.contains(algorithm.as_str()));
    let differs = winner.zip(written.advised).is_some_and(|(own, advised)| own != advised);
    let page = written.page.replace('\u{a0}', " ");
    [
        ("screen", told(&written.screen) == winner),
        ("rows of the screen", shown == usual),
        ("markdown", told(&written.markdown.replace(['*', '\\'], "")) == winner),
        ("rows of markdown", rows(&written.markdown, BOTH.map(Algorithm::title)) == all),
        ("page", told(&page) == winner),
        ("advice", told(&written.advice) == written.advised),
        // Advice is of all libraries together. It may know less; where it names another cipher,
        // both say why.
        ("advise --json", differs == written.advice.contains(RULES)),
        ("rules", differs == answer.notes.iter().any(|note| note.starts_with(RULES))),
        ("ranking", differs || winner.is_none_or(ranks)),
    ]
    .into_iter()
    .filter(|(_, agrees)| !agrees)
    .map(|(writer, _)| writer)
    .collect()
}

#[test]
fn every_writer_names_the_relation_of_the_answer() {
    let (run, mut won, mut differ) = (fixtures::head(), [0; 3], 0);
    for seed in 0..60 {
        let records = generated(&mut fastrand::Rng::with_seed(seed));
        let (answer, written) = (answer(&run, &records), written(&run, &records));
        assert_eq!(contradictions(&answer, &written), [""; 0], "{seed}: {}\n{}", written.screen, written.markdown);
        differ += usize::from(written.advice.contains(RULES));
        let winner = told(&written.screen);
        won[winner.map_or(2, |own| usize::from(own == BOTH[1]))] += 1;
    }
    assert!(won.iter().all(|count| *count >= 8) && differ > 0, "each relation is tried: {won:?}, {differ}");
}

/// A writer that says the opposite is found.
#[test]
fn writer_that_names_the_other_cipher_is_found() {
    let run = fixtures::head();
    let faster = |provider, message, aes: f64| {
        [(BOTH[0], aes), (BOTH[1], 2.0 * aes)]
            .map(|(algorithm, ns)| cell(provider, algorithm, Operation::Seal, message, ns))
    };
    let cells: Vec<_> = SIZES.iter().flat_map(|message| faster("openssl", *message, 100.0)).collect();
    let records = fixtures::records(&cells, 8);
    let answer = answer(&run, &records);
    let turned = |text: &str| {
        let [aes, chacha] = BOTH.map(Algorithm::title);
        let text = text.replace(aes, "\u{1}").replace(chacha, aes).replace('\u{1}', chacha);
        let [aes, chacha] = BOTH.map(Algorithm::as_str);
        text.replace(aes, "\u{1}").replace(chacha, aes).replace('\u{1}', chacha)
    };
    let own = || written(&run, &records);
    assert!(contradictions(&answer, &own()).is_empty());
    let mutants = [
        ("screen", Written { screen: turned(&own().screen), ..own() }),
        ("markdown", Written { markdown: turned(&own().markdown), ..own() }),
        ("page", Written { page: turned(&own().page), ..own() }),
        ("advice", Written { advice: turned(&own().advice), ..own() }),
        ("advise --json", Written { advised: Some(BOTH[1]), ..own() }),
        ("ranking", Written { ranking: turned(&own().ranking), ..own() }),
    ];
    for (writer, mutant) in mutants {
        let found = contradictions(&answer, &mutant);
        assert!(found.contains(&writer), "{writer}: {found:?}");
    }
}
