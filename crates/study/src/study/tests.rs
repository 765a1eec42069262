use proptest::prelude::*;

use super::*;

const SMALL: &str = r#"
    name = "small"
    title = "two ciphers"
    citation = "nobody, nowhere"
    machine = "none"
    concludes = "nothing"
    [[measures]]
    scenario = "messages"
    why = "as published"
    serves = ["as-published", "proper"]
    messages = ["1KiB", "16"]
    cpu = "no-aes"
    budget = "10s"
    [[tables]]
    id = "rates"
    source = "Table 1"
    title = "rates"
    rows_are = "cipher"
    columns = [{ id = "rate", name = "rate", unit = "MB/s", rate = true }, { id = "time", name = "time", unit = "s" }]
    rows = [["AES", "126.04", "0"], ["ChaCha20", "72.37", "-"]]
    [[claims]]
    id = "faster"
    source = "page 1"
    says = "one is faster"
    scenario = "messages"
    cpu = "no-aes"
    left = { algorithm = "aes-256-gcm" }
    right = { algorithm = "chacha20-poly1305" }
    expect = { is = "faster" }
    published = [{ what = "1 KB", table = "rates", left = ["AES", "rate"], right = ["ChaCha20", "rate"], here = { messages = ["1KiB"] } }]
    [claims.proper]
    says = "one library"
    scenario = "messages"
    cpu = "no-aes"
    left = { provider = "openssl", algorithm = "aes-256-gcm" }
    right = { provider = "openssl", algorithm = "chacha20-poly1305" }
"#;

fn why(text: &str) -> String {
    Study::parse(text).unwrap_err().to_string()
}

#[test]
fn study_is_read_with_its_runs() {
    let study = Study::parse(SMALL).unwrap();
    assert_eq!(
        study.measures[0].arguments(),
        ["run", "messages", "--budget", "10s", "--message", "1024,16", "--cpu", "no-aes"]
    );
}

#[test]
fn error_names_the_line_of_its_part() {
    for (from, to, line) in [
        ("{ is = \"faster\" }", "{ is = \"falls\", least = 0.9 }", "line 22: the study `small` cannot be used: claim"),
        ("[\"ChaCha20\", \"72.37\"", "[\"AES\", \"72.37\"", "line 15: the study `small` cannot be used: table"),
        ("name = \"small\"", "name = \"<b>\"", "line 2: the study `<b>` cannot be used: name"),
        ("serves = [\"as-published\", \"proper\"]", "serves = []", "line 22: "),
    ] {
        let said = why(&SMALL.replacen(from, to, 1));
        assert!(said.starts_with(line), "{said}");
    }
}

