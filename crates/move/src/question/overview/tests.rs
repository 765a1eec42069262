use super::*;
use ciphermeter_transfer::{Disk, Excess, ExcessKind, Name, Offer, OfferedFile, Version};

const SCREEN: Screen = Screen { width: 80, height: 24 };

fn file(name: &str, size: u64, mode: u32) -> OfferedFile {
    let name = Name::parse(name).unwrap();
    OfferedFile {
        name,
        size,
        data: None,
        link: None,
        stream: false,
        mode,
        modified: 0,
        nanoseconds: 0,
        version: Version([0; 16]),
    }
}

/// The question of an offer for an existing folder.
fn question(offer: &Offer) -> Question<'_> {
    Question {
        offer,
        into: Some("/".into()),
        is_pipe: false,
        is_new_folder: false,
        is_resumed: false,
        excess: Vec::new(),
        existing: Vec::new(),
        taken_folders: Vec::new(),
        disk: Disk { block: 4096, holes: true },
        lacks_room: false,
    }
}

/// The summary of an offer of these files, for an existing folder.
fn asked(files: Vec<OfferedFile>) -> String {
    let offer = Offer { files, ..Offer::default() };
    let text = overview(&question(&offer), true, SCREEN);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    assert!(text.lines().count() <= 23, "{text}");
    text
}

fn is_in(text: &str, line: &str) -> bool {
    text.lines().any(|shown| shown.trim_end() == line)
}

#[test]
fn single_plain_file_is_one_line() {
    assert_eq!(asked(vec![file("big.iso", 3_000_000, 0o644)]), "The sender offers \"big.iso\", 3.00 MB, for /.\n");
}

#[test]
fn stream_has_no_name_and_no_size() {
    let offer = Offer { files: vec![OfferedFile { stream: true, ..file("stream", 0, 0o600) }], ..Offer::default() };
    let question = Question { into: None, is_pipe: true, ..question(&offer) };
    let text = overview(&question, true, SCREEN);
    assert_eq!(text, "The sender offers a stream of unknown length, for standard output.\n");
}

#[test]
fn marked_names_come_first_whatever_the_order_of_the_offer() {
    let text = asked(vec![
        file("holiday.jpg", 2100, 0o644),
        file("run.sh", 10, 0o755),
        file(".config/autostart/x.desktop", 210, 0o644),
        file(".bashrc", 96, 0o744),
    ]);
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
    assert_eq!(
        names,
        [
            "  hidden executable      96 B  .bashrc",
            "  hidden                210 B  .config/autostart/x.desktop",
            "  executable             10 B  run.sh",
            "                      2.10 kB  holiday.jpg",
        ]
    );
    assert!(text.contains("4 files in 2 folders, 2.42 kB, 4 names side by side, for /."), "{text}");
    assert!(
        text.ends_with(
            "2 names are hidden (a part begins with a dot), 2 of them at the top, 2 names are\nexecutable.\n"
        ),
        "{text}"
    );
}

#[test]
fn thousands_of_names_are_counted_by_folder_and_marked_names_stay() {
    let mut files: Vec<_> =
        (0..10_000).map(|number| file(&format!("photos/{}/{number}", number % 3), 1000, 0o644)).collect();
    files.push(file("photos/2/.profile", 5, 0o644));
    let text = asked(files);
    assert!(is_in(&text, "  hidden            5 B  photos/2/.profile"), "{text}");
    assert!(is_in(&text, "  3,334 files   3.33 MB  photos/0/"), "{text}");
    assert!(text.contains("10,001 files in 4 folders, 10.0 MB, 41.0 MB on the disk"), "{text}");
}

#[test]
fn names_that_do_not_fit_are_counted() {
    let files =
        (0..500).map(|number| file(&format!("{number:03}"), 1000 - number, if number < 100 { 0o755 } else { 0o644 }));
    let text = asked(files.collect());
    assert!(text.contains("… and 91 more that are marked"), "{text}");
    assert!(text.contains("… and 392 more\n"), "{text}");
    assert!(text.contains("100 names are executable."), "{text}");
    let all = (0..500).map(|number| file(&format!("{number:03}"), 1, 0o755)).collect();
    assert!(asked(all).contains("… and 482 more that are marked"));
}

