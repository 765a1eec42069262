//! `run --against`: how often a library seems slower than itself, and how often a planted slowdown is found.

use std::time::Instant;

use anyhow::{Context, Result};
use ciphermeter_core::{Algorithm, Seconds, Share};
use ciphermeter_report::{TableOptions, Verdict, against as verdict};

use crate::binary::Ciphermeter;
use crate::output::print_line;

/// The provider that is compared with itself.
const PROVIDER: &str = "aws-lc";
/// The only algorithm that is slowed.
const SLOWED: Algorithm = Algorithm::Aes256Gcm;
/// The arguments of each run, without those of its setting and the workers.
const RUN: [&str; 6] = [
    "--provider=aws-lc",
    "--algorithm=aes-256-gcm,chacha20-poly1305",
    "--operation=seal,open",
    "--form=in-place",
    // More than the budget allows, so that it is spent.
    "--precision=0.01%",
    // One line for each of forty runs is progress enough.
    "--quiet",
];

/// What each run is asked.
pub struct Setting {
    /// The most time.
    pub budget: Seconds,
    /// Sizes of messages, as on a command line.
    pub message: String,
    /// What is slower by less counts for nothing. At 0 a difference of nothing would be searched.
    pub threshold: Share,
}

/// Prints each run's verdict in short, and the counts.
pub fn against(runs: u32, planted: Share, setting: &Setting, ciphermeter: &Ciphermeter) -> Result<()> {
    let (mut calm, mut found, mut longest) = (0, 0, 0.0_f64);
    for number in 1..=runs {
        for slowed in [None, Some(planted)] {
            let began = Instant::now();
            let verdict = compared(slowed, setting, ciphermeter)?;
            let took = began.elapsed().as_secs_f64();
            longest = longest.max(took);
            let right = match slowed {
                None => slower(&verdict).next().is_none(),
                Some(_) => names_the_slowed(&verdict),
            };
            *(if slowed.is_some() { &mut found } else { &mut calm }) += u32::from(right);
            let what = slowed.map_or("the same".into(), |share| format!("{SLOWED} slowed by {share}"));
            let (slower, cells) = (slower(&verdict).count(), verdict.cells.len());
            print_line(&format!("run {number}, {what}: {slower} of {cells} cells slower, {took:.1} s"))?;
        }
    }
    print_line(&format!(
        "{}, threshold {}: no cell of the same library is slower in {calm} of {runs} runs; {planted} in {SLOWED} of {PROVIDER} \
         found in {found} of {runs}, each within {longest:.1} s",
        setting.message, setting.threshold
    ))
}

fn slower(verdict: &Verdict) -> impl Iterator<Item = &ciphermeter_core::Cell> {
    verdict.cells.iter().filter(|compared| compared.is_slower()).map(|compared| &compared.cell)
}

/// Found: a cell of the slowed worker's slowed algorithm is reported as slower, and no other cell.
fn names_the_slowed(verdict: &Verdict) -> bool {
    let is_slowed = |cell: &ciphermeter_core::Cell| cell.algorithm == SLOWED && cell.provider != PROVIDER;
    slower(verdict).next().is_some() && slower(verdict).all(is_slowed)
}

/// One run. `--worker` adds providers and replaces none, so a run with the slowed one includes the honest library, too.
fn compared(slowed: Option<Share>, setting: &Setting, ciphermeter: &Ciphermeter) -> Result<Verdict> {
    let honest = ciphermeter.worker("native", PROVIDER);
    let words = |extra: &[String]| {
        let program = honest.program.to_str().context("the binary's path is not UTF-8")?;
        let words = [program].into_iter().chain(honest.arguments.iter().chain(extra).map(String::as_str));
        Ok::<_, anyhow::Error>(shlex::try_join(words)?)
    };
    let mut arguments: Vec<String> = RUN.map(String::from).into();
    let Setting { budget, message, threshold } = setting;
    arguments.extend([
        format!("--budget={budget}"),
        format!("--message={message}"),
        format!("--threshold={threshold}"),
    ]);
    arguments.extend(["--against".into(), words(&[])?]);
    if let Some(share) = slowed {
        let slowed = ["--slowed".into(), share.to_string(), "--only".into(), SLOWED.to_string()];
        arguments.extend(["--worker".into(), words(&slowed)?]);
    }
    let (run, records) = ciphermeter.run(&arguments)?;
    let (_, verdict) =
        verdict(&run, &records, None, TableOptions { width: 80, color: false }).context("the run compared nothing")?;
    Ok(verdict)
}
