//! Room for files, asked for before anything is written.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ciphermeter_core::quoted_path;
use rustix::fs::statvfs;

/// The folder of files that go with their process.
pub fn temporary() -> PathBuf {
    std::env::temp_dir()
}

/// An error in the folder of temporary files, with what helps.
pub fn not(what: &str, why: &io::Error) -> String {
    format!(
        "{what} in {}, the folder for temporary files, failed: {why}; set TMPDIR to a folder that you can write to",
        quoted_path(&temporary())
    )
}

/// Sees that each folder has room for so many bytes: half of what is free stays free, as it does of memory. Folders on one disk need
/// room for all together.
pub fn check(needs: &[(&Path, u64)]) -> Result<(), String> {
    for (folder, _) in needs {
        let unknown = |why: io::Error| {
            format!("asking for free space in {} failed: {why}; use another folder", quoted_path(folder))
        };
        let disk = |folder: &Path| std::fs::metadata(folder).map(|folder| folder.dev());
        let own = disk(folder).map_err(unknown)?;
        let same = needs.iter().filter(|(other, _)| disk(other).is_ok_and(|disk| disk == own));
        let wanted = same.fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let space = statvfs(*folder).map_err(|why| unknown(why.into()))?;
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        if wanted > free / 2 {
            let is_temporary = *folder == temporary();
            return Err(format!(
                "needs {} MiB of {}, more than half of the {} MiB that are free there; {}",
                wanted >> 20,
                quoted_path(folder),
                free >> 20,
                if is_temporary { "set TMPDIR to a folder with more" } else { "free some, or name another folder" }
            ));
        }
    }
    Ok(())
}

/// Sees that files of so many bytes can be made in the folder for temporary files.
pub fn check_temporary(bytes: u64) -> Result<(), String> {
    tempfile::tempfile_in(temporary()).map_err(|why| not("making a file", &why))?;
    check(&[(&temporary(), bytes)])
}
