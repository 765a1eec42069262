//! Tokens: what a machine or a person shows to push, to read, or to do everything. Only their hashes are stored.

use anyhow::{Result, bail};
use clap::ValueEnum;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::database::Database;

/// Tells tokens from other secrets, for those that search for leaked ones.
const PREFIX: &str = "ciphermeter_";
const BYTES: usize = 32;

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// To send runs, and to read nothing.
    Push,
    /// To send a browser's runs, of machines that have no other ones, and to read nothing: what links to join carry.
    #[value(hide = true)]
    Join,
    /// To read everything, and to send nothing.
    Read,
    /// To send, to read and to note.
    Admin,
}

impl Scope {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Join => "join",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// Whether it allows what another one does.
    pub fn allows(self, wanted: Self) -> bool {
        self == wanted || self == Self::Admin || (self, wanted) == (Self::Join, Self::Push)
    }
}

/// A token without its secret.
#[derive(Debug, sqlx::FromRow)]
pub struct Token {
    pub name: String,
    pub scope: String,
    pub created: String,
    pub expires: Option<String>,
}

impl Database {
    /// Makes a token and returns its text, which is stored nowhere.
    ///
    /// # Errors
    /// There is one of that name.
    pub async fn add_token(
        &self,
        name: &str,
        scope: Scope,
        now: &str,
        expires: Option<&str>,
    ) -> Result<Zeroizing<String>> {
        let mut secret = Zeroizing::new([0; BYTES]);
        rand::fill(&mut *secret);
        let text = Zeroizing::new(format!("{PREFIX}{}", hex::encode(*secret)));
        let added = sqlx::query(
            "INSERT INTO token (name, scope, hash, created, expires) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING",
        )
        .bind(name)
        .bind(scope.as_str())
        .bind(hash(&text))
        .bind(now)
        .bind(expires)
        .execute(&self.pool)
        .await?;
        if added.rows_affected() == 0 {
            bail!("there is a token named {name}: choose another name, or remove it first");
        }
        Ok(text)
    }

    /// All tokens, in the order of their names.
    pub async fn tokens(&self) -> Result<Vec<Token>> {
        let rows = sqlx::query_as("SELECT name, scope, created, expires FROM token");
        let mut tokens: Vec<Token> = rows.fetch_all(&self.pool).await?;
        // PostgreSQL orders names by its locale.
        tokens.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tokens)
    }

    /// Removes a token.
    ///
    /// # Errors
    /// There is none of that name.
    pub async fn remove_token(&self, name: &str) -> Result<()> {
        let removed = sqlx::query("DELETE FROM token WHERE name = $1").bind(name).execute(&self.pool).await?;
        if removed.rows_affected() == 0 {
            bail!("there is no token named {name}: `ciphermeter serve token list` lists them");
        }
        Ok(())
    }

    /// Removes the tokens of links that have expired.
    pub async fn remove_expired_links(&self, now: &str) -> Result<()> {
        let removed = sqlx::query("DELETE FROM token WHERE scope = $1 AND expires <= $2");
        removed.bind(Scope::Join.as_str()).bind(now).execute(&self.pool).await?;
        Ok(())
    }

    /// What a token allows at this moment; `None` where it is unknown or has expired. It is looked up by its hash, so the time that
    /// takes says nothing of the token.
    pub async fn scope(&self, token: &str, now: &str) -> Result<Option<Scope>> {
        let row = sqlx::query_as("SELECT scope, expires FROM token WHERE hash = $1").bind(hash(token));
        let row: Option<(String, Option<String>)> = row.fetch_optional(&self.pool).await?;
        let valid = row.filter(|(_, expires)| expires.as_deref().is_none_or(|expires| expires > now));
        Ok(valid.and_then(|(scope, _)| Scope::from_str(&scope, false).ok()))
    }
}

fn hash(token: &str) -> String {
    hex::encode(Sha256::digest(token))
}
