//! `study report`: published values beside those measured here, as a page and as figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ciphermeter_core::{
    Algorithm, Bytes, Cell, CellId, Fact, Form, METHOD, Memory, Operation, Outcome, Parameters, Run, RunPlan,
    RunStatus, SampleRange, Scenario, Summary,
};
use ciphermeter_store::Store;
use ciphermeter_study::{ANY, Pick, Study, Way};

use crate::common::{CommandOutput, TestFolder, planted};

/// Runs of all that a study asks of this machine, as published: AES takes 0.25 ns a byte, other ciphers twice that, and twice its message
/// of memory.
fn plant(folder: &TestFolder, study: &Study, host: &[Fact]) {
    let store = Store::open(&folder.path("runs.db")).expect("a store");
    for measure in study.measures.iter().filter(|measure| measure.needs.is_none()) {
        let asked = study.claims.iter().filter_map(|claim| Some((claim, claim.question(Way::AsPublished)?)));
        let own = asked.filter(|(_, question)| study.measure(question, Way::AsPublished) == Some(measure));
        let mut cells: BTreeSet<Cell> = own
            .flat_map(|(claim, question)| {
                let beside = claim.published.iter().filter_map(|published| published.here.as_ref());
                let sides = [question.left, question.right];
                let both = beside.flat_map(move |here| sides.map(|pick| pick.beside(here)));
                both.chain(sides.map(Pick::clone)).collect::<Vec<_>>()
            })
            .flat_map(|pick| cells_of(&pick))
            .collect();
        for table in &study.tables {
            let Some(beside) = table.here.as_ref().filter(|beside| beside.scenario == measure.scenario) else {
                continue;
            };
            let picks = table.columns.iter().filter_map(|column| column.here.clone());
            cells.extend(picks.flat_map(|pick| cells_of(&Pick { messages: beside.messages.clone(), ..pick })));
        }
        if !cells.is_empty() {
            plant_run(&store, measure.scenario.as_str(), measure.cpu, host, &cells.into_iter().collect::<Vec<_>>());
        }
    }
}

fn cells_of(pick: &Pick) -> Vec<Cell> {
    if pick.board.is_some() || pick.form.is_some_and(Form::is_of_card) {
        return Vec::new();
    }
    let sizes = if pick.messages.is_empty() { vec![Bytes(1 << 20)] } else { pick.messages.clone() };
    let cell = |size: Bytes| Cell {
        provider: pick.provider.clone().filter(|name| name != ANY).unwrap_or("openssl".into()),
        algorithm: pick.algorithm.unwrap_or(Algorithm::Aes256Gcm),
        operation: pick.operation.unwrap_or(Operation::Seal),
        form: pick.form.unwrap_or(Form::InPlace),
        parameters: Parameters::message_cell(size.0, 0, pick.threads.unwrap_or(1)),
    };
    sizes.into_iter().map(cell).collect()
}

fn plant_run(store: &Store, scenario: &str, mask: Option<ciphermeter_core::Mask>, host: &[Fact], cells: &[Cell]) {
    let text = format!(
        "name = \"{scenario}\"\ntitle = \"t\"\nbudget = \"1s\"\nprecision = \"2%\"\n[[cells]]\n\
         algorithms = [\"aes-256-gcm\"]\noperations = [\"seal\"]\nmessages = [\"64\"]\n"
    );
    let head = planted::head(Scenario::parse(&text).expect("a scenario"), host.to_vec());
    let run = Run { plan: RunPlan { method: METHOD, ..RunPlan::default() }, mask, ..head };
    let id = store.begin(&run, cells).expect("a run");
    store.begin_fork(id, 0, 0).expect("a fork");
    for (place, cell) in (0..).map(CellId).zip(cells) {
        let is_aes = cell.algorithm.to_string().starts_with("aes");
        let ns = (500.0 + cell.parameters.message() as f64 * 0.25) * if is_aes { 1.0 } else { 2.0 };
        let range = SampleRange { low: ns * 0.9, mid: ns, high: ns * 1.3 };
        store.set_outcome(id, place, &Outcome::Measured).expect("a cell");
        store.set_summaries(id, &[(place, Summary { range, ..planted::summary(ns, 6, 60) })]).expect("a summary");
        let peak_heap = Some(2 * cell.parameters.message());
        store.commit_memory(id, place, &Memory { iterations: 1, peak_heap, ..Memory::default() }).expect("a peak");
    }
    store.finish(id, RunStatus::Complete, &[]).expect("a run");
}

