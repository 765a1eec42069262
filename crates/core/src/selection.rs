//! One block of a scenario, and its cells.

use serde::{Deserialize, Serialize};

use crate::{Algorithm, Bytes, Cell, Form, Operation, Parameters, Threads};

/// One block of a scenario: every valid combination of its lists becomes a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The operations; those that an algorithm lacks are omitted.
    pub operations: Vec<Operation>,
    /// Message sizes.
    pub messages: Vec<Bytes>,
    /// Sizes of aad.
    #[serde(default = "no_aad")]
    pub aad: Vec<Bytes>,
    /// Where the output goes.
    #[serde(default = "in_place")]
    pub forms: Vec<Form>,
    /// How many threads at once; more threads than CPUs are omitted.
    #[serde(default = "one_thread")]
    pub threads: Vec<Threads>,
    /// Lengths of XOR's key, in bytes; of split messages only.
    #[serde(default = "usual_key", skip_serializing_if = "is_usual_key")]
    pub keys: Vec<Bytes>,
    /// Bytes that the texts of a cell take up together, which its calls go round; 0: one text again and again.
    #[serde(default = "one_text", skip_serializing_if = "is_one_text")]
    pub working_sets: Vec<Bytes>,
    /// How many keys the calls of a cell go round.
    #[serde(default = "one_key", skip_serializing_if = "is_one_key")]
    pub key_counts: Vec<u32>,
    /// Whether single calls are timed, too, for percentiles.
    #[serde(default)]
    pub latency: bool,
    /// Whether its memory is measured, too, in processes of its own.
    #[serde(default)]
    pub memory: bool,
    /// Only these providers; empty: all.
    #[serde(default)]
    pub providers: Vec<String>,
}

fn no_aad() -> Vec<Bytes> {
    vec![Bytes(0)]
}

fn in_place() -> Vec<Form> {
    vec![Form::InPlace]
}

fn one_thread() -> Vec<Threads> {
    vec![Threads::Count(1)]
}

fn usual_key() -> Vec<Bytes> {
    vec![Bytes(Parameters::USUAL_KEY)]
}

fn is_usual_key(keys: &Vec<Bytes>) -> bool {
    *keys == usual_key()
}

fn one_text() -> Vec<Bytes> {
    vec![Bytes(0)]
}

fn is_one_text(working_sets: &Vec<Bytes>) -> bool {
    *working_sets == one_text()
}

fn one_key() -> Vec<u32> {
    vec![1]
}

fn is_one_key(key_counts: &Vec<u32>) -> bool {
    *key_counts == one_key()
}

impl Selection {
    /// A block of a cell alone, and of copies of its provider; one of several threads has that of one thread beside it.
    pub fn of(cell: &Cell) -> Self {
        let parameters = &cell.parameters;
        Self {
            algorithms: vec![cell.algorithm],
            operations: vec![cell.operation],
            messages: vec![Bytes(parameters.message())],
            aad: vec![Bytes(parameters.aad())],
            forms: vec![cell.form],
            threads: vec![Threads::Count(u32::try_from(parameters.threads()).unwrap_or(1))],
            keys: usual_key(),
            working_sets: vec![parameters.working_set().unwrap_or(Bytes(0))],
            key_counts: vec![u32::try_from(parameters.keys()).unwrap_or(1)],
            latency: false,
            memory: false,
            providers: vec![cell.provider.clone()],
        }
    }

    /// The cells for one provider's algorithm; some may occur twice.
    pub(crate) fn cells_for(&self, provider: &str, algorithm: Algorithm, cpus: u32) -> Vec<Cell> {
        // Without combinations, this would only be a long walk through the sizes.
        if !self.takes(provider, algorithm) || self.combinations(algorithm) == 0 {
            return Vec::new();
        }
        let mut cells = Vec::new();
        for message in &self.messages {
            for aad in &self.aad {
                for parameters in self.parameters(message.0, aad.0, cpus) {
                    for &operation in self.operations.iter().filter(|operation| algorithm.has(**operation)) {
                        for form in self.forms_of(operation).filter(|form| algorithm.has_form(*form)) {
                            for parameters in self.parameters_of(algorithm, operation, form, &parameters, cpus) {
                                cells.push(Cell { provider: provider.into(), algorithm, operation, form, parameters });
                            }
                        }
                    }
                }
            }
        }
        cells
    }

