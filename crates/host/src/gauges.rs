//! What changes during a load: frequency, temperature, and other use of the CPUs. Read every second or so.
//!
//! Which files to read is determined once, since a phone has a hundred sensors; what cannot be read has its reason.

use std::time::Duration;

use crate::{clock, cpus, sensors, tree::Tree};

/// The files to read.
pub struct Gauges {
    tree: Tree,
    cpus: Vec<usize>,
    frequencies: Vec<String>,
    thermometers: Vec<String>,
    /// Why there is no frequency, if there is none. (For the temperature, see [`crate::facts`].)
    pub no_frequency: Option<String>,
}

/// One reading. What the system does not report is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The mean over the CPUs that this process may use, in kHz: the frequency that each was last set to
    /// (`scaling_cur_freq`), or runs at (`cpuinfo_cur_freq`).
    pub frequency: Option<u64>,
    /// The hottest sensor that is the CPU's, in thousandths of a degree Celsius, of those that say
    /// what a CPU can have.
    pub temperature: Option<u64>,
    /// Since boot, on the CPUs that this process may use.
    pub shares: Option<Shares>,
}

/// How the time of some CPUs was spent since boot, in sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shares {
    /// By programs and by the kernel for them, guests included; interrupts excluded.
    pub busy: Duration,
    /// Taken by the hypervisor for other machines.
    pub steal: Duration,
}

impl Gauges {
    /// The gauges of this machine.
    pub fn live() -> Self {
        Self::of(Tree::live(), cpus::allowed())
    }

    /// The gauges of one CPU.
    pub fn of_cpu(cpu: usize) -> Self {
        Self::of(Tree::live(), vec![cpu])
    }

    fn of(tree: Tree, cpus: Vec<usize>) -> Self {
        let file = |cpu: &usize| {
            let names = ["scaling_cur_freq", "cpuinfo_cur_freq"];
            names
                .map(|name| format!("{}/cpu{cpu}/cpufreq/{name}", clock::CPUS))
                .into_iter()
                .find(|path| clock::kilohertz(&tree, path).is_ok())
        };
        let frequencies: Vec<String> = cpus.iter().filter_map(file).collect();
        // One that sleeps now may wake up.
        let found = sensors::thermometers(&tree).into_iter().map(|(path, _)| path);
        let thermometers: Vec<String> = found.filter(|path| tree.text(path).is_ok()).collect();
        let no_frequency = frequencies.is_empty().then(|| {
            let first = format!("{}/cpu{}/cpufreq/scaling_cur_freq", clock::CPUS, cpus.first().unwrap_or(&0));
            clock::ungoverned(&tree, clock::kilohertz(&tree, &first).err().unwrap_or_default())
        });
        Self { tree, cpus, frequencies, thermometers, no_frequency }
    }

    /// How many CPUs this process may use.
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// The mean frequency alone, as in [`Reading`].
    pub fn frequency(&self) -> Option<u64> {
        let frequencies = self.frequencies.iter().filter_map(|path| clock::kilohertz(&self.tree, path).ok());
        let frequencies: Vec<u64> = frequencies.collect();
        frequencies.iter().sum::<u64>().checked_div(frequencies.len() as u64)
    }

    /// Reads all gauges.
    pub fn read(&self) -> Reading {
        let readings = self.thermometers.iter().filter_map(|path| sensors::reading(&self.tree, path));
        Reading {
            frequency: self.frequency(),
            temperature: readings.max(),
            shares: self
                .tree
                .text("proc/stat")
                .ok()
                .and_then(|text| shares(&text, &self.cpus, rustix::param::clock_ticks_per_second())),
        }
    }
}

/// A line is `cpu3 user nice system idle iowait irq softirq steal guest guest_nice` (`man 5 proc_stat`).
fn shares(text: &str, cpus: &[usize], ticks_per_second: u64) -> Option<Shares> {
    let tick = 1_000_000_000 / ticks_per_second.max(1);
    let mut sum = Shares::default();
    for cpu in cpus {
        let name = format!("cpu{cpu} ");
        let line = text.lines().find_map(|line| line.strip_prefix(&name))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|ticks| ticks.parse().ok()).take(8).collect();
        let time = |ticks: u64| Duration::from_nanos(ticks.saturating_mul(tick));
        sum.busy += ticks.get(..3)?.iter().map(|ticks| time(*ticks)).fold(Duration::ZERO, Duration::saturating_add);
        sum.steal = sum.steal.saturating_add(time(*ticks.get(7)?));
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn laptop_has_all_gauges() {
        let gauges = Gauges::of(samples::laptop(), vec![7]);
        let reading = gauges.read();
        assert_eq!((reading.frequency, reading.temperature), (Some(2_100_000), Some(61_000)));
        assert_eq!(
            reading.shares.unwrap().busy,
            Duration::from_nanos(980 * 1_000_000_000 / rustix::param::clock_ticks_per_second())
        );
        assert_eq!((&gauges.no_frequency, gauges.cpus()), (&None, 1));
    }

    #[test]
    fn guest_has_reasons_and_steal_time() {
        let gauges = Gauges::of(samples::guest(), vec![0, 1]);
        let reading = gauges.read();
        assert_eq!((reading.frequency, reading.temperature), (None, None));
        let reason = gauges.no_frequency.unwrap();
        if cfg!(target_os = "linux") {
            assert!(reason.starts_with("there is no /sys/devices/system/cpu/cpu0/cpufreq"), "{reason}");
        }
        assert_eq!(shares(samples::STAT_GUEST, &[0, 1], 100).unwrap().steal, Duration::from_millis(26_350));
        assert!(reading.shares.is_some());
    }

    #[test]
    fn phone_has_several_frequencies_and_odd_sensors() {
        let cpu = "sys/devices/system/cpu";
        let files = [
            (format!("{cpu}/cpu0/cpufreq/scaling_cur_freq"), "1000000\n"),
            (format!("{cpu}/cpu1/cpufreq/scaling_cur_freq"), "2000000\n"),
            (format!("{cpu}/cpu2/cpufreq/cpuinfo_cur_freq"), "nothing\n"),
            (format!("{cpu}/cpu3/cpufreq/scaling_cur_freq"), "0\n"),
            ("sys/class/thermal/thermal_zone0/type".into(), "cpu-0-0-usr\n"),
            ("sys/class/thermal/thermal_zone0/temp".into(), "-40000\n"),
            ("sys/class/thermal/thermal_zone1/type".into(), "battery\n"),
            ("sys/class/thermal/thermal_zone1/temp".into(), "31000\n"),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let reading = Gauges::of(Tree::of(&files), vec![0, 1, 2, 3]).read();
        assert_eq!(reading, Reading { frequency: Some(1_500_000), temperature: None, shares: None });
    }

    #[test]
    fn lines_that_are_not_of_a_cpu_are_ignored() {
        for text in ["", "cpu0 1 2 3\n", "cpu1 1 2 3 4 5 6 7 8\n", "cpu0 a b c d e f g h\n"] {
            assert_eq!(shares(text, &[0], 100), None, "{text}");
        }
        assert!(shares("cpu0 18446744073709551615 1 1 1 1 1 1 18446744073709551615", &[0], 100).is_some());
        assert_eq!(Gauges::of(samples::empty(), vec![0]).read(), Reading::default());
    }
}
