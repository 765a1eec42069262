/** The versions of what is measured, from lock files when the page is built. */
declare const __NOBLE__: string;
declare const __RUSTCRYPTO__: Readonly<Record<string, string>>;

declare module 'virtual:vectors' {
  const vectors: { [algorithm: string]: import('./worker/verify').Vector[] };
  export default vectors;
}
