//! Four machines as files, for tests: a laptop, an Arm server, a virtual machine, a phone.

use crate::tree::Tree;

pub(crate) const CPUINFO_LAPTOP: &str = "processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 140
model name\t: 11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz
stepping\t: 1
microcode\t: 0xb4
cpu MHz\t\t: 2100.000
flags\t\t: fpu vme de pse tsc msr sse sse2 ht pni pclmulqdq ssse3 aes avx avx2 sha_ni vaes vpclmulqdq

processor\t: 7
vendor_id\t: GenuineIntel
model name\t: 11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz
microcode\t: 0xb4
";

pub(crate) const CPUINFO_ARM: &str = "processor\t: 0
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1

processor\t: 1
BogoMIPS\t: 50.00
CPU implementer\t: 0x41
CPU architecture: 8
CPU part\t: 0xd0c
";

/// A phone's, with the blocks of equal cores omitted.
pub(crate) const CPUINFO_PHONE: &str = "processor\t: 0
BogoMIPS\t: 38.40
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm sve2 sveaes
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0xd46
CPU revision\t: 3

processor\t: 4
CPU implementer\t: 0x41
CPU part\t: 0xd47

processor\t: 7
CPU implementer\t: 0x41
CPU part\t: 0xd48

Hardware\t: Qualcomm Technologies, Inc SM8450
";

pub(crate) const STAT_GUEST: &str = "cpu  32792 0 7247 242286 763 3 82 2635 0 0
cpu0 15813 0 3377 122145 156 0 15 35 0 0
cpu1 16978 0 3870 120140 606 3 66 2600 0 0
intr 447847 0 0 0 283 130
ctxt 664151
btime 1795296603
";