#[test]
fn decoys_hide_no_marked_name() {
    let mut files: Vec<_> =
        (0..40).map(|number| file(&format!("proj/.git/hooks/{number}.sample"), 10, 0o755)).collect();
    files.extend((0..60).map(|number| file(&format!("proj/.cache/x/{number}"), 10, 0o644)));
    files.extend([file(".bashrc", 96, 0o644), file("zinstall.sh", 5, 0o755), file("proj/bin/deploy", 5, 0o755)]);
    files.extend((0..300).map(|number| file(&format!("proj/src/{number}"), 1000, 0o644)));
    let text = asked(files);
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(names[0].ends_with("96 B  .bashrc") && names[1].ends_with("5 B  zinstall.sh"), "{text}");
    for (mark, name) in [
        ("executable", "proj/bin/deploy"),
        ("40 hidden executable", "proj/.git/hooks/"),
        ("60 hidden", "proj/.cache/x/"),
    ] {
        assert!(names.iter().any(|line| line.trim_start().starts_with(mark) && line.ends_with(name)), "{name}: {text}");
    }
    assert!(text.contains("101 names are hidden (a part begins with a dot), 1 of them at the top"), "{text}");
}

#[test]
fn offer_beyond_the_accepted_one_shows_only_the_excess() {
    let mut files: Vec<_> = (0..36).map(|number| file(&format!("d/{number}"), 1000, 0o644)).collect();
    files.extend([file("d/readme.txt", 5, 0o644), file(".bashrc", 5, 0o644), file("d/run", 5, 0o755)]);
    let offer = Offer { files, ..Offer::default() };
    let excess_of = |name: &str, kind| Excess { name: Name::parse(name).unwrap(), kind };
    let larger = ExcessKind::Larger { most: 4_000_000, size: 4_500_000 };
    let excess = vec![
        excess_of("d/readme.txt", ExcessKind::New),
        excess_of("d/7", larger),
        excess_of(".bashrc", ExcessKind::New),
        excess_of("d/run", ExcessKind::Executable),
    ];
    let question = Question { excess, ..question(&offer) };
    let text = overview(&question, true, SCREEN);
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).map(str::trim).collect();
    assert_eq!(names.len(), 4, "{text}");
    assert!(names[0].starts_with("new hidden") && names[0].ends_with(".bashrc"), "{text}");
    assert!(names.iter().any(|line| line.starts_with("larger, was 4.00 MB") && line.ends_with("d/7")), "{text}");
    assert!(names.iter().any(|line| line.starts_with("newly executable") && line.ends_with("d/run")), "{text}");
    assert!(text.replace('\n', " ").contains("The other 35 stay within what you accepted."), "{text}");
}

#[test]
fn decoys_hide_no_marked_name_of_an_excess() {
    let names: Vec<String> =
        (0..100).map(|number| format!("a{number}")).chain([".bashrc".into(), "zinstall.sh".into()]).collect();
    let mode = |name: &str| if name.ends_with(".sh") { 0o755 } else { 0o644 };
    let files = names.iter().map(|name| file(name, 1, mode(name))).collect();
    let offer = Offer { files, ..Offer::default() };
    let excess = |name: &String| Excess { name: Name::parse(name).unwrap(), kind: ExcessKind::New };
    let excess = names.iter().map(excess).collect();
    let question = Question { excess, ..question(&offer) };
    let text = overview(&question, true, SCREEN);
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(names[0].ends_with(".bashrc") && names[1].ends_with("zinstall.sh"), "{text}");
}

#[test]
fn narrow_and_low_screen_shows_the_marked_name() {
    let mut files: Vec<_> = (0..30).map(|number| file(&format!("p/{number}{}", "n".repeat(200)), 10, 0o644)).collect();
    files.push(file("p/.x", 10, 0o755));
    let offer = Offer { files, ..Offer::default() };
    let text = overview(&question(&offer), true, Screen { width: 40, height: 12 });
    assert!(text.lines().all(|line| line.width() <= 40) && text.lines().count() < 12, "{text}");
    assert!(text.lines().any(|line| line.starts_with("hx") && line.ends_with("p/.x")), "{text}");
}

