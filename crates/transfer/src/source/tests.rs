use super::*;
use std::fs as std_fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn listed(path: &Path) -> SourceFile {
    crate::walk(&[path.into()], &crate::Excludes::default()).unwrap().files.remove(0)
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std_fs::write(&path, "0123456789").unwrap();
    (dir, path)
}

#[test]
fn reads_by_position() {
    let (_dir, path) = file();
    let open = OpenSource::open(&listed(&path)).unwrap();
    let mut buffer = [0; 4];
    open.read_at(&mut buffer, 6).unwrap();
    assert_eq!(&buffer, b"6789");
    assert!(matches!(open.read_at(&mut buffer, 7), Err(SourceError::Shorter { .. })));
    open.read_at(&mut [], 100).unwrap();
    assert!(open.unchanged());
}

#[test]
fn holes_read_as_zeros() {
    let (_dir, path) = file();
    let size = 50 << 30;
    File::options().write(true).open(&path).unwrap().set_len(size).unwrap();
    let source = listed(&path);
    assert_eq!(source.size, size);
    let mut buffer = [1; 4096];
    OpenSource::open(&source).unwrap().read_at(&mut buffer, size - 4096).unwrap();
    assert!(buffer.iter().all(|&byte| byte == 0));
}

#[test]
fn any_change_during_reading_is_detected() {
    let (dir, path) = file();
    let changes: [fn(&Path); 4] = [
        |path| std_fs::write(path, "0123").unwrap(),
        |path| std_fs::write(path, "0123456789+").unwrap(),
        |path| std_fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap(),
        // The same content and size, with the modification time restored.
        |path| {
            let modified = path.metadata().unwrap().modified().unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.write_all_at(b"9", 0).unwrap();
            file.set_modified(modified).unwrap();
        },
    ];
    for change in changes {
        let source = listed(&path);
        let open = OpenSource::open(&source).unwrap();
        // Longer than a tick of the clock that stamps changes.
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(&path);
        assert!(!open.unchanged());
        assert!(matches!(OpenSource::open(&source), Err(SourceError::Changed { .. })));
    }
    assert!(dir.path().exists());
}

#[test]
fn shortened_file_is_an_error() {
    let (_dir, path) = file();
    let open = OpenSource::open(&listed(&path)).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
    let error = open.read_at(&mut [0; 10], 0).unwrap_err();
    assert!(matches!(error, SourceError::Shorter { .. }));
    assert!(error.to_string().contains("became shorter"));
}

#[test]
fn replaced_file_is_not_opened() {
    let (dir, path) = file();
    let source = listed(&path);
    let changed = || matches!(OpenSource::open(&source), Err(SourceError::Changed { .. }));
    std_fs::rename(&path, dir.path().join("moved")).unwrap();
    assert!(matches!(OpenSource::open(&source), Err(SourceError::Gone { .. })));
    std_fs::copy(dir.path().join("moved"), &path).unwrap();
    assert!(changed());
    std_fs::remove_file(&path).unwrap();
    symlink("moved", &path).unwrap();
    assert!(changed());
    std_fs::remove_file(&path).unwrap();
    std_fs::create_dir(&path).unwrap();
    assert!(changed());
}

#[test]
fn versions_are_hex() {
    let version = Version([0x0f; 16]);
    let json = serde_json::to_string(&version).unwrap();
    assert_eq!(json, format!("\"{}\"", "0f".repeat(16)));
    assert_eq!(serde_json::from_str::<Version>(&json).unwrap(), version);
    for bad in ["\"\"", "\"0f\"", &format!("\"{}\"", "0g".repeat(16)), &format!("\"{}\"", "0f".repeat(17))] {
        assert!(serde_json::from_str::<Version>(bad).is_err());
    }
}
