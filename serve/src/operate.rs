//! What an operator does with a database: tokens, a backup, removing what is old.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_answer::words::counted;
use ciphermeter_core::{in_quotes, shell_word};
use ciphermeter_host::private;
use ciphermeter_terminal::{output, own_folders};
use time::Duration;

use crate::args::{DatabaseOption, TokenCommand};
use crate::clock::{from_now, now};
use crate::database::Database;
use crate::names::{MACHINE_NAME, is_digest, machine_name};

/// Opens the named database, or this user's own.
pub async fn open(option: &DatabaseOption) -> Result<Database> {
    if let Some(url) = option.url() {
        return Database::open(url).await;
    }
    let data = own_folders::data().context("there is no home folder for the database; give one with --database")?;
    let file = data.join("team.db");
    private::make_folder(&data)
        .and_then(|()| private::make_file(&file))
        .with_context(|| format!("cannot make the database {}; give another one with --database", file.display()))?;
    own_folders::check_own(&data, &file, "give another database with --database")?;
    Database::open_file(&file).await
}

/// Makes, lists or removes tokens.
pub async fn token(command: TokenCommand, database: &DatabaseOption) -> Result<()> {
    let database = open(database).await?;
    match command {
        TokenCommand::Add { name, scope, expires } => {
            let name = name.trim();
            if name.is_empty() || name.len() > 100 || name != ciphermeter_core::escaped(name) {
                bail!("a token's name has 1 to 100 printable characters");
            }
            let expires = expires.map(|days| from_now(Duration::days(i64::from(days)))).transpose()?;
            let token = database.add_token(name, scope, &now(), expires.as_deref()).await?;
            output::tell("This is the token. It is shown once; whoever has it may use it:");
            output::print(&format!("{}\n", &*token))
        }
        TokenCommand::List => {
            let now = now();
            for token in database.tokens().await? {
                let expires = match token.expires {
                    None => "never expires".into(),
                    Some(moment) if moment <= now => format!("expired {moment}"),
                    Some(moment) => format!("expires {moment}"),
                };
                output::print(&format!("{} {} made {} {expires}\n", token.name, token.scope, token.created))?;
            }
            Ok(())
        }
        TokenCommand::Remove { name } => database.remove_token(&name).await,
    }
}

/// Writes a copy of the database, which is whole whatever the server does meanwhile.
pub async fn backup(file: &Path, database: &DatabaseOption) -> Result<()> {
    let database = open(database).await?;
    if !database.is_sqlite {
        bail!("PostgreSQL has its own backups: use pg_dump");
    }
    if file.symlink_metadata().is_ok() {
        bail!("{} is there already: name a new file", file.display());
    }
    // SQLite takes `file:…` for a URL.
    let file = std::path::absolute(file)?;
    let name = file.to_str().context("the file's name is not UTF-8")?;
    // For this user alone: it holds the hashes of tokens. SQLite writes into an empty file.
    private::make_file(&file).with_context(|| format!("cannot make {name}"))?;
    let copied = sqlx::query("VACUUM INTO $1").bind(name).execute(&database.pool).await;
    if copied.is_err() {
        // What is not a whole copy would be taken for one, and be in the way of the next.
        let _ = fs::remove_file(&file);
        let _ = fs::remove_file(format!("{name}-journal"));
    }
    copied.with_context(|| format!("cannot write {name}; mend this, then try again"))?;
    Ok(())
}

/// Removes runs by their digests, or by the first digits of these: all, or none where one is not known.
pub async fn remove(runs: &[String], database: &DatabaseOption) -> Result<()> {
    let database = open(database).await?;
    let mut found = Vec::new();
    for digits in runs {
        let run = if is_digest(digits) { database.run(digits).await? } else { None };
        let name = in_quotes(digits);
        found.push(run.with_context(|| {
            format!(
                "there is no run {name}, or several begin so: `GET /api/runs` and the pages' addresses have the digests"
            )
        })?);
    }
    for run in found {
        database.remove(&run.digest, &now()).await?;
        output::tell(&format!("removed {} of {}, which began at {}", run.digest, run.machine, run.started));
    }
    Ok(())
}

/// Gives a machine another name.
pub async fn rename(old: &str, new: &str, database: &DatabaseOption) -> Result<()> {
    let Some(new) = machine_name(new) else { bail!("{}", MACHINE_NAME) };
    let database = open(database).await?;
    let [renamed, removed] = database.rename(old, new).await?;
    if renamed == 0 {
        bail!("there is no machine {}: `GET /api/machines` and the first page list those that are", in_quotes(old));
    }
    let parts = match removed {
        0 => String::new(),
        _ => format!(", and removed {}, as what was measured later is there", runs_in_words(removed)),
    };
    output::tell(&format!(
        "renamed {} to {new}{parts}; push new ones with --machine {}",
        runs_in_words(renamed),
        shell_word(Path::new(new))
    ));
    Ok(())
}

fn runs_in_words(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "run")
}

/// Removes runs that began and came in more than so many days ago.
pub async fn remove_old(database: &Database, days: u32) -> Result<()> {
    let oldest = oldest(days)?;
    if let Some(latest) = database.latest_received().await?.filter(|latest| *latest < oldest) {
        // So it is after a year without a run; and when the clock is wrong, which would cost every run.
        output::tell(&format!(
            "no run is removed: the last one came in at {latest}, more than {days} days ago by this machine's clock; set the clock if it \
             is wrong"
        ));
        return Ok(());
    }
    let removed = database.remove_before(&oldest).await?;
    if removed > 0 {
        output::tell(&format!("removed {} that came in more than {days} days ago", runs_in_words(removed)));
    }
    Ok(())
}

/// When the oldest run that is kept for so many days began.
pub fn oldest(days: u32) -> Result<String> {
    from_now(-Duration::days(i64::from(days)))
}
