// The service worker: keeps the page, so that it opens without a network, and adds the headers of cross-origin isolation, which many hosts
// cannot. A new build is another file, so browsers take its page the next time it is opened.

/** What the page consists of, and its hash; written in when it is built. */
declare const __FILES__: { hash: string; files: string[] };

/** What a service worker has, of what TypeScript's library for pages does not know. */
interface Extendable extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetched extends Event {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Scope extends EventTarget {
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}

const PREFIX = 'ciphermeter-';
const { hash, files } = __FILES__;
const cached = `${PREFIX}${hash}`;
const scope = self as unknown as Scope;
const index = new URL('./', location.href).href;

async function install(): Promise<void> {
  const cache = await caches.open(cached);
  // Other files have other names in another build, so what the browser's own cache holds of them is right.
  await cache.addAll([new Request(index, { cache: 'no-cache' }), ...files]);
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== cached);
  await Promise.all(old.map((name) => caches.delete(name)));
  await scope.clients.claim();
}

function isolated(response: Response): Response {
  // A redirection is opaque: the browser follows it.
  if (response.type === 'opaqueredirect') return response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** Whatever stands behind the page's address, it is the same page. */
async function answered(request: Request): Promise<Response> {
  const isPage = request.mode === 'navigate' && request.url.split(/[?#]/)[0] === index;
  const kept = await caches.match(isPage ? index : request, { cacheName: cached });
  return isolated(kept ?? (await fetch(request)));
}

scope.addEventListener('install', (event) => (event as Extendable).waitUntil(install()));
scope.addEventListener('activate', (event) => (event as Extendable).waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const { request } = event as Fetched;
  if (request.method === 'GET' && new URL(request.url).origin === location.origin) (event as Fetched).respondWith(answered(request));
});
