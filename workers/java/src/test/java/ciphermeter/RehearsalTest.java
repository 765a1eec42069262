package ciphermeter;

import java.util.List;
import org.junit.jupiter.api.Test;

class RehearsalTest {
    /** The rehearsal's calls are no iterations of a cell, and what the JVM compiled in it computes the same. */
    @Test
    void samplesAfterItAreRight() throws Refusal {
        WorkerTest.leftIsWhatIsMadeAnew(new Worker(List.of("sunjce")), WorkerTest.GCM);
    }
}
