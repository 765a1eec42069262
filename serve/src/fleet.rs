//! What all machines together say: the cipher for all, since when each answers as it does, and which were not measured for long.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_answer::fleet::{Compared, FleetAnswer, Machine, NAMED, Weights, by_weight, for_all, usual};
use ciphermeter_answer::words::first_of;
use ciphermeter_core::in_quotes;
use ciphermeter_host::file;
use time::Duration;

use crate::clock;
use crate::database::Database;
use crate::runs::{STANDING_FIRST, StoredRun};
use crate::state::Server;

/// Machines of one table.
pub const MOST: usize = 1000;
/// Bytes of the longest file of weights.
const MOST_OF_WEIGHTS: u64 = 1 << 20;

/// How machines are judged together.
#[derive(Debug, Clone, Default)]
pub struct Judging {
    /// How much each encrypts; without them the slowest machine decides.
    pub weights: Option<Weights>,
    /// Days after which a machine's run is stale.
    pub stale_after: u32,
}

/// All machines with what they say together.
pub struct Fleet {
    /// The latest run of each that compares what most compare, under the same conditions, else its latest run of others, or of anything.
    pub machines: Vec<StoredRun>,
    /// How many machines there are: `machines` has no more than the first [`MOST`] by name.
    pub count: usize,
    /// The cipher for all of them.
    pub answer: FleetAnswer,
    /// Since when each machine's runs of the same ciphers and conditions recommend what this one does.
    pub since: BTreeMap<String, String>,
    /// Machines whose run here is stale.
    pub stale: Vec<String>,
}

impl Server {
    /// Reads all machines.
    pub async fn fleet(&self) -> Result<Fleet> {
        let compared = self.database.compared().await?;
        let kind = usual(&compared);
        let standing = self.database.standing(kind.unwrap_or_default()).await?;
        let choices: Vec<Machine> = standing.iter().map(|run| (run.machine.clone(), run.choice())).collect();
        let mut answer = match &self.judging.weights {
            Some(weights) => weighed(&choices, kind, weights),
            None => for_all(&choices, kind),
        };
        let since = self.database.since(kind.unwrap_or_default()).await?;
        let oldest = clock::from_now(-Duration::days(i64::from(self.judging.stale_after)))?;
        let stale = standing.iter().filter(|run| run.started < oldest).map(|run| run.machine.clone());
        let stale: Vec<String> = stale.collect();
        if !stale.is_empty() {
            let days = self.judging.stale_after;
            answer.sentences.push(format!("Measured more than {days} days ago: {}.", first_of(stale.clone(), NAMED)));
        }
        let digests: Vec<&str> = standing.iter().take(MOST).map(|run| run.digest.as_str()).collect();
        let machines = self.database.runs_of(&digests).await?;
        Ok(Fleet { machines, count: standing.len(), answer, since, stale })
    }
}

/// The answer by weight, with the names that are of no machine here: they may be mistyped.
fn weighed(machines: &[Machine], kind: Option<&str>, weights: &Weights) -> FleetAnswer {
    let mut answer = by_weight(machines, kind, weights);
    let is_here = |name: &String| machines.iter().any(|(machine, _)| machine == name);
    let unknown: Vec<String> = weights.keys().filter(|name| !is_here(name)).cloned().collect();
    if !unknown.is_empty() {
        answer.sentences.push(format!("Weights of machines that have no run here: {}.", first_of(unknown, NAMED)));
    }
    answer
}

