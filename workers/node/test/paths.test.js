import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOn } from '../paths.js';

const AVX512 = ['avx512f', 'avx512dq', 'avx512bw', 'avx512vl'];
const WIDE = new Set(['pclmulqdq', 'ssse3', 'movbe', 'aes', 'avx', 'avx2', ...AVX512, 'vaes', 'vpclmulqdq']);
const NO_ASM = process.config.variables.openssl_no_asm;

test('the code path follows version, flags and mask', { skip: NO_ASM && 'this Node has no assembly' }, () => {
  for (const [version, mask, gcm, ctr, chacha] of [
    ['3.0.19', undefined, 'aesni-avx', 'aesni', 'avx512'],
    ['3.5.4', undefined, 'vaes-avx512', 'aesni', 'avx512'],
    ['3.5.4', '~0x200000200000000:~0x60000000000', 'ssse3', 'ssse3', 'avx512'],
    ['3.5.4', ':~0x60000000000', 'aesni-avx', 'aesni', 'avx512'],
    ['3.5.4', ':~0xd0230000', 'aesni-avx', 'aesni', 'avx2'],
    ['3.5.4', ':~0x600d0230020', 'aesni-avx', 'aesni', 'ssse3'],
    ['3.5.4', '0x0', 'unknown', 'unknown', 'unknown'],
    ['4.0.0', undefined, 'unknown', 'unknown', 'unknown'],
    ['1.1.1', undefined, 'unknown', 'unknown', 'unknown'],
  ]) {
    const got = ['aes-256-gcm', 'aes-256-ctr', 'chacha20-poly1305'].map((name) => pathOn(name, version, WIDE, mask));
    assert.deepEqual(got, [gcm, ctr, chacha], `${version} ${mask}`);
  }
  assert.equal(pathOn('aes-256-gcm', '3.0.19', new Set(), undefined), 'soft');
  assert.equal(pathOn('aes-256-gcm', '3.0.19', null, undefined), 'unknown');
});