#[track_caller]
fn fine(said: &CommandOutput) {
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
}

/// The figures of a study by the names of their files, as CSV and SVG.
fn figures(folder: &TestFolder, study: &str) -> BTreeMap<String, (String, String)> {
    let said = folder.run(&["study", "report", study, "--figures", study]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
    assert!(said.err.contains(" as SVG, PNG and CSV\n"), "{said:?}");
    let names = fs::read_dir(folder.path(study)).expect("figures").map(|file| file.expect("a file").file_name());
    let names = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".svg")?.to_owned()));
    let read =
        |name: &str, ending| fs::read_to_string(folder.path(&format!("{study}/{name}.{ending}"))).expect("a file");
    names.map(|name| (name.clone(), (read(&name, "csv"), read(&name, "svg")))).collect()
}

#[test]
fn unmeasured_study_has_figures_of_what_was_published() {
    let folder = TestFolder::new();
    let figures = figures(&folder, "tcp-sockets");
    assert_eq!(figures.keys().collect::<Vec<_>>(), ["tcp-sockets-a70", "tcp-sockets-m4"]);
    let (csv, svg) = &figures["tcp-sockets-m4"];
    // 126.04 MB/s at 10 KB, beside which the file sets 10 KiB.
    assert!(csv.contains("\"AES-256-GCM, published\",10240,\"size, bytes\",0.12604,\"throughput, GB/s\",,,"), "{csv}");
    assert!(!csv.contains("here"), "{csv}");
    assert!(svg.contains("Not measured here yet: ciphermeter study run tcp-sockets"), "{svg}");
    assert!(fs::read(folder.path("tcp-sockets/tcp-sockets-m4.png")).expect("a file").starts_with(b"\x89PNG"));
}

#[test]
fn measured_values_stand_beside_the_published_ones_with_their_intervals() {
    let folder = TestFolder::new();
    for name in ["tcp-sockets", "python-sizes", "languages", "parallel"] {
        let study = ciphermeter_study::find(name).expect("studies").expect("a study");
        plant(&folder, &study, &ciphermeter_host::facts());
        for (figure, (csv, svg)) in figures(&folder, name) {
            let has_ours = csv.contains("here") || csv.contains("Here");
            // Of a phone that falls, and of energy, there is nothing to set beside.
            let is_alone = ["tcp-sockets-a70", "parallel-energy"].contains(&figure.as_str());
            assert!(has_ours != is_alone, "{figure}: {csv}");
            assert!(!has_ours || svg.contains("published") && svg.contains("here"), "{figure}: {svg}");
        }
    }
    let read = |file: &str| fs::read_to_string(folder.path(file)).expect("a file");
    let memory = read("python-sizes/python-sizes-memory.csv");
    // 40.001 MB of the study, which are MiB, and two messages of 10 MiB.
    assert!(memory.contains("\"AES, published\",10485760,\"size, bytes\",40.001,\"memory, MiB\",,,"), "{memory}");
    assert!(memory.contains("\"AES, here\",10485760,\"size, bytes\",20,\"memory, MiB\",20,20,"), "{memory}");
    let transfers = read("tcp-sockets/tcp-sockets-m4.csv");
    let row = transfers.lines().find(|line| line.contains("\"AES-256-GCM, here\",1048576,")).expect("a row");
    let cells: Vec<&str> = row.rsplit(',').take(4).collect();
    let number = |place: usize| cells[place].parse::<f64>().expect("a number");
    assert!(number(2) < number(1) && cells[0].is_empty(), "{row}");
    let parallel = read("parallel/parallel-ten.csv");
    assert!(parallel.contains("Here,\"built-in xor encrypt 1 MiB, 2 threads, in equal parts\""), "{parallel}");
    let seconds = read("languages/languages-seconds.csv");
    let ours: Vec<&str> = seconds.lines().filter(|line| line.contains(",Here,")).collect();
    assert!(ours.len() == 12 && ours[0].contains("\"Python, AES-256-GCM encrypt\""), "{seconds}");
}