impl Database {
    /// When each machine last compared what.
    async fn compared(&self) -> Result<Vec<Compared>> {
        let rows: Vec<(String, String, String)> =
            sqlx::query_as("SELECT machine, kind, MAX(started) FROM run WHERE kind <> '' GROUP BY machine, kind")
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(|(machine, kind, started)| Compared { machine, kind, started }).collect())
    }

    /// Since when the runs of each machine recommend what the one that stands for it does, of those of its kind; runs that don't know count
    /// as another answer.
    async fn since(&self, kind: &str) -> Result<BTreeMap<String, String>> {
        let sql = format!(
            "SELECT own.machine AS machine, MIN(run.started) AS since FROM \
             (SELECT machine, kind, recommended, ROW_NUMBER() OVER ({STANDING_FIRST}) AS place FROM run) AS own \
             JOIN run ON run.machine = own.machine AND run.kind = own.kind AND run.recommended = own.recommended \
             AND run.started > COALESCE((SELECT MAX(other.started) FROM run AS other WHERE other.machine = own.machine \
             AND other.kind = own.kind AND other.recommended <> own.recommended), '') \
             WHERE own.place = 1 AND own.recommended <> '' GROUP BY own.machine"
        );
        let rows: Vec<(String, String)> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(kind).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().collect())
    }
}

/// Reads a file of weights: lines of `NAME = NUMBER`, as TOML has them.
///
/// # Errors
/// It can't be read, or a weight is no number above 0.
pub fn weights(file: &Path) -> Result<Weights> {
    let shown = file.display();
    let mut text = String::new();
    let read = file::open(file).and_then(|file| file.take(MOST_OF_WEIGHTS + 1).read_to_string(&mut text));
    let read = read.with_context(|| format!("cannot read the weights {shown}"))?;
    if read as u64 > MOST_OF_WEIGHTS {
        bail!("the weights {shown} are longer than 1 MiB");
    }
    let weights: Weights = toml::from_str(&text)
        .with_context(|| format!("cannot read the weights {shown}: write lines such as `web-1 = 10`"))?;
    match weights.iter().find(|(_, weight)| !(**weight > 0.0 && weight.is_finite())) {
        Some((name, _)) => bail!("the weight of {} in {shown} is no number above 0", in_quotes(name)),
        None => Ok(weights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Weights> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        weights(file.path())
    }

    #[test]
    fn weights_are_numbers_above_0() {
        let weights = read("web-1 = 10\n\"a b\" = 0.5\n").unwrap();
        assert_eq!((weights["web-1"], weights["a b"]), (10.0, 0.5));
        for bad in ["web-1 = 0", "web-1 = -1", "web-1 = nan", "web-1 = inf", "web-1 = \"10\"", "web-1 10"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(super::weights(Path::new("/nowhere/weights.toml")).is_err());
    }

    #[tokio::test]
    async fn answer_counts_machines_that_the_table_leaves_out() {
        use ciphermeter_answer::fixtures;

        use crate::received::Received;
        use crate::runs::Sender;

        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let (run, records) = fixtures::run();
        let mut export = Vec::new();
        ciphermeter_report::write_json(&mut export, &run, &records).unwrap();
        let now = clock::now();
        let received = Received::of(&export, &now).unwrap();
        database.put(Sender { machine: "a", received: &now, joined: false }, &received).await.unwrap();
        let more = format!(
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {MOST}) \
             INSERT INTO run (digest, machine, started, received, scenario, status, version, method, cells, judged_by, measured_on, \
             question, answered, answer, choice, bytes, kind) SELECT n || digest, 'b' || n, started, received, scenario, status, \
             version, method, cells, judged_by, measured_on, question, answered, answer, choice, bytes, kind FROM run, number"
        );
        sqlx::query(sqlx::AssertSqlSafe(more)).execute(&database.pool).await.unwrap();
        let server = Server::new(database, Vec::new(), false, false);
        let fleet = server.fleet().await.unwrap();
        assert_eq!((fleet.machines.len(), fleet.count), (MOST, MOST + 1));
        assert_eq!((fleet.machines[0].machine.as_str(), fleet.machines[1].machine.as_str()), ("a", "b1"));
        let said = &fleet.answer.sentences[0];
        assert!(said.contains(&format!("the slowest of {} machines", MOST + 1)), "{said}");
    }
}
