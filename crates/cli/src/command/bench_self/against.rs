//! `run --against`: how often the same library seems slower than itself, and how often a planted slowdown is found.

use std::time::Instant;

use anyhow::{Context, Result};
use ciphermeter_core::{Against, Algorithm, Bytes, Form, Operation, Scenario, Seconds, Selection, Share, Threads};
use ciphermeter_meter::Source;
use ciphermeter_report::{Call, Look, Verdict, against};
use ciphermeter_store::Store;

use crate::args::RunOptions;
use crate::command::run::{begin, measure_into};
use crate::sources::Sources;
use crate::{built_in, folders, output};

/// The provider that is held against itself.
const PROVIDER: &str = "aws-lc";
/// The one algorithm that is slowed.
const SLOWED: Algorithm = Algorithm::Aes256Gcm;
/// What counts as slower: above 0, or a difference of nothing would be looked for.
const THRESHOLD: Share = Share(0.01);
const LOOK: Look = Look { width: 80, color: false };

/// Prints each run's verdict in short, and the counts.
pub fn against_itself(runs: u32, budget: Seconds, planted: Share, options: &RunOptions) -> Result<()> {
    let store = Store::open(&folders::store(&options.store)?)?;
    let _lock = folders::lock(store.path())?;
    let (mut calm, mut found, mut longest) = (0, 0, 0.0_f64);
    for number in 1..=runs.max(1) {
        for slowed in [None, Some(planted)] {
            let began = Instant::now();
            let verdict = verdict(slowed, budget, &store, options)?;
            let took = began.elapsed().as_secs_f64();
            longest = longest.max(took);
            let right = match slowed {
                None => verdict.slower == 0,
                Some(_) => names_the_slowed(&verdict),
            };
            *(if slowed.is_some() { &mut found } else { &mut calm }) += u32::from(right);
            let what = slowed.map_or("the same".into(), |share| format!("{SLOWED} slowed by {share}"));
            let (slower, cells) = (verdict.slower, verdict.cells.len());
            output::print(&format!("run {number}, {what}: {slower} of {cells} cells surely slower, {took:.1} s\n"))?;
        }
    }
    let runs = runs.max(1);
    output::print(&format!(
        "threshold {THRESHOLD}: the same is nowhere slower in {calm} of {runs} runs; {planted} in {SLOWED} of {PROVIDER} \
         found in {found} of {runs}, each within {longest:.1} s\n"
    ))
}

/// Found: a cell of the slowed algorithm is called slower, and none of another.
fn names_the_slowed(verdict: &Verdict) -> bool {
    let slower = || verdict.cells.iter().filter(|compared| compared.call == Call::Slower);
    slower().next().is_some() && slower().all(|compared| compared.cell.algorithm == SLOWED)
}

fn verdict(slowed: Option<Share>, budget: Seconds, store: &Store, options: &RunOptions) -> Result<Verdict> {
    let native = built_in::native()?;
    let new = native.iter().find(|source| source.name == PROVIDER).context("the provider is not built in")?;
    let old = Source { name: format!("{PROVIDER}{}", Against::MARK), ..new.clone() };
    let mut new = new.clone();
    if let Some(share) = slowed {
        new.command.arguments.extend(["--slowed", &share.to_string(), "--only", SLOWED.as_str()].map(String::from));
    }
    let probe = native.into_iter().find(|source| source.name == "ceiling");
    let sources = Sources { sources: probe.into_iter().chain([new, old]).collect(), ..Sources::default() };
    let against_old = Against { old: "the same library in another process".into(), threshold: THRESHOLD };
    let run = ciphermeter_core::Run { against: Some(against_old), ..begin(scenario(budget), options.seed) };
    let (id, _) = measure_into(store, run, None, sources, options)?;
    let (run, records) = store.load(id)?;
    let (_, verdict) = against(&run, &records, LOOK).context("the run was held against nothing")?;
    Ok(verdict)
}

fn scenario(budget: Seconds) -> Scenario {
    let selection = Selection {
        algorithms: vec![SLOWED, Algorithm::ChaCha20Poly1305],
        operations: vec![Operation::Seal, Operation::Open],
        messages: [16, 1 << 10, 16 << 10].map(Bytes).into(),
        aad: vec![Bytes(0)],
        forms: vec![Form::InPlace],
        threads: vec![Threads::Count(1)],
        latency: false,
        memory: false,
        providers: vec![PROVIDER.into()],
    };
    Scenario {
        name: "against-itself".into(),
        kind: ciphermeter_core::Kind::Message,
        title: "one library against itself, and once with a planted slowdown".into(),
        budget,
        precision: Share(0.003),
        copies: None,
        cells: vec![selection],
    }
}
