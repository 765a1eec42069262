//! Which ways of a size are left out where six forks of all of them do not fit into its time: those that matter least, so that a size is
//! measured with fewer ways rather than not at all.

use std::collections::BTreeMap;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Form};

use crate::SinkError;
use crate::kind::Room;
use crate::pool::Pool;
use crate::rounds::{Setting, TooLong};

/// A cell that takes so many times as long as the usual one is left out before any other.
const OUTLIER: u32 = 4;

/// Takes cells out until the others fit; comes back with the deadline then. First those within the size's own time that matter least:
/// cells that take many times as long as others, `dynamic`, thread counts between one and all. If that is not enough, longer messages
/// give up their time. Then go whole providers of a cipher, whole forms of files, each the slowest first, and XOR, each with the
/// ceilings that nothing is left to be held against; and at last the size, because without one thread there is no speed-up, and
/// without all of them nothing that it is about.
pub fn keep(
    pool: &mut Pool<'_>,
    settings: &mut [Option<Setting>],
    deadline: Duration,
    room: Room,
) -> Result<Duration, SinkError> {
    for least in [outliers, chunked, between] {
        while let Some(too_long) = TooLong::of(pool, settings, deadline) {
            match least(pool, &too_long.costs) {
                out if out.is_empty() => break,
                out => take_out(pool, settings, room, &too_long, out)?,
            }
        }
    }
    let Some(too_long) = TooLong::of(pool, settings, deadline) else { return Ok(deadline) };
    let latest = room.latest.max(deadline);
    if too_long.wanted <= latest.saturating_sub(pool.clock.now()) {
        return Ok(pool.clock.now() + too_long.wanted);
    }
    while let Some(too_long) = TooLong::of(pool, settings, latest) {
        let least =
            [idle_ceilings, slowest_provider, slowest_form, xor].iter().map(|least| least(pool, &too_long.costs));
        let out = least.into_iter().find(|out| !out.is_empty());
        let all = || too_long.costs.iter().map(|(_, id)| *id).collect();
        let out = out.unwrap_or_else(all);
        take_out(pool, settings, room, &too_long, out)?;
    }
    Ok(latest)
}

fn take_out(
    pool: &mut Pool<'_>,
    settings: &mut [Option<Setting>],
    room: Room,
    too_long: &TooLong,
    out: Vec<CellId>,
) -> Result<(), SinkError> {
    let enough = too_long.enough(pool, room);
    out.into_iter().try_for_each(|id| too_long.take_out(pool, settings, id, "message", enough))
}

type Costs<'a> = &'a [(Duration, CellId)];

/// The dearest cell, if it takes many times as long as the usual one of as many threads.
fn outliers(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    let threads = |id: CellId| {
        let cell = cell(pool, id);
        if cell.form.is_of_card() { pool.options.cpus.into() } else { cell.parameters.threads() }
    };
    let usual = |id: CellId| {
        let same = costs.iter().filter(|(_, other)| threads(*other) == threads(id)).map(|(cost, _)| *cost);
        let same: Vec<Duration> = same.collect();
        same[same.len() / 2]
    };
    costs.iter().rev().find(|(cost, id)| *cost > usual(*id) * OUTLIER).map(|(_, id)| *id).into_iter().collect()
}

/// All cells of `dynamic` where the same work is split into slices, too.
fn chunked(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    let has_slices = costs.iter().any(|(_, id)| cell(pool, *id).form == Form::Static);
    let is_chunked = |id: &CellId| has_slices && cell(pool, *id).form == Form::Dynamic;
    costs.iter().map(|(_, id)| *id).filter(is_chunked).collect()
}

/// All cells of more than one thread and fewer than the most.
fn between(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    let threads = |id: CellId| cell(pool, id).parameters.threads();
    let most = costs.iter().map(|(_, id)| threads(*id)).max().unwrap_or(1);
    costs.iter().map(|(_, id)| *id).filter(|id| (2..most).contains(&threads(*id))).collect()
}

