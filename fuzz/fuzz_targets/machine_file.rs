//! Files of the table of machines: none panics, what is refused is one line without control characters, and what is shared of any run has
//! no text that names a folder or a command, and stays the same when it is shared again.
#![no_main]

use ciphermeter_core::escaped;
use ciphermeter_import::import;
use ciphermeter_machines::{Machine, beyond_use, pack, share, unpack};
use libfuzzer_sys::fuzz_target;

const SOURCE: &str = "title = \"A board\"\nby = \"Ada\"\nmeasured = \"2026-11-30\"\ncommit = \"31981c4e\"\n\
                      how = \"ciphermeter run messages\"\nmachine = \"virtual\"\n";

fuzz_target!(|data: &[u8]| {
    let _ = unpack(data.to_vec());
    for (source, run) in [(SOURCE, data.to_vec()), (SOURCE, pack(data).expect("memory"))] {
        refused(Machine::read("a", Some(source), &[("messages.json.gz", &run)]).map_err(|why| why.to_string()));
    }
    let text = String::from_utf8_lossy(data);
    refused(Machine::read("a", Some(&text), &[]).map_err(|why| why.to_string()));
    let Ok((run, records)) = import(data) else { return };
    let Ok(first) = share(&run, &records) else { return };
    let _ = beyond_use(&first.run, &first.records);
    let from = first.records.iter().filter_map(|record| record.provenance.as_ref());
    let files = from.clone().filter_map(|from| from.library.as_ref());
    for text in files.chain(from.flat_map(|from| [&from.worker, &from.path])) {
        assert!(!text.contains(['/', '$', '`', ';']), "{text:?}");
    }
    for fact in &first.run.host {
        let value = fact.value.as_deref().expect("a value");
        assert!(
            !value.replace("GNU/Linux", "").replace("x/crypto", "").contains('/') && fact.why.is_none(),
            "{fact:?}"
        );
    }
    let again = share(&first.run, &first.records).expect("what was shared is shared again");
    assert_eq!(format!("{:?}", (&again.run, &again.records)), format!("{:?}", (&first.run, &first.records)));
});

fn refused<T>(read: Result<T, String>) {
    if let Err(why) = read {
        assert!(!why.is_empty() && escaped(&why) == why, "{why:?}");
    }
}
