//! Proves that no two files of a crate import each other, directly or through others: you can begin at the top and end
//! at the bottom.
//!
//! A file imports another if a path in it leads there, through re-exports to the definition. Tests do not count, nor
//! does a `mod` that only declares a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// A module's path within its crate, `["kinds", "calls"]`; the root's is empty.
type Module = Vec<String>;

/// The names in a file.
#[derive(Default)]
struct File {
    path: PathBuf,
    /// Defined here.
    items: BTreeSet<String>,
    /// Imported here, by the name in use; `*` for each glob.
    uses: Vec<(String, Vec<String>)>,
    /// Everything that is written as a path, imports included.
    paths: BTreeSet<Vec<String>>,
}

fn is_test(attributes: &[Attribute]) -> bool {
    let is_cfg = |attribute: &&Attribute| attribute.path().is_ident("cfg");
    attributes.iter().filter(is_cfg).any(|attribute| {
        attribute
            .meta
            .require_list()
            .is_ok_and(|list| list.tokens.to_string().split_whitespace().any(|word| word == "test"))
    })
}

impl File {
    fn import(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&with(&path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(before, tree)),
            UseTree::Name(name) if name.ident == "self" => {
                self.uses.push((before.last().cloned().unwrap_or_default(), before.into()))
            }
            UseTree::Name(name) => self.uses.push((name.ident.to_string(), with(&name.ident))),
            UseTree::Rename(rename) => self.uses.push((rename.rename.to_string(), with(&rename.ident))),
            UseTree::Glob(_) => self.uses.push(("*".into(), before.into())),
        }
    }
}

impl<'ast> Visit<'ast> for File {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Mod(item) if item.content.is_none() => return,
            Item::Mod(item) => (&item.attrs, Some(&item.ident)),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Use(item) => {
                if !is_test(&item.attrs) {
                    self.import(&[], &item.tree);
                }
                return;
            }
            Item::Impl(item) => (&item.attrs, None),
            _ => return,
        };
        if !is_test(attributes) {
            self.items.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    // `pub(crate)` leads nowhere.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The files of a crate without its tests, by module.
struct Crate(BTreeMap<Module, File>);

impl Crate {
    fn read(source: &Path) -> Self {
        let root =
            ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|path| path.exists()).expect("a root");
        let mut files = Self(BTreeMap::new());
        files.add(vec![], root, source);
        files
    }

    fn add(&mut self, module: Module, path: PathBuf, folder: &Path) {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut file = File { path, ..File::default() };
        file.visit_file(&parsed);
        let imported = file.uses.iter().map(|(_, path)| path.clone());
        file.paths.extend(imported);
        self.0.insert(module.clone(), file);
        for item in parsed.items {
            let Item::Mod(child) = item else { continue };
            if child.content.is_some() || is_test(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let places = [folder.join(&name).with_extension("rs"), folder.join(&name).join("mod.rs")];
            let path = places.into_iter().find(|path| path.exists()).expect("the module's file");
            self.add([&module[..], std::slice::from_ref(&name)].concat(), path, &folder.join(name));
        }
    }

    /// The module whose file defines the target of a path in that module; `None` outside the crate.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.find(&vec![], rest, depth),
            "self" => self.find(from, rest, depth),
            "super" => self.find_up(from, rest, depth),
            _ => {
                let file = &self.0[from];
                let child = [&from[..], std::slice::from_ref(first)].concat();
                let known = self.0.contains_key(&child)
                    || file.items.contains(first)
                    || file.uses.iter().any(|(name, _)| name == first);
                if known { self.find(from, path, depth) } else { None }
            }
        }
    }

    fn find_up(&self, from: &Module, rest: &[String], depth: usize) -> Option<Module> {
        let (_, above) = from.split_last()?;
        match rest.split_first() {
            Some((first, rest)) if first == "super" => self.find_up(&above.to_vec(), rest, depth),
            _ => self.find(&above.to_vec(), rest, depth),
        }
    }

    /// The same for a path that begins in a module.
    fn find(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let Some((first, rest)) = path.split_first() else { return Some(module.clone()) };
        let child = [&module[..], std::slice::from_ref(first)].concat();
        if self.0.contains_key(&child) {
            return self.find(&child, rest, depth);
        }
        let file = &self.0[module];
        if file.items.contains(first) {
            return Some(module.clone());
        }
        // Imports that lead to themselves are invalid Rust; the bound means that this test need not rely on that.
        if depth == 0 {
            return None;
        }
        let named = file.uses.iter().filter(|(name, _)| name == first).map(|(_, target)| [&target[..], rest].concat());
        let globs = file.uses.iter().filter(|(name, _)| name == "*").map(|(_, target)| [&target[..], path].concat());
        named.chain(globs).find_map(|target| self.resolve(module, &target, depth - 1))
    }

    /// The modules that each module imports.
    fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of = |(module, file): (&_, &File)| {
            file.paths.iter().filter_map(|path| self.resolve(module, path, 8)).filter(|found| found != module).collect()
        };
        self.0.iter().map(|entry| (entry.0, of(entry))).collect()
    }

    /// Modules that are in a circle, each circle once.
    fn circles(&self) -> BTreeSet<BTreeSet<Module>> {
        let imports = self.imports();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.0.keys().map(|from| (from, reach(&imports, from))).collect();
        let circle = |from: &&Module| {
            let back = reached[*from].iter().filter(|to| reached[**to].contains(*from));
            back.map(|module| (*module).clone()).collect::<BTreeSet<Module>>()
        };
        self.0.keys().map(|from| circle(&from)).filter(|circle| !circle.is_empty()).collect()
    }
}

/// All modules imported from there, directly or through others.
fn reach<'a>(imports: &'a BTreeMap<&Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = imports[from].iter().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(&imports[module]);
        }
    }
    reached
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = fs::read_dir(root.join("crates")).expect("crates").map(|entry| entry.expect("an entry").path());
    let mut found = Vec::new();
    for folder in crates.chain(["conformance", "lab"].map(|name| root.join(name))).filter(|path| path.is_dir()) {
        let files = Crate::read(&folder.join("src"));
        for circle in files.circles() {
            let names: Vec<_> = circle
                .iter()
                .map(|module| files.0[module].path.strip_prefix(&folder).unwrap().display().to_string())
                .collect();
            found.push(format!("{}: {}", folder.file_name().unwrap().display(), names.join(" ")));
        }
    }
    assert!(found.is_empty(), "{} circles\n{}", found.len(), found.join("\n"));
}

/// The test detects what it is meant to: a circle through a re-export and through `super`.
#[test]
fn circle_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("b")).unwrap();
    write("lib.rs", "mod a; mod b; pub use b::inner::Thing;");
    write("a.rs", "pub fn make() -> crate::Thing { crate::Thing }");
    write("b/mod.rs", "pub mod inner;");
    write("b/inner.rs", "pub struct Thing; use super::super::a::make; #[cfg(test)] mod tests { use crate::b; }");
    let circles = Crate::read(folder.path()).circles();
    let module = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Module>();
    assert_eq!(circles, BTreeSet::from([BTreeSet::from([module(&["a"]), module(&["b", "inner"])])]));
    write("b/inner.rs", "pub struct Thing; #[cfg(test)] use super::super::a::make;");
    assert_eq!(Crate::read(folder.path()).circles(), BTreeSet::new());
}