/// Of several parts of one name it is the one that is wrong, and where two do not fit, both lines are there.
#[test]
fn error_names_the_part_that_is_wrong_and_the_one_that_it_does_not_fit() {
    let measure = "[[measures]]\n    scenario = \"messages\"\n    why = \"w\"\n    budget = \"1s\"\n";
    let masked = &format!("{measure}    cpu = \"no-aes\"\n    serves = [\"proper\"]\n    [[tables]]");
    let plain = &format!("{measure}    serves = [\"proper\"]\n    [[tables]]");
    let empty = &format!("{measure}    [[tables]]");
    let sizes = "left = { messages = [\"17\"], algorithm";
    let table = "[[tables]]\n    id = \"rates\"\n    source = \"s\"\n    title = \"t\"\n    rows_are = \"r\"\n    \
                 columns = []\n    rows = []\n    [[claims]]";
    let check = "[[checks]]\n    table = \"rates\"\n    says = \"a\"\n    means = \"m\"\n    over = \"rate\"\n    \
                 to = \"rate\"\n    [[checks]]\n    table = \"none\"\n    says = \"a\"\n    means = \"m\"\n    \
                 over = \"rate\"\n    to = \"rate\"\n    [[claims]]";
    let claim =
        "[[claims]]\n    id = \"faster\"\n    source = \"s\"\n    says = \"s\"\n    needs = \"n\"\n    [[claims]]";
    for (from, to, words) in [
        (
            "[[tables]]",
            masked.as_str(),
            "line 15: the study `small` cannot be used: measure `messages` (no-aes): there are two",
        ),
        ("[[tables]]", masked, "make one of them (measure `messages` (no-aes) is in line 8)"),
        ("[[tables]]", plain, "line 15: the study `small` cannot be used: measure `messages`: no claim is compared"),
        ("[[tables]]", empty, "line 15: the study `small` cannot be used: measure `messages`: it serves no comparison"),
        (
            "budget = \"10s\"",
            "budget = \"10s\"\n    needs = \" \"",
            "measure `messages` (no-aes): its `needs` is empty",
        ),
        (
            "says = \"one is faster\"",
            "says = \"s\"\n    needs = \"\"",
            "line 22: the study `small` cannot be used: claim `faster`: its `needs`",
        ),
        (
            "left = { algorithm",
            sizes,
            "line 22: the study `small` cannot be used: claim `faster`: its measure of `messages` has no",
        ),
        ("says = \"one is faster\"", "says = \"\\u001b[2J\"", "claims[1].says holds characters that do not print"),
        ("left = { algorithm", sizes, "messages of 17 (measure `messages` (no-aes) is in line 8)"),
        (
            "[[claims]]",
            table,
            "line 22: the study `small` cannot be used: table `rates`: its name and its columns' take",
        ),
        (
            "id = \"rates\"",
            "id = \"../rates\"",
            "line 15: the study `small` cannot be used: table `../rates`: its name and",
        ),
        ("{ id = \"time\"", "{ id = \"a/b\"", "table `rates`: its name and its columns' take"),
        ("[[claims]]", check, "line 29: the study `small` cannot be used: check `a`: there is no table `none`"),
        (
            "[[claims]]",
            claim,
            "line 27: the study `small` cannot be used: claim `faster`: its id takes 1 to 40 letters",
        ),
    ] {
        let said = why(&SMALL.replacen(from, to, 1));
        assert!(said.contains(words), "{words}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// A number stands beside a pair only where the file says so, and a stated ratio follows from every cell that it cites.
#[test]
fn published_number_beside_cells_that_do_not_carry_it_is_refused() {
    let here = "here = { messages = [\"1KiB\"] }";
    let stated = "{ is = \"time-ratio\", published = 2.0, tolerance = 0.1 }";
    let memory = "{ is = \"memory-ratio\", published = 1.5, tolerance = 0.1 }";
    let guessed = "the claim has several sizes: say in `here` which it stands beside";
    for (changes, words) in [
        (&[("{ is = \"faster\" }", stated)][..], "1.742 follows from its cells, not 2.0"),
        (&[("{ is = \"faster\" }", stated), (&format!(", {here}"), "")], "1.742 follows from its cells, not 2.0"),
        (&[("{ is = \"faster\" }", memory), (&format!(", {here}"), "")], "not 1.5"),
        (&[(here, "here = {}")], guessed),
        (&[(here, "here = { operation = \"seal\" }")], guessed),
        (&[(here, "here = { provider = \"openssl\", threads = 1 }")], guessed),
        (&[(here, "here = { messages = [\"64\"] }")], "no pair of the claim has messages of 64"),
    ] {
        let text = changes.iter().fold(SMALL.to_owned(), |text, (from, to)| text.replacen(from, to, 1));
        assert!(why(&text).contains(words), "{changes:?}: {}", why(&text));
    }
    assert!(Study::parse(&SMALL.replacen(here, "here = { messages = [\"16\", \"1KiB\"] }", 1)).is_ok());
}

#[test]
fn measure_without_libraries_takes_those_that_its_claims_name() {
    let providers = |text: &str| Study::parse(text).unwrap().measures[0].providers.clone();
    assert_eq!(providers(SMALL), [""; 0], "a claim takes any");
    let named = SMALL.replacen("left = { algorithm", "left = { provider = \"ring\", algorithm", 1);
    assert_eq!(providers(&named), [""; 0], "one side takes any");
    let named = named.replacen("right = { algorithm", "right = { provider = \"ring\", algorithm", 1);
    assert_eq!(providers(&named), ["ring", "openssl"]);
    assert_eq!(providers(&named.replacen("provider = \"ring\"", "provider = \"*\"", 1)), [""; 0]);
    assert_eq!(
        providers(&named.replacen("budget =", "providers = [\"openssl\", \"ring\", \"go\"]\n    budget =", 1)).len(),
        3
    );
    let board = named.replacen("provider = \"ring\"", "board = \"*\", provider = \"ring\"", 1);
    assert_eq!(providers(&board), [""; 0], "a board has libraries of its own");
    let study = crate::built_in::find("tcp-sockets").unwrap().unwrap();
    let measure = study.measures.iter().find(|measure| measure.scenario == "transfer").unwrap();
    assert_eq!(measure.providers, ["study"]);
}

#[test]
fn several_sizes_are_the_same_on_both_sides() {
    let with = |algorithm: &str, left: &str, right: &str| {
        let side = |name: &str, algorithm: &str, sizes: &str| {
            format!("{name} = {{ algorithm = \"{algorithm}\", messages = [{sizes}] }}")
        };
        let text = SMALL.replacen("left = { algorithm = \"aes-256-gcm\" }", &side("left", algorithm, left), 1);
        let text = text.replacen(
            "right = { algorithm = \"chacha20-poly1305\" }",
            &side("right", "chacha20-poly1305", right),
            1,
        );
        Study::parse(&text).map(drop).map_err(|error| error.to_string())
    };
    let (own, turned, other) = ("\"1KiB\", \"16\"", "\"16\", \"1KiB\"", "\"1KiB\", \"64\"");
    assert!(with("aes-256-gcm", own, turned).is_ok());
    let said = with("aes-256-gcm", own, other).unwrap_err();
    assert!(said.contains("name the same in left and right"), "{said}");
    let said = with("chacha20-poly1305", own, turned).unwrap_err();
    assert!(said.contains("its left and right are the same cells"), "{said}");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let twice = "here = { messages = [\"1KiB\"] } }, { what = \"2\", table = \"rates\", left = [\"AES\", \"rate\"], \
                 right = [\"ChaCha20\", \"rate\"], here = { messages = [\"1KiB\"] } }";
    for (from, to, words) in [
        ("left = {", "lef = {", "line 27: unknown field `lef`"),
        ("expect = { is = \"faster\" }", "", "claim `faster`: records and what is expected of them go together"),
        ("left = { algorithm = \"aes-256-gcm\" }", "", "claim `faster`: it names no record"),
        ("expect = { is", "inapplicable = \"two machines\"\n    expect = { is", "it asks nothing of records"),
        ("{ algorithm = \"chacha20-poly1305\" }", "{ algorithm = \"aes-256-gcm\" }", "its left and right are the same"),
        ("says = \"one is faster\"", "says = \" \"", "it says nothing"),
        ("[\"ChaCha20\", \"72.37\"", "[\"AES\", \"72.37\"", "there are two rows `AES`"),
        ("{ is = \"faster\" }", "{ is = \"time-ratio\", published = 2.0, tolerance = 1.5 }", "a tolerance from 0 to 1"),
        ("{ is = \"faster\" }", "{ is = \"falls\", least = 0.9 }", "a fall is by a factor above 1"),
        ("{ is = \"faster\" }", "{ is = \"time-ratio\", published = -1.0, tolerance = 0.1 }", "above 0"),
        ("{ is = \"faster\" }", "{ is = \"time-ratio\", published = 2.0, tolerance = 0.1 }", "1.742 follows"),
        ("id = \"faster\"", "id = \"a b\"", "its id takes 1 to 40 letters"),
        ("name = \"small\"", "name = \"<b>\"", "a name has 1 to 40 letters"),
        ("\"1KiB\", \"16\"", "\"1XB\"", "cannot read the study"),
        ("budget = \"10s\"", "budget = \"long\"", "cannot read the study"),
        // Measures and the ways that they serve.
        ("cpu = \"no-aes\"\n    left", "left", "its measure of `messages` has another CPU"),
        (
            "\"as-published\", \"proper\"",
            "\"proper\"",
            "does not serve `as-published` comparisons: add that to `serves`",
        ),
        ("serves = [\"as-published\", \"proper\"]", "", "does not serve `as-published` comparisons"),
        (
            "scenario = \"messages\"\n    why",
            "scenario = \"bulk\"\n    why",
            "no measure of the study has its scenario `messages`",
        ),
        ("\"as-published\", \"proper\"", "\"usual\"", "unknown variant `usual`"),
        (
            "[[claims]]",
            "[[measures]]\nscenario = \"bulk\"\nwhy = \"w\"\nbudget = \"1s\"\n[[claims]]",
            "measure `bulk`: it serves no",
        ),
        (
            "[[claims]]",
            "[[measures]]\nscenario = \"bulk\"\nserves = [\"proper\"]\nwhy = \"w\"\nbudget = \"1s\"\n[[claims]]",
            "no claim is compared `proper` by it",
        ),
        (
            "[[claims]]",
            "[[measures]]\nscenario = \"messages\"\ncpu = \"no-aes\"\nserves = [\"proper\"]\nwhy = \"w\"\nbudget = \"1s\"\n[[claims]]",
            "there are two of that scenario",
        ),
        // The proper comparison.
        (
            "says = \"one library\"\n    scenario = \"messages\"",
            "says = \"one library\"",
            "its proper comparison names no record",
        ),
        (
            "here = { messages = [\"1KiB\"] }",
            "here = { algorithm = \"xor\" }",
            "no pair of the claim is like its `here`",
        ),
        // Cells and sizes.
        ("table = \"rates\"", "table = \"times\"", "published ratio `1 KB`: there is no table `times`"),
        ("[\"AES\", \"rate\"]", "[\"Aes\", \"rate\"]", "no number in row `Aes`, column `rate`"),
        ("[\"AES\", \"rate\"]", "[\"AES\", \"speed\"]", "no number in row `AES`, column `speed`"),
        ("[\"ChaCha20\", \"rate\"]", "[\"ChaCha20\", \"time\"]", "no number in row `ChaCha20`, column `time`"),
        ("[\"AES\", \"rate\"]", "[\"AES\", \"time\"]", "a number that rounds to 0 or less gives no ratio"),
        ("[\"AES\", \"rate\"]", "[\"AES\"]", "cannot read the study"),
        (
            "here = { messages = [\"1KiB\"] }",
            "here = { messages = [\"1kB\"] }",
            "no pair of the claim has messages of 1000",
        ),
        ("left = { algorithm", "left = { messages = [\"16\"], algorithm", "no pair of the claim has messages of 1KiB"),
        (
            "left = { algorithm",
            "left = { messages = [\"17\"], algorithm",
            "its measure of `messages` has no messages of 17",
        ),
        (
            "messages = [\"1KiB\", \"16\"]",
            "messages = [\"1KiB\", \"16\"]\n    providers = [\"ring\"]",
            "its measure of `messages` has no provider `openssl`",
        ),
        (
            "messages = [\"1KiB\", \"16\"]",
            "messages = [\"1KiB\", \"16\"]\n    providers = [\"openssl\", \"ring; reboot\"]",
            "a provider's name begins with a letter or digit",
        ),
        ("here = { messages = [\"1KiB\"] } }", twice, "another published ratio stands beside the same pairs"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let said = why(&SMALL.replacen(from, to, 1));
        assert!(said.contains(words), "{to}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let same = why(&SMALL.replace("provider = \"openssl\", ", ""));
    assert!(same.contains("its proper comparison is the published one"), "{same}");
    assert_eq!(why(&"#".repeat(MAX_STUDY + 1)), BadStudy::TooLong.to_string());
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}", cut in 0..SMALL.len()) {
        let _ = Study::parse(&text);
        let _ = Study::parse(&SMALL[..cut]);
        let _ = Study::parse(&SMALL.replacen(|one: char| one.is_ascii_digit(), &text, 1));
        if let Ok(study) = Study::parse(&format!("{}{text}{}", &SMALL[..cut], &SMALL[cut..])) {
            let measured = crate::measured::Measured { study: &study, runs: Vec::new(), store: None };
            prop_assert!(!measured.page().is_empty());
        }
    }
}