    /// A copy is named after its provider, with a dot and a number or a word; a copy from another worker, file or time
    /// with an `@` and its mark. A full name selects that copy alone.
    fn takes(&self, provider: &str, algorithm: Algorithm) -> bool {
        let ceiling = algorithm.is_ceiling() && algorithm != Algorithm::Probe;
        ceiling || (self.takes_provider(provider) && self.algorithms.contains(&algorithm))
    }

    pub(crate) fn takes_provider(&self, provider: &str) -> bool {
        let own = provider.split(['.', '@']).next().unwrap_or(provider);
        self.providers.is_empty() || self.providers.iter().any(|named| named == own || named == provider)
    }

    /// Each number of threads gives a cell, and one with a single thread under the same conditions to compare it with.
    fn parameters(&self, message: u64, aad: u64, cpus: u32) -> Vec<Parameters> {
        let mut all = Vec::new();
        let counts = self.threads.iter().flat_map(|threads| threads.on(cpus)).filter(|threads| *threads <= cpus);
        for threads in counts {
            match threads {
                1 => all.push(Parameters::message_cell(message, aad, 1)),
                _ => all.extend(
                    [1, threads].map(|threads| Parameters::message_cell(message, aad, threads.into()).on_cpus(cpus)),
                ),
            }
        }
        all
    }

    /// Key set-up uses no message, so one cell without a message is enough, and several threads would share nothing in it.
    /// A transfer's two processes have all CPUs, and so have the threads of a split message, however few they are; a
    /// graphics card needs one.
    fn parameters_of(
        &self,
        algorithm: Algorithm,
        operation: Operation,
        form: Form,
        parameters: &Parameters,
        cpus: u32,
    ) -> Vec<Parameters> {
        match operation {
            Operation::Transfer => vec![Parameters::transfer_cell(parameters.message(), cpus)],
            Operation::KeySetup if parameters.cpus().is_some() => Vec::new(),
            Operation::KeySetup => vec![Parameters::message_cell(0, 0, 1)],
            // One thread has none to share chunks with: that is `static`.
            _ if form == Form::Dynamic && parameters.threads() == 1 => Vec::new(),
            _ if form.is_split() => {
                let parameters = match form.is_of_card() {
                    true => parameters.with_one_thread().on_cpus(cpus),
                    false => parameters.clone().on_cpus(cpus),
                };
                match algorithm {
                    Algorithm::Xor => self.keys.iter().map(|key| parameters.clone().with_key(key.0)).collect(),
                    _ => vec![parameters],
                }
            }
            _ => self.rotated(parameters),
        }
    }

    /// Each working set under each number of keys.
    fn rotated(&self, parameters: &Parameters) -> Vec<Parameters> {
        let sets = self.working_sets.iter().map(|bytes| parameters.clone().with_working_set(*bytes));
        sets.flat_map(|set| self.key_counts.iter().map(move |keys| set.clone().with_keys((*keys).into()))).collect()
    }

    /// Whether any of its cells goes round several texts or keys.
    pub fn rotates(&self) -> bool {
        !(is_one_text(&self.working_sets) && is_one_key(&self.key_counts))
    }

    /// Key set-up has no output, so its form has no meaning and one form is enough.
    fn forms_of(&self, operation: Operation) -> impl Iterator<Item = Form> {
        let most = if operation == Operation::KeySetup { 1 } else { usize::MAX };
        self.forms.iter().copied().filter(move |form| form.is_of(operation)).take(most)
    }

