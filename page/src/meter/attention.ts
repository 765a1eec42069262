// Whether the page had the machine's attention during a round: it was visible, and its clock went on as the calendar did.

export type Inattention = 'hidden' | 'suspended';

/** Two clocks that differ by more were not both going: the page, or the machine, was suspended. */
const DRIFT_MS = 100;

export class Attention {
  private wasHidden = false;
  private began = { monotonic: 0, calendar: 0 };
  private readonly listen = () => {
    if (this.page.hidden) this.wasHidden = true;
  };

  constructor(
    private readonly page: Document = document,
    private readonly monotonic: () => number = () => performance.now(),
    private readonly calendar: () => number = () => Date.now(),
  ) {
    page.addEventListener('visibilitychange', this.listen);
  }

  /** A round begins. */
  begin(): void {
    this.wasHidden = this.page.hidden;
    this.began = { monotonic: this.monotonic(), calendar: this.calendar() };
  }

  /** Why the round that ends does not count; null: it does. */
  end(): Inattention | null {
    const passed = this.monotonic() - this.began.monotonic;
    const drift = Math.abs(this.calendar() - this.began.calendar - passed);
    if (this.wasHidden || this.page.hidden) return 'hidden';
    return drift > DRIFT_MS ? 'suspended' : null;
  }

  /** Waits until the page is visible. */
  async visible(): Promise<void> {
    while (this.page.hidden) {
      await new Promise((resolve) => this.page.addEventListener('visibilitychange', resolve, { once: true }));
    }
  }

  stop(): void {
    this.page.removeEventListener('visibilitychange', this.listen);
  }
}
