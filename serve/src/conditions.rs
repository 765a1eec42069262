//! What is asked of a table: only conditions that are given stand in a statement, as one that may be empty keeps both engines from
//! their indexes.

use anyhow::Result;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, FromRow};

/// Conditions that all hold, and their values.
#[derive(Debug, Default)]
pub struct Conditions<'a> {
    texts: Vec<String>,
    values: Vec<&'a str>,
}

impl<'a> Conditions<'a> {
    /// The column has this value, if there is one.
    pub fn equal(mut self, column: &str, value: Option<&'a str>) -> Self {
        if let Some(value) = value {
            self.values.push(value);
            self.texts.push(format!("{column} = ${}", self.values.len()));
        }
        self
    }

    /// The run comes behind one that began at this moment and has this digest, if there is one, where the latest is first.
    pub fn behind(mut self, started: Option<&'a str>, digest: Option<&'a str>) -> Self {
        if let Some(started) = started {
            self.values.extend([started, digest.unwrap_or("g")]);
            let (moment, name) = (self.values.len() - 1, self.values.len());
            self.texts.push(format!("started <= ${moment} AND (started < ${moment} OR digest > ${name})"));
        }
        self
    }

    /// The rows of a statement, whose conditions stand between these parts.
    pub async fn rows<T>(self, select: &str, order: &str, pool: &AnyPool) -> Result<Vec<T>>
    where
        T: Send + Unpin + for<'r> FromRow<'r, AnyRow>,
    {
        // No name has it, and PostgreSQL takes none.
        if self.values.iter().any(|value| value.contains('\0')) {
            return Ok(Vec::new());
        }
        let conditions = if self.texts.is_empty() { "1 = 1".into() } else { self.texts.join(" AND ") };
        let mut rows = sqlx::query_as(sqlx::AssertSqlSafe(format!("{select} WHERE {conditions} {order}")));
        for value in self.values {
            rows = rows.bind(value);
        }
        Ok(rows.fetch_all(pool).await?)
    }
}
