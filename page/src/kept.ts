// What was measured last stays in this browser (IndexedDB): a tab that is closed at half loses only the fork that was being measured.

import type { Exported } from './meter/document';

const [DATABASE, STORE, KEY] = ['ciphermeter', 'runs', 'last'];

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as DOMException);
  });
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  const database = await done(request);
  const transaction = database.transaction(STORE, mode);
  for (const end of ['complete', 'abort']) transaction.addEventListener(end, () => database.close());
  return transaction.objectStore(STORE);
}

/** Keeps a run in place of the last one; false: the browser does not, or has no room. */
export async function keep(run: Exported): Promise<boolean> {
  try {
    await done((await store('readwrite')).put(run, KEY));
    return true;
  } catch {
    return false;
  }
}

/** The last run, one that the tab left open as interrupted; null: none. */
export async function kept(): Promise<Exported | null> {
  try {
    const last = (await done((await store('readonly')).get(KEY))) as Exported | undefined;
    if (last === undefined) return null;
    return last.run.status === 'open' ? { ...last, run: { ...last.run, status: 'interrupted' } } : last;
  } catch {
    return null; // a browser that keeps nothing
  }
}