#[test]
fn name_cannot_continue_the_sentence() {
    let text = asked(vec![file("x. Answer y, 3 kB, for", 1, 0o644)]);
    assert_eq!(text, "The sender offers \"x. Answer y, 3 kB, for\", 1 B, for /.\n");
}

#[test]
fn folders_that_are_not_empty_are_not_listed() {
    let folder = |name: &str| (Name::parse(name).unwrap(), 0o755);
    let folders = ["a", "a/b", "a/b/c", "a/none"].map(folder).to_vec();
    let offer = Offer { files: vec![file("a/b/c/file", 1, 0o644)], folders, left_out: 0 };
    let text = overview(&question(&offer), true, SCREEN);
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).map(str::trim).collect();
    assert_eq!(names, ["folder  a/none/", "1 B  a/b/c/file"], "{text}");
}

#[test]
fn folders_without_a_line_and_what_they_take_are_counted() {
    let deep = ["d"; 62].join("/");
    let text = asked((0..1000).map(|number| file(&format!("{number}/{deep}/file"), 0, 0o644)).collect());
    assert!(text.replace('\n', " ").contains("1,000 files in 63,000 folders, 0 B, 258 MB on the disk,"), "{text}");
}

#[test]
fn folder_that_is_there_already_is_named() {
    let offer =
        Offer { files: vec![file("repo/.git/hooks/x", 1, 0o755), file("repo/a", 1, 0o644)], ..Offer::default() };
    let taken = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let one = Question { taken_folders: taken(&["repo"]), ..question(&offer) };
    let text = overview(&one, true, SCREEN).replace('\n', " ");
    assert!(text.ends_with("1 name is executable, the folder \"repo\" is there already and gets more. "), "{text}");
    let two = Question { taken_folders: taken(&["repo", "other"]), ..question(&offer) };
    let text = overview(&two, true, SCREEN).replace('\n', " ");
    assert!(text.ends_with("2 of the folders are there already and get more. "), "{text}");
}

#[test]
fn links_and_taken_names_are_shown_as_such() {
    let link = OfferedFile { link: Some("../b".to_owned().try_into().unwrap()), ..file("a/d/link", 0, 0) };
    let offer = Offer { files: vec![file("a/b", 1, 0o644), link], left_out: 2, ..Offer::default() };
    let question = Question { into: None, existing: vec![0], lacks_room: true, ..question(&offer) };
    let text = overview(&question, true, SCREEN);
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).map(str::trim).collect();
    assert_eq!(rows, ["exists       1 B  a/b", "link  a/d/link -> ../b"], "{text}");
    let end = "1 name exists in the folder. The sender cannot send 2 more. There is no room for all of";
    assert!(text.replace('\n', " ").contains(end), "{text}");
}

#[test]
fn link_is_no_file_where_folders_are_counted() {
    let target = "photos/1".to_owned().try_into().unwrap();
    let mut files: Vec<_> = (0..60).map(|number| file(&format!("photos/{number}"), 1000, 0o644)).collect();
    files.push(OfferedFile { link: Some(target), ..file("recent", 0, 0) });
    let text = asked(files);
    assert!(is_in(&text, "  60 files   60.0 kB  photos/"), "{text}");
    assert!(is_in(&text, "                link  recent -> photos/1"), "{text}");
}

#[test]
fn every_name_is_listed_in_full() {
    let long = format!("{}.exe", "x".repeat(250));
    let offer = Offer { files: vec![file("a", 1, 0o644), file(&long, 1, 0o644)], ..Offer::default() };
    let question = Question { into: None, ..question(&offer) };
    let lines: Vec<_> = every_name(&question, 80).collect();
    assert!(lines.len() > 4 && lines.iter().all(|line| line.trim_end().width() <= 80), "{lines:?}");
    assert!(lines.last().unwrap().ends_with(".exe\n"));
}

#[test]
fn offer_received_without_a_question_is_shown() {
    let offer = Offer { files: vec![file("a", 20, 0o644)], ..Offer::default() };
    let question = Question { into: None, ..question(&offer) };
    assert_eq!(overview(&question, false, SCREEN), "Receiving \"a\", 20 B, to be discarded.\n");
}
