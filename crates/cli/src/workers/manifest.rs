//! `worker.toml`: the description of a worker in another language before it is built.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Mask, escaped, quoted_path, toml_error};
use serde::Deserialize;

use crate::outside;

/// Placeholder for a provider's name in a command of a worker.toml.
const PROVIDER: &str = "{provider}";

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: String,
    pub language: String,
    #[serde(default)]
    pub providers: Vec<String>,
    /// Prints the toolchain's version if it is installed and new enough; otherwise fails, with the reason on its last
    /// line on standard error.
    pub check: Vec<String>,
    /// What to install if it is missing.
    pub needs: String,
    pub build: Vec<String>,
    /// Building takes so long, or so much room, that it is done only where the worker is named.
    #[serde(default)]
    pub by_name: bool,
    /// A file in its folder that exists once it is built.
    pub built: String,
    /// Runs it, for the provider of that name; a relative program is looked for in the worker's folder.
    #[serde(default)]
    pub run: Vec<String>,
    /// Runs the plain loop that its first provider is compared with (`lab plain`).
    #[serde(default)]
    pub plain: Vec<String>,
    /// It is a build for a CPU that lacks these instructions, and replaces the built-in provider of that name there.
    #[serde(default)]
    pub stands_in: Option<Feature>,
    /// Its libraries' switches.
    #[serde(default)]
    pub cpu: Vec<Cpu>,
    /// The emulated devices on which it runs.
    #[serde(default)]
    pub device: Vec<EmulatedDevice>,
}

/// An emulated device: what `qemu:NAME` starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulatedDevice {
    pub name: String,
    /// What it is, for people.
    pub board: String,
    pub providers: Vec<String>,
    /// Runs its emulator with the image of the provider of that name, its serial line being standard input and output.
    pub run: Vec<String>,
    /// The image, a file in the worker's folder.
    pub image: String,
}

/// How some of the CPU's instructions are disabled in libraries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    pub providers: Vec<String>,
    pub without: Feature,
    /// The library's own switch, as environment variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(default)]
    pub missing: Option<String>,
}

/// A feature of the CPU: `aes`, `vaes`, `avx512` or `avx2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Feature(pub Mask);

impl TryFrom<String> for Feature {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let known = || Mask::ALL.iter().map(|mask| mask.feature()).collect::<Vec<_>>().join(", ");
        let mask = Mask::ALL.iter().copied().find(|mask| mask.feature() == word);
        mask.map(Self).ok_or_else(|| format!("unknown instructions `{}`; known are {}", escaped(&word), known()))
    }
}

impl Manifest {
    pub fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("worker.toml");
        let context = || format!("cannot read {}; correct it, or remove its folder", quoted_path(&file));
        let text = outside::options(&file).with_context(context)?;
        let manifest: Self = toml::from_str(&text)
            .map_err(|error| anyhow!("{}, {}: correct it", quoted_path(&file), toml_error(&error, &text)))?;
        let runs = |providers: &[String], run: &[String]| providers.is_empty() || !run.is_empty();
        let all_run = runs(&manifest.providers, &manifest.run)
            && manifest.device.iter().all(|device| runs(&device.providers, &device.run));
        if !all_run || manifest.build.is_empty() || manifest.check.is_empty() {
            bail!("{}: `check`, `build` and `run` must each name a program", quoted_path(&file));
        }
        if let Some(device) = manifest.device.iter().find(|device| !is_device_name(&device.name)) {
            bail!("{}: the device `{}` is no name: use a-z, 0-9 and -", quoted_path(&file), escaped(&device.name));
        }
        let providers = manifest.device.iter().flat_map(|device| &device.providers).chain(&manifest.providers);
        if let Some(name) = providers.chain([&manifest.name]).find(|name| !is_name(name)) {
            let shown = quoted_path(&file);
            bail!("{shown}: `{}` is no name: use letters, digits and -, _, + or ., up to 40", escaped(name));
        }
        if manifest.providers.is_empty() && manifest.device.is_empty() {
            bail!("{}: it has neither `providers` nor a `[[device]]`; give one", quoted_path(&file));
        }
        Ok(manifest.shown())
    }

    /// The manifest with its sentences for people escaped.
    fn shown(mut self) -> Self {
        let boards = self.device.iter_mut().map(|device| &mut device.board);
        let missing = self.cpu.iter_mut().filter_map(|cpu| cpu.missing.as_mut());
        for text in boards.chain(missing).chain([&mut self.language, &mut self.needs]) {
            *text = escaped(text);
        }
        self
    }

    /// A command's words for one provider.
    pub fn for_provider(words: &[String], provider: &str) -> Vec<String> {
        words.iter().map(|word| Self::text_for_provider(word, provider)).collect()
    }

    pub fn text_for_provider(text: &str, provider: &str) -> String {
        text.replace(PROVIDER, provider)
    }

    /// The environment that disables the mask's instructions in a provider, or why there is none.
    pub fn switch(&self, provider: &str, mask: Mask) -> Result<Vec<(String, String)>, String> {
        let names = |cpu: &&Cpu| cpu.without.0 == mask && cpu.providers.iter().any(|named| named == provider);
        match self.cpu.iter().find(names) {
            Some(Cpu { missing: Some(why), .. }) => Err(why.clone()),
            Some(Cpu { environment, .. }) => Ok(environment.clone().into_iter().collect()),
            None => Err("its worker knows no switch of its library for that".into()),
        }
    }
}

