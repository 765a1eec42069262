//! What is said of a whole part when its measuring is over.

use super::bench::Bench;
use crate::SinkError;
use ciphermeter_core::Note;

impl Bench<'_, '_> {
    /// Says what a reader should know of the whole part, and ends the processes.
    pub fn close(&mut self) -> Result<(), SinkError> {
        self.sum_up()?;
        self.pool.dismiss();
        self.pool.measured_until = self.pool.clock.now();
        let ruler = self.pilot.ruler;
        let (title, whose) = (self.sampling.title(), self.sampling.device().to_owned());
        self.pool.sink.note(Note::method(format!(
            "{whose}coarsest clock of all workers: steps of {} ns, {} ns per reading, {} ns per empty iteration",
            ruler.step_ns, ruler.call_ns, ruler.loop_ns
        )))?;
        for note in self.pool.compilations() {
            self.pool.sink.note(Note::method(note))?;
        }
        if !self.sampling.shares_a_core() {
            // What concerns samples of a third of a millisecond says nothing of longer ones.
            return Ok(());
        }
        let notes = [Some(self.warmup()), self.harness_used(), self.speeds.note(), self.shared()];
        for note in notes.into_iter().flatten() {
            self.pool.sink.note(Note::method(format!("{title}{note}")))?;
        }
        Ok(())
    }

    fn warmup(&self) -> String {
        format!("warm-up before each sample: {} µs", self.pilot.plan.warmup_ns / 1000)
    }

    fn harness_used(&self) -> Option<String> {
        let (samples, cpu) = self.harness;
        let each = cpu.as_secs_f64() * 1e6 / samples as f64;
        let known = samples > 0 && !cpu.is_zero();
        known.then(|| format!("the harness used {each:.1} µs of CPU time per sample, over {samples} samples"))
    }

    fn shared(&self) -> Option<String> {
        let share = self.part().disturbed()? * 100.0;
        Some(format!("{share:.0} % of the samples were disturbed by other work on this core; ratios exclude them"))
    }
}