    /// How many entries each list has that says what a cell does, by the list's name.
    pub(crate) fn lists(&self) -> [(&'static str, usize); 8] {
        [
            ("operations", self.operations.len()),
            ("messages", self.messages.len()),
            ("aad", self.aad.len()),
            ("forms", self.forms.len()),
            ("threads", self.threads.iter().map(|threads| threads.most()).sum()),
            ("keys", self.keys.len()),
            ("working_sets", self.working_sets.len()),
            ("key_counts", self.key_counts.len()),
        ]
    }

    /// Cells of all named algorithms.
    pub(crate) fn named(&self) -> usize {
        self.algorithms.iter().map(|algorithm| self.combinations(*algorithm)).fold(0, usize::saturating_add)
    }

    /// An upper bound of its cells for one algorithm.
    pub(crate) fn combinations(&self, algorithm: Algorithm) -> usize {
        let has = self.operations.iter().filter(|operation| algorithm.has(**operation));
        let forms: usize = has.map(|operation| self.forms_of(*operation).count()).sum();
        let threads = self.threads.iter().map(|threads| if threads.is_one() { 1 } else { threads.most() + 1 }).sum();
        let rotations = self.working_sets.len().saturating_mul(self.key_counts.len());
        let lists = [self.messages.len(), self.aad.len(), threads, self.keys.len(), rotations];
        lists.into_iter().fold(forms, usize::saturating_mul)
    }

    pub(crate) fn wants_latency(&self, cell: &Cell) -> bool {
        // A message of a batch has no call of its own.
        self.latency && self.is_call(cell) && cell.form.messages_a_call() == 1
    }

    pub(crate) fn wants_memory(&self, cell: &Cell) -> bool {
        self.memory && self.is_call(cell)
    }

    /// Whether the cell belongs to this block and calls a cipher on one thread.
    fn is_call(&self, cell: &Cell) -> bool {
        let Cell { provider, algorithm, operation, form, parameters } = cell;
        !algorithm.is_ceiling()
            && *operation != Operation::KeySetup
            && parameters.cpus().is_none()
            && parameters.device().is_none()
            && self.takes(provider, *algorithm)
            && self.operations.contains(operation)
            && self.forms.contains(form)
            && self.messages.contains(&Bytes(parameters.message()))
            && self.aad.contains(&Bytes(parameters.aad()))
            && self.working_sets.contains(&parameters.working_set().unwrap_or(Bytes(0)))
            && self.key_counts.iter().any(|keys| u64::from(*keys) == parameters.keys())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn scenario(block: &str) -> Scenario {
        let head = "name = \"t\"\ntitle = \"t\"\nbudget = \"1s\"\nprecision = \"1%\"\n[[cells]]\n";
        let lists = "algorithms = [\"aes-256-gcm\"]\noperations = [\"seal\", \"key-setup\"]\nmessages = [\"16\"]\n";
        Scenario::parse(&format!("{head}{lists}{block}")).unwrap()
    }

    fn threads(scenario: &Scenario, cpus: u32) -> Vec<(u64, Option<u64>)> {
        let cells = scenario.cells_for("p", Algorithm::Aes256Gcm, cpus);
        let seals = cells.iter().filter(|cell| cell.operation == Operation::Seal);
        seals.map(|cell| (cell.parameters.threads(), cell.parameters.cpus())).collect()
    }

    #[test]
    fn several_threads_are_compared_with_one_under_the_same_conditions() {
        let several = scenario("threads = [2, \"all\"]");
        assert_eq!(threads(&several, 4), [(1, Some(4)), (2, Some(4)), (4, Some(4))]);
        assert_eq!(threads(&several, 2), [(1, Some(2)), (2, Some(2))]);
        assert_eq!(threads(&several, 1), [(1, None)], "all of one CPU is one ordinary thread");
        assert_eq!(threads(&scenario("threads = [1, 2]"), 2), [(1, None), (1, Some(2)), (2, Some(2))]);
        assert_eq!(several.most_threads(), 2);
        let setups = several.cells_for("p", Algorithm::Aes256Gcm, 4).len() - 3;
        assert_eq!(setups, 0, "key set-up has no threads");
    }

    #[test]
    fn block_of_a_cell_has_that_cell_alone() {
        let lists = "aad = [\"0\", \"13\"]\nforms = [\"in-place\", \"into\"]\nworking_sets = [\"0\", \"1MiB\"]\nkey_counts = [1, 100]";
        let all = scenario(lists);
        for cell in all.cells_for("p", Algorithm::Aes256Gcm, 2) {
            let one = Scenario { cells: vec![Selection::of(&cell)], ..all.clone() };
            assert_eq!(one.cells_for("p", Algorithm::Aes256Gcm, 2), std::slice::from_ref(&cell));
            assert_eq!(one.cells_for("p@old", Algorithm::Aes256Gcm, 2).len(), 1);
            assert!(one.cells_for("q", Algorithm::Aes256Gcm, 2).is_empty());
        }
    }

    #[test]
    fn latency_and_memory_are_measured_for_ciphers_on_one_thread() {
        let scenario = scenario("latency = true\nmemory = true\nthreads = [1, 2]");
        let wanted = |algorithm, wants: fn(&Scenario, &Cell) -> bool| {
            let cells = scenario.cells_for("p", algorithm, 2);
            cells.into_iter().filter(|cell| wants(&scenario, cell)).count()
        };
        for wants in [Scenario::wants_latency, Scenario::wants_memory] {
            assert_eq!((wanted(Algorithm::Aes256Gcm, wants), wanted(Algorithm::Memcpy, wants)), (1, 0));
        }
    }

    #[test]
    fn calls_go_round_each_working_set_under_each_number_of_keys() {
        let scenario = scenario("working_sets = [\"0\", \"1MiB\"]\nkey_counts = [1, 100]\nlatency = true");
        let cells = scenario.cells_for("p", Algorithm::Aes256Gcm, 4);
        let rotations: Vec<_> = cells
            .iter()
            .filter(|cell| cell.operation == Operation::Seal)
            .map(|cell| (cell.parameters.working_set(), cell.parameters.keys()))
            .collect();
        let set = Some(Bytes(1 << 20));
        assert_eq!(rotations, [(None, 1), (None, 100), (set, 1), (set, 100)]);
        assert_eq!(cells.len(), 5, "key set-up has no text");
        assert!(cells.iter().all(|cell| scenario.wants_latency(cell) == (cell.operation == Operation::Seal)));
    }

    #[test]
    fn batches_have_memory_but_no_latency_and_no_key_set_up() {
        let mut scenario = scenario("forms = [\"batch\"]\nmemory = true");
        scenario.cells[0].latency = true;
        let cells = scenario.cells_for("p", Algorithm::Aes256Gcm, 1);
        assert_eq!(cells.iter().map(|cell| cell.operation).collect::<Vec<_>>(), [Operation::Seal]);
        assert!(scenario.wants_memory(&cells[0]) && !scenario.wants_latency(&cells[0]));
        assert!(scenario.cells_for("ceiling", Algorithm::Memcpy, 1).is_empty());
    }

    #[test]
    fn name_selects_a_provider_alone_or_with_its_copies() {
        let takes = |named: &str, provider: &str| {
            let scenario = scenario(&format!("providers = [\"{named}\"]"));
            !scenario.cells_for(provider, Algorithm::Aes256Gcm, 1).is_empty()
        };
        assert!(takes("openssl", "openssl") && takes("openssl", "openssl@old") && takes("openssl", "openssl.07"));
        assert!(takes("openssl@2", "openssl@2") && !takes("openssl@2", "openssl"));
    }
}