/// The ceilings of a card in forms in which it has no cipher any more.
fn idle_ceilings(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    idle(&costs.iter().map(|(_, id)| (*id, cell(pool, *id))).collect::<Vec<_>>())
}

fn idle(cells: &[(CellId, &Cell)]) -> Vec<CellId> {
    let is_cipher = |cell: &Cell| !cell.algorithm.is_ceiling();
    let has_cipher = |of: &Cell| {
        cells.iter().any(|(_, cell)| is_cipher(cell) && (&cell.provider, cell.form) == (&of.provider, of.form))
    };
    let is_idle = |cell: &Cell| cell.form.is_of_card() && !is_cipher(cell) && !has_cipher(cell);
    cells.iter().filter(|(_, cell)| is_idle(cell)).map(|(id, _)| *id).collect()
}

/// All cells of a cipher by the provider that is slowest at it, where another one has it.
fn slowest_provider(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    let mut dearest = BTreeMap::<Algorithm, BTreeMap<&str, Duration>>::new();
    for (cost, id) in costs {
        let cell = cell(pool, *id);
        if !cell.algorithm.is_ceiling() {
            // The costs rise, so the last one is the dearest.
            dearest.entry(cell.algorithm).or_default().insert(&cell.provider, *cost);
        }
    }
    let several = dearest.into_iter().filter(|(_, providers)| providers.len() > 1);
    let all = several.flat_map(|(algorithm, providers)| {
        providers.into_iter().map(move |(provider, cost)| (cost, algorithm, provider))
    });
    let Some((_, algorithm, provider)) = all.max() else { return Vec::new() };
    let is_its = |id: &CellId| cell(pool, *id).algorithm == algorithm && cell(pool, *id).provider == provider;
    costs.iter().map(|(_, id)| *id).filter(is_its).collect()
}

/// All cells of the form of files whose fastest cell is slowest, ceilings and all, where there is another such form.
fn slowest_form(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    let mut fastest = BTreeMap::<Form, Duration>::new();
    for (cost, id) in costs {
        let cell = cell(pool, *id);
        if cell.form.is_of_files() && !cell.algorithm.is_ceiling() {
            fastest.entry(cell.form).or_insert(*cost);
        }
    }
    let slowest = fastest.iter().max_by_key(|(_, cost)| **cost).filter(|_| fastest.len() > 1);
    let is_its = |id: &CellId| slowest.is_some_and(|(form, _)| cell(pool, *id).form == *form);
    costs.iter().map(|(_, id)| *id).filter(is_its).collect()
}

/// All cells of XOR, where there is a cipher.
fn xor(pool: &Pool<'_>, costs: Costs<'_>) -> Vec<CellId> {
    let algorithm = |id: CellId| cell(pool, id).algorithm;
    let has_cipher = costs.iter().any(|(_, id)| algorithm(*id) == Algorithm::Aes256Ctr);
    costs.iter().map(|(_, id)| *id).filter(|id| has_cipher && algorithm(*id) == Algorithm::Xor).collect()
}

fn cell<'p>(pool: &'p Pool<'_>, id: CellId) -> &'p Cell {
    &pool.plan.get(id).cell
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Operation, Parameters};

    use super::*;

    #[test]
    fn ceilings_of_a_card_go_with_the_last_cipher_of_their_form() {
        let cell = |provider: &str, algorithm, form| Cell {
            provider: provider.into(),
            algorithm,
            operation: Operation::Encrypt,
            form,
            parameters: Parameters::message_cell(1 << 20, 0, 1),
        };
        let cells = [
            cell("cuda", Algorithm::Xor, Form::Device),
            cell("cuda", Algorithm::ReadModifyWrite, Form::Device),
            cell("cuda", Algorithm::CopyIn, Form::Pageable),
            cell("wgpu", Algorithm::Memcpy, Form::Device),
            cell("openssl", Algorithm::Aes256Ctr, Form::Static),
            cell("ceiling", Algorithm::Memcpy, Form::Static),
        ];
        let numbered: Vec<_> = (0..).map(CellId).zip(&cells).collect();
        assert_eq!(idle(&numbered), [CellId(2), CellId(3)]);
    }
}
