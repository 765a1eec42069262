package ciphermeter;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** The memory of this process and of the Java heap, in bytes; each value known or absent, never guessed. */
final class Memory {
    private static final List<MemoryPoolMXBean> POOLS = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();

    private boolean counting; // since the first reset
    private boolean peakStands; // since a reset that failed to reset it
    private long allocatedBefore;

    /** The answer to `memory`. */
    byte[] report() {
        OptionalLong peak = peakStands ? OptionalLong.empty() : kernelField("/proc/self/status", "VmHWM:");
        return Line.is("memory")
                .maybe("rss", kernelField("/proc/self/status", "VmRSS:"))
                .maybe("peak_rss", peak)
                .number(
                        "heap",
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed())
                .maybe("peak_heap", counting ? peakHeap() : OptionalLong.empty())
                .maybe("allocated", counting ? allocatedSince() : OptionalLong.empty())
                .text("counter", "MemoryMXBean")
                .end();
    }

    /** Resets the peaks and the sum. Garbage is collected first: it is not in use. */
    void reset() {
        System.gc();
        POOLS.forEach(MemoryPoolMXBean::resetPeakUsage);
        peakStands = !resetPeakResident();
        counting = true;
        allocatedBefore = allocated().orElse(0);
    }

    /** The pools' peaks need not coincide, so this is an upper bound. */
    private static OptionalLong peakHeap() {
        return OptionalLong.of(
                POOLS.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum());
    }

    private OptionalLong allocatedSince() {
        OptionalLong now = allocated();
        return now.isPresent() ? OptionalLong.of(now.getAsLong() - allocatedBefore) : now;
    }

    /** All that this thread, which does all the work, has ever allocated. */
    private static OptionalLong allocated() {
        boolean counts = ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
                && threads.isThreadAllocatedMemorySupported()
                && threads.isThreadAllocatedMemoryEnabled();
        return counts
                ? OptionalLong.of(((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes())
                : OptionalLong.empty();
    }

    /** Format: proc_pid_clear_refs(5). */
    private static boolean resetPeakResident() {
        try {
            Files.writeString(Path.of("/proc/self/clear_refs"), "5");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The most that large arrays may take: they are in the largest part of the heap, the old generation. */
    static long heapForArrays() {
        long most =
                POOLS.stream().mapToLong(pool -> pool.getUsage().getMax()).max().orElse(-1);
        return most > 0 ? most : Runtime.getRuntime().maxMemory();
    }

    /** The memory that may be allocated without swapping. */
    static OptionalLong free() {
        return kernelField("/proc/meminfo", "MemAvailable:");
    }

    /** A field that Linux gives in kB (1024 bytes). Format: proc_pid_status(5), proc_meminfo(5). */
    private static OptionalLong kernelField(String file, String name) {
        try {
            for (String line : Files.readAllLines(Path.of(file))) {
                String[] words = line.split("\\s+");
                if (words.length == 3 && words[0].equals(name) && words[2].equals("kB")) {
                    return OptionalLong.of(Long.parseLong(words[1]) * 1024);
                }
            }
        } catch (IOException | NumberFormatException e) {
            // no such file here, or not in this format: unknown
        }
        return OptionalLong.empty();
    }
}