/// A laptop with hyperthreads, on battery, with an on-demand governor.
pub(crate) fn laptop() -> Tree {
    Tree::of(&[
        ("proc/cpuinfo", CPUINFO_LAPTOP),
        ("proc/loadavg", "2.61 1.12 0.80 3/1821 77123\n"),
        (
            "proc/meminfo",
            "MemTotal:       16051740 kB\nMemFree:         1020304 kB\nMemAvailable:   10380980 kB\n\
             SwapTotal:       8388604 kB\nSwapFree:        7340028 kB\n",
        ),
        ("proc/stat", "cpu7 900 0 80 9000 10 5 5 0 0 0\nctxt 100\n"),
        ("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"),
        ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
        ("sys/class/dmi/id/sys_vendor", "LENOVO\n"),
        ("sys/class/dmi/id/product_name", "20XWCTO1WW\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
        ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n"),
        ("sys/devices/system/cpu/online", "0-7\n"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
        ("sys/devices/system/cpu/cpu7/topology/thread_siblings_list", "3,7\n"),
        ("sys/devices/system/cpu/cpu7/thermal_throttle/core_throttle_count", "12\n"),
        ("sys/devices/system/cpu/cpu7/cpufreq/scaling_governor", "powersave\n"),
        ("sys/devices/system/cpu/cpu7/cpufreq/scaling_driver", "intel_pstate\n"),
        ("sys/devices/system/cpu/cpu7/cpufreq/cpuinfo_min_freq", "400000\n"),
        ("sys/devices/system/cpu/cpu7/cpufreq/cpuinfo_max_freq", "4800000\n"),
        ("sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq", "2100000\n"),
        ("sys/devices/system/cpu/cpu7/cache/index0/level", "1\n"),
        ("sys/devices/system/cpu/cpu7/cache/index0/type", "Data\n"),
        ("sys/devices/system/cpu/cpu7/cache/index0/size", "48K\n"),
        ("sys/devices/system/cpu/cpu7/cache/index0/shared_cpu_list", "3,7\n"),
        ("sys/devices/system/cpu/cpu7/cache/index1/level", "1\n"),
        ("sys/devices/system/cpu/cpu7/cache/index1/type", "Instruction\n"),
        ("sys/devices/system/cpu/cpu7/cache/index1/size", "32K\n"),
        ("sys/devices/system/cpu/cpu7/cache/index2/level", "2\n"),
        ("sys/devices/system/cpu/cpu7/cache/index2/type", "Unified\n"),
        ("sys/devices/system/cpu/cpu7/cache/index2/size", "1280K\n"),
        ("sys/devices/system/cpu/cpu7/cache/index2/shared_cpu_list", "3,7\n"),
        ("sys/devices/system/cpu/cpu7/cache/index3/level", "3\n"),
        ("sys/devices/system/cpu/cpu7/cache/index3/type", "Unified\n"),
        ("sys/devices/system/cpu/cpu7/cache/index3/size", "12288K\n"),
        ("sys/devices/system/cpu/cpu7/cache/index3/shared_cpu_list", "0-7\n"),
        ("sys/class/power_supply/AC/type", "Mains\n"),
        ("sys/class/power_supply/AC/online", "0\n"),
        ("sys/class/power_supply/BAT0/type", "Battery\n"),
        ("sys/class/power_supply/BAT0/status", "Discharging\n"),
        ("sys/class/thermal/thermal_zone0/type", "acpitz\n"),
        ("sys/class/thermal/thermal_zone0/temp", "90000\n"),
        ("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n"),
        ("sys/class/thermal/thermal_zone1/temp", "61000\n"),
        ("sys/class/hwmon/hwmon3/name", "coretemp\n"),
        ("sys/class/hwmon/hwmon3/temp1_input", "60000\n"),
        ("sys/class/powercap/intel-rapl/enabled", "1\n"),
        ("sys/class/powercap/intel-rapl:0/name", "package-0\n"),
        ("sys/class/powercap/intel-rapl:0/energy_uj", "123456789\n"),
        ("sys/class/powercap/intel-rapl:0:0/name", "core\n"),
        ("sys/class/powercap/intel-rapl:0:0/energy_uj", "23456789\n"),
    ])
}

/// A quiet Arm server of two cores with the right governor.
pub(crate) fn server() -> Tree {
    Tree::of(&[
        ("proc/cpuinfo", CPUINFO_ARM),
        ("proc/loadavg", "0.02 0.03 0.00 1/200 4242\n"),
        ("proc/meminfo", "MemTotal: 65000000 kB\nMemAvailable: 64000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"),
        ("proc/stat", "cpu1 900 0 80 9000 10 0 5 0 0 0\nctxt 100\n"),
        ("proc/self/cgroup", "0::/\n"),
        ("etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n"),
        ("sys/class/dmi/id/sys_vendor", "GIGABYTE\n"),
        ("sys/class/dmi/id/product_name", "R272-P30-JG\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n"),
        ("sys/devices/system/cpu/online", "0-1\n"),
        ("sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n"),
        ("sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n"),
        ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_driver", "cppc_cpufreq\n"),
    ])
}

/// A KVM guest in a container: partly unknown, limited, with steal time.
pub(crate) fn guest() -> Tree {
    Tree::of(&[
        ("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor aes vaes\n"),
        ("proc/loadavg", "1.40 0.39 0.26 1/91 14553\n"),
        ("proc/meminfo", "MemTotal: 24684092 kB\nMemAvailable: 24285260 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"),
        ("proc/stat", STAT_GUEST),
        ("proc/self/cgroup", "0::/\n"),
        ("sys/fs/cgroup/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/memory.max", "268435456\n"),
        ("sys/fs/cgroup/memory.current", "104857600\n"),
        ("sys/fs/cgroup/memory.stat", "anon 73400320\ninactive_file 20971520\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
        ("sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock hpet \n"),
        ("sys/devices/system/cpu/online", "0-1\n"),
        ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n"),
    ])
}

/// A phone with four slow cores, three faster ones and one fastest; it has no `/proc/stat`.
pub(crate) fn phone() -> Tree {
    let capacity = |cpu: usize| ["325", "325", "325", "325", "828", "828", "828", "1024"][cpu];
    let files: Vec<(String, &str)> =
        (0..8).map(|cpu| (format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"), capacity(cpu))).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    files.extend([("proc/cpuinfo", CPUINFO_PHONE), ("sys/devices/system/cpu/online", "0-7\n")]);
    Tree::of(&files)
}

/// A machine without any of the files.
pub(crate) fn empty() -> Tree {
    Tree::of(&[])
}
