// Registers the service worker, and opens the page again where its headers are what the host lacks.

/** In `sessionStorage`: the page was opened again to be isolated, and measures then. */
const AGAIN = 'ciphermeter-again';
/** A network that takes longer leaves the page as the host serves it. */
const MOST_MS = 10_000;

/** Whether this is the page that was opened again. */
export function isAgain(): boolean {
  try {
    const is = sessionStorage.getItem(AGAIN) !== null;
    sessionStorage.removeItem(AGAIN);
    return is;
  } catch {
    return false; // a browser that keeps nothing
  }
}

/** Whether the service worker serves the page from now on; browsers have none in private windows and over plain HTTP. */
async function registered(): Promise<boolean> {
  try {
    // It loads all files, and the page's own come first.
    if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
    if (!('serviceWorker' in navigator)) return false;
    await navigator.serviceWorker.register('./service.js');
    const late = new Promise<null>((resolve) => setTimeout(resolve, MOST_MS, null));
    return (await Promise.race([navigator.serviceWorker.ready, late])) !== null;
  } catch {
    return false;
  }
}

/** Resolves when the page may measure; where it has to be opened again before, it never does. */
export function prepared(isSecondTry: boolean): () => Promise<void> {
  const registering = registered();
  return async () => {
    if (globalThis.crossOriginIsolated || isSecondTry || !(await registering)) return;
    try {
      sessionStorage.setItem(AGAIN, 'yes');
    } catch {
      return; // a browser that keeps nothing would open it again and again
    }
    location.reload();
    await new Promise(() => {});
  };
}
