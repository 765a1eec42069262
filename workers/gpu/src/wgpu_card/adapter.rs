//! Which adapter is used, and what it is called.

use std::env;

use wgpu::{Adapter, AdapterInfo, Backends, DeviceType, Instance};

/// Names the adapter to use: its number, from 0, or a part of its name.
const CHOICE: &str = "CIPHERMETER_WGPU_ADAPTER";

/// The code path: the backend, and whether it is a processor that plays a card.
pub fn path(info: &AdapterInfo) -> String {
    let software = if info.device_type == DeviceType::Cpu { "-software" } else { "" };
    format!("{}{software}", info.backend.to_str())
}

/// The adapter that the environment names, otherwise a discrete card before any other, and software last.
pub fn choose(instance: &Instance) -> Result<Adapter, String> {
    let found = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    let infos: Vec<AdapterInfo> = found.iter().map(Adapter::get_info).collect();
    let choice = env::var(CHOICE).ok().filter(|choice| !choice.is_empty());
    let index = pick(&infos, choice.as_deref())?;
    found.into_iter().nth(index).ok_or_else(|| "the adapter is gone; start again".into())
}

fn pick(infos: &[AdapterInfo], choice: Option<&str>) -> Result<usize, String> {
    let listed = || {
        let list: Vec<_> =
            infos.iter().enumerate().map(|(i, info)| format!("{i} {} ({})", info.name, path(info))).collect();
        list.join(", ")
    };
    match choice {
        _ if infos.is_empty() => {
            Err("no adapter for Vulkan, Metal or DirectX 12; install the card's driver and the Vulkan loader \
                 (Debian: libvulkan1, and mesa-vulkan-drivers for AMD, Intel and software)"
                .into())
        }
        None => Ok((0..infos.len()).min_by_key(|index| rank(infos[*index].device_type)).unwrap_or(0)),
        Some(choice) => {
            let numbered = choice.parse().ok().filter(|index: &usize| *index < infos.len());
            let contains = |info: &AdapterInfo| info.name.to_lowercase().contains(&choice.to_lowercase());
            numbered
                .or_else(|| infos.iter().position(contains))
                .ok_or_else(|| format!("{CHOICE}={choice} names no adapter; there are {}", listed()))
        }
    }
}

fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::Backend;

    fn infos() -> Vec<AdapterInfo> {
        let info = |name: &str, kind| AdapterInfo { name: name.into(), ..AdapterInfo::new(kind, Backend::Vulkan) };
        vec![
            info("llvmpipe (LLVM 15)", DeviceType::Cpu),
            info("Iris Xe", DeviceType::IntegratedGpu),
            info("Radeon RX", DeviceType::DiscreteGpu),
        ]
    }

    #[test]
    fn a_discrete_card_is_preferred_and_software_comes_last() {
        assert_eq!(pick(&infos(), None), Ok(2));
        assert_eq!(pick(&infos()[..2], None), Ok(1));
        assert_eq!(pick(&infos()[..1], None), Ok(0));
        assert!(pick(&[], None).unwrap_err().contains("install"));
    }

    #[test]
    fn a_choice_is_a_number_or_a_part_of_a_name() {
        assert_eq!(pick(&infos(), Some("1")), Ok(1));
        assert_eq!(pick(&infos(), Some("LLVMPIPE")), Ok(0));
        let error = pick(&infos(), Some("geforce")).unwrap_err();
        assert!(error.contains("0 llvmpipe (LLVM 15) (vulkan-software), 1 Iris Xe (vulkan)"), "{error}");
    }
}
