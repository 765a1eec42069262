// The battery, where the browser tells of it, as Chromium does. It is only said: no browser tells power, heat or a low-power mode.

interface Battery {
  charging: boolean;
  level: number;
}

export interface Power {
  isOnBattery: boolean;
  percent: number;
}

/** What the browser tells now; null: nothing. */
export async function power(): Promise<Power | null> {
  try {
    const battery = await (navigator as { getBattery?(): Promise<Battery> }).getBattery?.();
    return battery === undefined ? null : { isOnBattery: !battery.charging, percent: Math.round(100 * battery.level) };
  } catch {
    return null; // it may be forbidden
  }
}

/** `83 %`, or `83 % to 81 %`: the first of some readings, and the last. A full one on mains may be none: browsers tell both alike. */
export function levels(readings: readonly Power[]): string | null {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (readings.every(({ isOnBattery, percent }) => !isOnBattery && percent === 100)) return null;
  return first.percent === last.percent ? `${first.percent} %` : `${first.percent} % to ${last.percent} %`;
}

/** As the binary has it: `battery` or `mains`. */
export function supply(readings: readonly Power[]): 'battery' | 'mains' | null {
  if (readings.length === 0) return null;
  return readings.some(({ isOnBattery }) => isOnBattery) ? 'battery' : 'mains';
}
