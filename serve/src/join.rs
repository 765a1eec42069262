//! Links to join: whoever opens one measures in a browser, and may send runs here for some hours, and read nothing.

use std::io::{IsTerminal, stdout};

use anyhow::{Result, bail};
use ciphermeter_terminal::output;
use rand::random;
use time::Duration;
use zeroize::Zeroizing;

use crate::args::DatabaseOption;
use crate::client::is_loopback;
use crate::database::Database;
use crate::site::{MISSING, Site};
use crate::tokens::Scope;
use crate::{clock, code, operate, push};

/// How long a link holds, in hours, and at most.
pub const HOURS: u32 = 12;
pub const MOST_HOURS: i64 = 24;

/// A link, and until when it allows to send.
pub struct Link {
    pub text: Zeroizing<String>,
    pub until: String,
}

/// A link to the page of a server, with a token of its own in its fragment, which browsers send to no server.
pub async fn link(database: &Database, server: &str, hours: u32) -> Result<Link> {
    let now = clock::now();
    database.remove_expired_links(&now).await?;
    let until = clock::from_now(Duration::hours(i64::from(hours)))?;
    let name = format!("{PREFIX}{now} {:04x}", random::<u16>());
    let token = database.add_token(&name, Scope::Join, &now, Some(&until)).await?;
    Ok(Link { text: Zeroizing::new(format!("{}#join={}", page(server), &*token)), until })
}

/// What the names of their tokens begin with.
const PREFIX: &str = "join ";

/// The page's address.
pub fn page(server: &str) -> String {
    format!("{server}/join/")
}

/// `ciphermeter serve join`: prints a link and its code.
pub async fn join(server: &str, hours: u32, database: &DatabaseOption) -> Result<()> {
    let server = push::checked(server)?;
    if server.starts_with("http://") && !is_loopback(&server) {
        bail!("browsers measure well over HTTPS alone, and a token is sent over nothing else: write https://HOST:PORT");
    }
    let database = operate::open(database).await?;
    let link = link(&database, &server, hours).await?;
    if stdout().is_terminal()
        && let Some(code) = code::blocks(&link.text)
    {
        output::print(&format!("{code}\n"))?;
    }
    output::print(&format!("{}\n", &*link.text))?;
    output::tell(&format!(
        "Whoever opens this link before {} may send runs to {server}, and read nothing.",
        link.until.replace('T', " ").replace('Z', " UTC")
    ));
    if !Site::is_here() {
        output::tell(&format!("If the server was started without --page: {MISSING}."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn link_that_has_expired_leaves_when_another_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let past = "2026-01-01T00:00:00Z";
        database.add_token("join long ago", Scope::Join, past, Some(past)).await.unwrap();
        database.add_token("joined", Scope::Push, past, Some(past)).await.unwrap();
        link(&database, "https://team.example", 1).await.unwrap();
        let names: Vec<String> = database.tokens().await.unwrap().into_iter().map(|token| token.name).collect();
        assert!(names.len() == 2 && names[0].starts_with("join 20") && names[1] == "joined", "{names:?}");
    }
}
