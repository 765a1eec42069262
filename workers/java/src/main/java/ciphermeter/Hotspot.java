package ciphermeter;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What the JVM reports about its compiler and its own switches. */
final class Hotspot {
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean(); // null with -Xint
    private static final List<MemoryPoolMXBean> CODE = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> holdsFinishedCode(pool.getName()))
            .toList();

    private static final long STEP = 2048; // bytes
    private static long lastCode;
    private static long mark;

    private Hotspot() {}

    /** The pool of methods at their last stage; the only one where the JVM keeps all its code together. */
    private static boolean holdsFinishedCode(String pool) {
        return pool.contains("'non-profiled nmethods'") || pool.equals("CodeCache");
    }

    static boolean compiles() {
        return COMPILER != null;
    }

    /**
     * A number that changes when a method has been compiled for good: it counts the readings at which such code had
     * changed by 2 KiB or more. The time spent compiling and the code of the earlier stages show more, but hardly ever
     * stand still: for minutes, answering lines runs some method for the two hundredth time, and the first stage
     * compiles it then. Less than 2 KiB between two readings is an accessor or a bridge to native code.
     */
    static OptionalLong compilationMark() {
        if (COMPILER == null || CODE.isEmpty()) {
            return OptionalLong.empty();
        }
        long code = CODE.stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
        if (Math.abs(code - lastCode) >= STEP) {
            mark++;
        }
        lastCode = code;
        return OptionalLong.of(mark);
    }

    /** The value of a switch such as UseAES, as the JVM set it for this CPU. */
    static Optional<String> flag(String name) {
        HotSpotDiagnosticMXBean switches = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        try {
            return Optional.ofNullable(switches)
                    .map(known -> known.getVMOption(name).getValue());
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // this JVM has no such switch
        }
    }
}
