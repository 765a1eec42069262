//! A study of your own: a file that is shown and judged like those that are built in, or refused in one line.

use ciphermeter_core::Algorithm;

use crate::common::TestFolder;
use crate::studies::store_cells;

/// The example of `studies/README.md`, as a user would copy it.
fn example() -> String {
    let readme = include_str!("../../../studies/README.md");
    readme.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0.into()
}

#[test]
fn file_of_a_study_is_shown_and_judged_like_those_that_are_built_in() {
    let folder = TestFolder::new();
    folder.write("mine.toml", example());
    for name in ["mine.toml", "./mine.toml"] {
        let said = folder.run(&["study", "show", name]);
        assert_eq!((said.code, said.err.as_str()), (Some(5), ""), "{said:?}");
        assert!(said.out.contains(&format!("ciphermeter study run {name}")), "{said:?}");
    }
    let cells = [(Algorithm::ChaCha20Poly1305, 64, 1.0), (Algorithm::Aes256Gcm, 64, 2.0)];
    store_cells(&folder, "runs.db", ciphermeter_host::facts(), &cells);
    let claim = "name = \"mine\"\ntitle = \"t\"\ncitation = \"c\"\nmachine = \"m\"\nconcludes = \"c\"\n\
        [[measures]]\nscenario = \"iot\"\nwhy = \"w\"\nserves = [\"as-published\"]\nbudget = \"10s\"\n\
        [[claims]]\nid = \"faster\"\nsource = \"page 1\"\nsays = \"ChaCha20 is faster\"\nscenario = \"iot\"\n\
        left = { algorithm = \"chacha20-poly1305\", operation = \"seal\", messages = [\"64\"] }\n\
        right = { algorithm = \"aes-256-gcm\", operation = \"seal\", messages = [\"64\"] }\n\
        expect = { is = \"faster\" }\n";
    folder.write("mine.toml", claim);
    let said = folder.run(&["study", "show", "./mine.toml"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("1 claim on this machine: 1 supported."), "{said:?}");
    assert_eq!(folder.run(&["study", "show", "./mine.toml", "--json"]).json()["studies"][0]["name"], "mine");
}

#[test]
fn file_that_is_no_study_is_refused_in_one_line_with_its_place() {
    let folder = TestFolder::new();
    for (from, to, words) in [
        ("[[claims]]", "[[claim]]", "mine.toml: "),
        ("provider = \"pyca\"", "provider = \"pica\"", "has no provider `pica`"),
        ("provider = \"pyca\"", "provider = \"pycryptodome\", form = \"in-place\"", "has no form `in-place`"),
        (
            "# providers = [\"pyca\"]",
            "providers = [\"pycryptodome\"]",
            "its measure of `python-sizes` has no provider `pyca`",
        ),
        ("algorithm = \"aes-256-cbc\"", "algorithm = \"ascon-aead128\"", "has no algorithm `ascon-aead128`"),
        ("operation = \"encrypt\"", "operation = \"transfer\"", "has no operation `transfer`"),
        ("operation = \"encrypt\"", "operation = \"seal\"", "but no cell that has all of them"),
        ("scenario = \"python-sizes\"", "scenario = \"pyton-sizes\"", "did you mean `python-sizes`?"),
        ("scenario = \"python-sizes\"", "scenario = \"../x.toml\"", "its scenario is a file"),
        ("id = \"time-ratio\"", "id = \"a b\"", "its id takes 1 to 40 letters"),
    ] {
        let text = example();
        assert!(text.contains(from), "{from}");
        folder.write(
            "mine.toml",
            &if from.starts_with("scenario") { text.replace(from, to) } else { text.replacen(from, to, 1) },
        );
        for command in ["show", "run"] {
            let said = folder.run(&["study", command, "./mine.toml"]);
            assert_eq!((said.code, said.err.lines().count(), said.out.as_str()), (Some(2), 1, ""), "{to}: {said:?}");
            assert!(said.err.contains("./mine.toml: ") && said.err.contains("line "), "{to}: {said:?}");
            assert!(said.err.contains(words), "{to}: {said:?}");
        }
    }
    for (from, to, words) in [
        (
            "here = { messages = [\"10MiB\"] }",
            "here = { messages = [\"10MiB\"], provider = \"pyac\" }",
            "no pair of the claim is like",
        ),
        (
            "here = { messages = [\"10MiB\"] }",
            "here = { messages = [\"10MiB\"], threads = 8 }",
            "has no cells of 8 threads, so it stands",
        ),
        (
            "here = { messages = [\"10MiB\"] }",
            "here = { messages = [\"10MiB\"], form = \"static\" }",
            "has no form `static`, so it stands",
        ),
        ("published = 2.74", "published = 2.3", "not 2.3"),
        (
            "messages = [\"1MiB\", \"10MiB\"]",
            "messages = [\"10MiB\", \"99GiB\"]",
            "a message of 99GiB is too large; the most is 1GiB",
        ),
        (
            "rows_are = \"operation at 10 MB\"\ncolumns = [{ id = \"aes\", name = \"AES\", unit = \"s\" }",
            "rows_are = \"operation\"\nhere = { scenario = \"python-sizes\", quantity = \"time\", unit = 1e9, messages = [\"7MiB\"] }\n\
             columns = [{ id = \"aes\", name = \"AES\", unit = \"s\", here = { algorithm = \"aes-256-cbc\" } }",
            "table `time`: its `here`: its scenario `python-sizes` has no messages of 7MiB, so it stands beside nothing",
        ),
        (
            "# providers = [\"pyca\"]",
            "providers = [\"pyca\", \"pyac\"]",
            "measure `python-sizes`: its scenario `python-sizes` has no provider `pyac`",
        ),
        (
            "# cpu = \"no-aes\"",
            "cpu = \"no-aes\"",
            "its measure of `python-sizes` has another CPU: give both the same `cpu`, or none (measure `python-sizes` (no-aes) is in line 16)",
        ),
    ] {
        let text = example();
        assert!(text.contains(from), "{from}");
        folder.write("mine.toml", text.replacen(from, to, 1));
        let said = folder.run(&["study", "show", "./mine.toml"]);
        assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{to}: {said:?}");
        assert!(said.err.contains(words), "{to}: {said:?}");
    }
    // No cell of its scenario is left.
    folder.write("mine.toml", example().replace("provider = \"pyca\"", "provider = \"ring\""));
    let said = folder.run(&["study", "show", "./mine.toml"]);
    let words = "its scenario `python-sizes` has no provider `ring`: name one that it has (pyca, pycryptodome), or another scenario";
    assert!(said.code == Some(2) && said.err.contains(words), "{said:?}");
    folder.write("mine.toml", "#".repeat(ciphermeter_study::MAX_STUDY + 1));
    assert!(folder.run(&["study", "show", "./mine.toml"]).err.contains("./mine.toml: the study is longer than"));
    let none = folder.run(&["study", "show", "./none.toml"]);
    assert_eq!((none.code, none.err.lines().count()), (Some(2), 1), "{none:?}");
}
