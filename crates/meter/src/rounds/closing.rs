//! What is said of a whole part when its measuring is over.

use ciphermeter_estimate::CarryOver;

use super::bench::Bench;
use crate::SinkError;

impl Bench<'_, '_> {
    /// Says what a reader should know of the whole part, and ends the processes.
    pub fn close(&mut self) -> Result<(), SinkError> {
        self.sum_up()?;
        self.pool.dismiss();
        self.pool.measured_until = self.pool.clock.now();
        let ruler = self.pilot.ruler;
        let (title, whose) = (self.sampling.title(), self.sampling.device().to_owned());
        self.pool.sink.note(&format!(
            "{whose}coarsest clock of all workers: steps of {} ns, {} ns per reading, {} ns per empty iteration",
            ruler.step_ns, ruler.call_ns, ruler.loop_ns
        ))?;
        for note in self.pool.compilations() {
            self.pool.sink.note(&note)?;
        }
        if !self.sampling.has_carry_over() {
            // What concerns samples of a third of a millisecond says nothing of longer ones.
            return Ok(());
        }
        let notes = [self.warmups(), self.harness_used(), self.speeds.note(), self.shared(), self.carried_over()];
        for note in notes.into_iter().flatten() {
            self.pool.sink.note(&format!("{title}{note}"))?;
        }
        Ok(())
    }

    fn warmups(&self) -> Option<String> {
        let warmups: Vec<u64> = self.pilot.settings.iter().flatten().map(|setting| setting.warmup_ns / 1000).collect();
        let (least, most) = (warmups.iter().min()?, warmups.iter().max()?);
        let longer = warmups.iter().filter(|warmup| *warmup > least).count();
        let cells = warmups.len();
        Some(format!("warm-up {least} µs; {longer} of {cells} cells need more, at most {most} µs"))
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

    fn carried_over(&self) -> Option<String> {
        let CarryOver { usual, worst, cell } = self.part().carry_over()?;
        let (usual, worst, name) = (usual * 100.0, worst * 100.0, self.pool.name(cell));
        Some(format!("carry-over left after warm-up: {usual:+.2} % (median over cells), worst {worst:+.2} % ({name})"))
    }
}