#[test]
fn page_has_the_verdicts_the_figures_and_the_machine_of_each_run() {
    let folder = TestFolder::new();
    let study = ciphermeter_study::find("tcp-sockets").expect("studies").expect("a study");
    plant(&folder, &study, &ciphermeter_host::facts());
    let said = folder.run(&["study", "report", "tcp-sockets"]);
    fine(&said);
    assert!(said.out.starts_with("report-tcp-sockets.html: open it in a browser"), "{said:?}");
    let page = fs::read_to_string(folder.path("report-tcp-sockets.html")).expect("a page");
    for claim in &study.claims {
        let says = claim.says.replace(' ', "\u{a0}");
        assert!(page.replace(' ', "\u{a0}").contains(&says), "{}", claim.says);
    }
    for words in ["id=\"m4\"", "id=\"a70\"", "AES-256-GCM, here", "id=\"run1-machine\"", "like for like"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("All cells"), "it is the study's page, not a run's");
    let again = folder.run(&["study", "report", "tcp-sockets"]);
    assert_eq!((again.code, again.err.lines().count()), (Some(2), 1), "nothing is overwritten: {again:?}");
    assert!(folder.run(&["study", "report", "tcp-sockets", "-o", "-"]).out.starts_with("<!DOCTYPE html>"));
}

#[test]
fn run_of_another_machine_is_named_below_a_figure() {
    let folder = TestFolder::new();
    let study = ciphermeter_study::find("tcp-sockets").expect("studies").expect("a study");
    plant(&folder, &study, &[Fact::present("cpu", "Example EPYC 9")]);
    let (_, svg) = &figures(&folder, "tcp-sockets")["tcp-sockets-m4"];
    let words: Vec<&str> = svg.lines().map(str::trim).collect();
    assert!(words.join(" ").contains("Run 1 is of another machine or method: other host: cpu Example EPYC 9"), "{svg}");
}

/// Which figure a table makes follows from its rows, so a study of one's own has figures like those that are built in.
#[test]
fn study_of_your_own_has_figures() {
    let folder = TestFolder::new();
    let study = |rows: [&str; 2], published: &str| {
        format!(
            "name = \"mine\"\ntitle = \"t\"\ncitation = \"c\"\nmachine = \"m\"\nconcludes = \"c\"\n\
             [[measures]]\nscenario = \"iot\"\nwhy = \"w\"\nserves = [\"as-published\"]\nbudget = \"10s\"\n\
             [[tables]]\nid = \"time\"\nsource = \"Table 1\"\ntitle = \"time\"\nrows_are = \"message\"\n\
             columns = [{{ id = \"aes\", name = \"AES\", unit = \"µs\" }}, {{ id = \"c\", name = \"ChaCha20\", unit = \"µs\" }}]\n\
             rows = [[\"{}\", \"1.5\", \"1.0\"], [\"{}\", \"2.5\", \"2.0\"]]\n\
             [[claims]]\nid = \"faster\"\nsource = \"page 1\"\nsays = \"ChaCha20 is faster\"\nscenario = \"iot\"\n\
             left = {{ algorithm = \"chacha20-poly1305\", operation = \"seal\", messages = [\"64\"] }}\n\
             right = {{ algorithm = \"aes-256-gcm\", operation = \"seal\", messages = [\"64\"] }}\n\
             expect = {{ is = \"faster\" }}\n{published}\n",
            rows[0], rows[1]
        )
    };
    let of = |row: &str| {
        format!(
            "published = [{{ what = \"x\", table = \"time\", left = [\"{row}\", \"c\"], right = [\"{row}\", \"aes\"] }}]"
        )
    };
    folder.write("mine.toml", study(["16 B", "64 B"], &of("64 B")));
    fine_figures(&folder, "sizes");
    let sizes = fs::read_to_string(folder.path("sizes/mine-time.csv")).expect("a figure");
    assert!(sizes.contains("\"AES, published\",64,\"size, bytes\",2.5,\"time, µs\""), "{sizes}");
    folder.write("mine.toml", study(["Rust", "Go"], &of("Go")));
    fine_figures(&folder, "names");
    let names = fs::read_to_string(folder.path("names/mine-time.csv")).expect("a figure");
    assert!(names.contains("Published,\"Go, AES\",,,2.5,\"time, µs\""), "{names}");
    folder.write("mine.toml", study(["Rust", "Go"], ""));
    let said = folder.run(&["study", "report", "./mine.toml", "--figures", "none"]);
    assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{said:?}");
    assert!(said.err.contains("mine has nothing to draw: no claim names a number of its tables"), "{said:?}");
    assert!(!folder.path("none").exists());
}

#[track_caller]
fn fine_figures(folder: &TestFolder, to: &str) {
    let said = folder.run(&["study", "report", "./mine.toml", "--figures", to, "--column"]);
    assert_eq!(said.code, Some(0), "{said:?}");
}