/// A worker's or provider's name is typed in commands and stands in tables.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
    (1..=40).contains(&name.len()) && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits)
}

/// A device's name stands behind `qemu:` and behind an `@`.
fn is_device_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=40).contains(&name.len()) && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        name = "snake"
        language = "Python"
        providers = ["one", "two"]
        check = ["python3", "--version"]
        needs = "Python"
        build = ["true"]
        built = "build/done"
        run = ["python3", "worker.py", "{provider}"]
        [[cpu]]
        providers = ["one"]
        without = "aes"
        environment = { SWITCH = "off" }
        [[cpu]]
        providers = ["two"]
        without = "aes"
        missing = "it asks the CPU itself"
    "#;

    fn read(text: &str) -> Result<Manifest> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("worker.toml"), text).unwrap();
        Manifest::read(folder.path())
    }

    #[test]
    fn switch_depends_on_the_provider_and_the_instructions() {
        let manifest = read(GOOD).unwrap();
        assert_eq!(manifest.switch("one", Mask::NoAes), Ok(vec![("SWITCH".into(), "off".into())]));
        assert_eq!(manifest.switch("two", Mask::NoAes), Err("it asks the CPU itself".into()));
        assert!(manifest.switch("one", Mask::NoAvx2).unwrap_err().contains("knows no switch"));
    }

    #[test]
    fn command_is_for_one_provider() {
        let manifest = read(GOOD).unwrap();
        assert_eq!(Manifest::for_provider(&manifest.run, "two"), ["python3", "worker.py", "two"]);
    }

    #[test]
    fn worker_may_run_on_emulated_devices_alone() {
        let device = r#"
            name = "firmware"
            language = "C"
            check = ["sh", "check.sh"]
            needs = "a cross compiler"
            build = ["sh", "build.sh"]
            built = "build/m4.elf"
            [[device]]
            name = "cortex-m4"
            board = "QEMU mps2-an386 (Cortex-M4)"
            providers = ["one"]
            run = ["qemu-system-arm", "-kernel", "build/{provider}.elf"]
            image = "build/{provider}.elf"
        "#;
        let manifest = read(device).unwrap();
        assert!(manifest.providers.is_empty());
        assert_eq!(Manifest::for_provider(&manifest.device[0].run, "one")[2], "build/one.elf");
        let error = |from: &str, to: &str| format!("{:#}", read(&device.replacen(from, to, 1)).unwrap_err());
        assert!(error("cortex-m4", "cortex m4").contains("the device `cortex m4` is no name"));
        assert!(error("[\"qemu-system-arm\", \"-kernel\", \"build/{provider}.elf\"]", "[]").contains("must each name"));
        let without = device.split("[[device]]").next().unwrap();
        assert!(format!("{:#}", read(without).unwrap_err()).contains("neither `providers` nor a `[[device]]`"));
    }

    #[test]
    fn error_names_the_mistake_with_its_line() {
        let error = |from: &str, to: &str| format!("{:#}", read(&GOOD.replacen(from, to, 1)).unwrap_err());
        assert!(error("\"aes\"", "\"sse9\"").contains("unknown instructions `sse9`; known are aes, vaes"));
        assert!(error("needs =", "neds =").contains("line 6"));
        assert!(
            error("name = \"snake\"", "name = \"-s; touch x\\u202e\"").contains(r"`-s; touch x\u{202e}` is no name")
        );
        assert!(error("\"two\"", "\"a b\"").contains("`a b` is no name: use letters"));
        assert!(error("[\"true\"]", "[]").contains("must each name a program"));
    }
}
