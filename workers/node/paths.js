// The code path of Node's OpenSSL on this CPU. Node does not report it, so it
// is derived from OpenSSL's rules and from the CPU's flags that Linux lists,
// less those that OPENSSL_ia32cap masks:
// - AES-GCM: VAES with AVX-512 since 3.1 (aes-gcm-avx512.pl); aesni_gcm_encrypt
//   needs AVX and MOVBE (aesni-gcm-x86_64.pl);
// - ChaCha20: the widest of AVX-512F, AVX2, SSSE3 (chacha-x86_64.pl).
// Where these may not apply (other versions, other CPUs) the path is unknown.

import { readFileSync } from 'node:fs';

/** The flags in OPENSSL_ia32cap's two words: the word, and the bit. */
const BITS = {
  pclmulqdq: [0, 33],
  ssse3: [0, 41],
  movbe: [0, 54],
  aes: [0, 57],
  avx: [0, 60],
  avx2: [1, 5],
  avx512f: [1, 16],
  avx512dq: [1, 17],
  avx512bw: [1, 30],
  avx512vl: [1, 31],
  vaes: [1, 41],
  vpclmulqdq: [1, 42],
};

const AVX512 = ['avx512f', 'avx512dq', 'avx512bw', 'avx512vl'];

/** The path of an algorithm here. */
export function openSSLPath(/** @type {string} */ algorithm) {
  if (process.arch !== 'x64') return 'unknown';
  return pathOn(algorithm, process.versions.openssl, cpuFlags(), process.env.OPENSSL_ia32cap);
}

/**
 * The path of an algorithm on an x86-64 CPU.
 *
 * @param {string} algorithm
 * @param {string | undefined} version OpenSSL's
 * @param {Set<string> | null} flags the CPU's, by Linux's names
 * @param {string | undefined} mask the value of OPENSSL_ia32cap
 */
export function pathOn(algorithm, version, flags, mask) {
  const [, minor] = /^3\.([0-5])\./.exec(version ?? '') ?? [];
  const masked = maskedWords(mask);
  if (process.config.variables.openssl_no_asm || minor === undefined || !flags || !masked) return 'unknown';
  const has = (/** @type {string[]} */ ...names) =>
    names.every((name) => {
      const [word, bit] = BITS[name];
      return flags.has(name) && ((masked[word] >> BigInt(bit)) & 1n) === 0n;
    });
  if (algorithm.startsWith('chacha20')) {
    return has('avx512f') ? 'avx512' : has('avx2') ? 'avx2' : has('ssse3') ? 'ssse3' : 'soft';
  }
  if (algorithm.endsWith('-gcm')) {
    if (Number(minor) >= 1 && has('vaes', 'vpclmulqdq', ...AVX512)) return 'vaes-avx512';
    if (has('aes', 'pclmulqdq', 'avx', 'movbe')) return 'aesni-avx';
  }
  return has('aes') ? 'aesni' : has('ssse3') ? 'ssse3' : 'soft';
}

/** The bits cleared in each word, of the form `~0x…:~0x…` or `:~0x…`; null for another form. */
function maskedWords(/** @type {string | undefined} */ mask) {
  if (mask === undefined) return [0n, 0n];
  const words = /^(?:~(0x[0-9a-f]{1,16}))?(?::~(0x[0-9a-f]{1,16}))?$/i.exec(mask);
  return words && [BigInt(words[1] ?? 0), BigInt(words[2] ?? 0)];
}

/** The flags of the first CPU; null where the system does not list them. Format: proc_cpuinfo(5). */
function cpuFlags() {
  try {
    const found = /^flags\s*: (.*)$/m.exec(readFileSync('/proc/cpuinfo', 'latin1'));
    return found && new Set(found[1].split(' '));
  } catch {
    return null;
  }
}
