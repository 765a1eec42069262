//! Objects whose names are data, and lists with a limit.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::values::Text;

/// A list of at most so many entries.
pub(crate) struct List<T, const MOST: usize>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for List<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Entries<T, MOST> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MOST} entries")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element()? {
                    if entries.len() == MOST {
                        return Err(A::Error::custom(format!("there are more than {MOST} entries")));
                    }
                    entries.push(entry);
                }
                Ok(entries)
            }
        }

        deserializer.deserialize_seq(Entries::<T, MOST>(PhantomData)).map(Self)
    }
}

/// The members of an object in their order, each name once.
#[derive(Debug)]
pub(crate) struct Named<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Vec<(String, T)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut members, mut names) = (Vec::new(), BTreeSet::new());
                while let Some(Text(name)) = map.next_key()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom("its name is there twice"));
                    }
                    members.push((name, map.next_value()?));
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// Keeps a member of an object, which may have it once.
pub(crate) fn once<T, E: Error>(member: &mut Option<T>, value: T) -> Result<(), E> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::custom("its name is there twice")),
    }
}
