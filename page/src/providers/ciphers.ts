// The functions of page/ciphers: RustCrypto's AEADs, SHA-256 and the contention probe, in one WebAssembly memory.

import type { Bytes, Keyed } from './provider';

interface Exports {
  memory: WebAssembly.Memory;
  key(): number;
  nonce(length: number): number;
  aad(length: number): number;
  text(length: number): number;
  set_up(algorithm: number): number;
  seal(length: number): number;
  open(length: number): number;
  sha256(length: number): number;
  probe(steps: number): number;
}

/** The algorithms by their numbers in page/ciphers. */
export const NUMBERED = ['aes-256-gcm', 'chacha20-poly1305', 'xchacha20-poly1305', 'aes-256-gcm-siv'];

export class Rejected extends Error {}

export class Ciphers {
  private readonly functions: Exports;
  private view: Bytes;
  private holds: Bytes | null = null;

  constructor(module: WebAssembly.Module) {
    this.functions = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.view = new Uint8Array(this.functions.memory.buffer as ArrayBuffer);
  }

  /** The contention probe; the sum means nothing. */
  probe(steps: number): number {
    return this.functions.probe(steps);
  }

  sha256(input: Bytes): Bytes {
    this.write(this.functions.text(Math.max(input.length, 32)), input);
    this.functions.sha256(input.length);
    return this.read(this.functions.text(32), 32);
  }

  /** An instance holds one key at a time, and reserves addresses that a page has few of: all keys of an algorithm take turns in one. */
  keyed(algorithm: string, key: Bytes, tag: number): Keyed {
    const held = () => {
      if (this.holds !== key) this.setUp(algorithm, key);
    };
    return {
      seal: (nonce, aad, message) => {
        held();
        return this.call('seal', nonce, aad, message, message.length + tag);
      },
      open: (nonce, aad, sealed) => {
        held();
        return this.call('open', nonce, aad, sealed, sealed.length);
      },
    };
  }

  private setUp(algorithm: string, key: Bytes): void {
    this.write(this.functions.key(), key);
    if (this.functions.set_up(NUMBERED.indexOf(algorithm)) === 0) throw new Error(`page/ciphers has no ${algorithm}`);
    this.holds = key;
  }

  /** Inputs are copied in and the output is copied out, as the generated bindings of an app do. */
  private call(what: 'seal' | 'open', nonce: Bytes, aad: Bytes, text: Bytes, room: number): Bytes {
    this.write(this.functions.nonce(nonce.length), nonce);
    this.write(this.functions.aad(aad.length), aad);
    const place = this.functions.text(room);
    this.write(place, text);
    const length = this.functions[what](text.length);
    if (length < 0) throw new Rejected('the tag is wrong');
    return this.read(place, length);
  }

  private write(place: number, bytes: Bytes): void {
    this.current().set(bytes, place);
  }

  private read(place: number, length: number): Bytes {
    return this.current().slice(place, place + length);
  }

  /** A memory that grew has another buffer. */
  private current(): Bytes {
    if (this.view.length === 0) this.view = new Uint8Array(this.functions.memory.buffer as ArrayBuffer);
    return this.view;
  }
}
