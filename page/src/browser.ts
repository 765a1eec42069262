// What the browser says that it is. Some say less than is so, to be told apart less well; what they do not say is absent.

interface Brand {
  brand: string;
  version: string;
}

interface Brands {
  brands: Brand[];
  platform: string;
  getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: Brand[] }>;
}

const brands = () => (navigator as { userAgentData?: Brands }).userAgentData;
const isChromium = ({ brand }: Brand) => brand === 'Chromium';

/** The engine and its version, as the browser names itself: `Chromium 156`, `Firefox 153`, `Safari 26`. */
export function browser(agent: string = navigator.userAgent): string {
  const chromium = brands()?.brands.find(isChromium);
  if (chromium !== undefined) return `Chromium ${chromium.version}`;
  const named: [RegExp, string][] = [
    [/Firefox\/(\d+)/, 'Firefox'],
    [/Chrom(?:e|ium)\/(\d+)/, 'Chromium'],
    [/Version\/(\d+).*Safari\//, 'Safari'],
  ];
  for (const [pattern, name] of named) {
    const version = pattern.exec(agent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return 'unknown browser';
}

/** The same with all of its version, where the browser tells it: what it measures itself with is known by nothing else. */
export async function exactBrowser(): Promise<string> {
  try {
    const chromium = (await brands()?.getHighEntropyValues(['fullVersionList']))?.fullVersionList?.find(isChromium);
    if (chromium !== undefined) return `Chromium ${chromium.version}`;
  } catch {
    // It does not tell.
  }
  return browser();
}

/** The platform, as far as the browser tells it. */
export function platform(agent: string = navigator.userAgent): string {
  const said = brands()?.platform;
  if (said !== undefined && said !== '') return said;
  const known: [RegExp, string][] = [
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Mac OS X/, 'macOS'],
    [/Windows/, 'Windows'],
    [/Linux/, 'Linux'],
  ];
  return known.find(([pattern]) => pattern.test(agent))?.[1] ?? 'unknown platform';
}
