// Builds the two WebAssembly modules, of the ciphers with and without vectors, into build/wasm. Rust with the target
// wasm32-unknown-unknown is enough: `rustup target add wasm32-unknown-unknown`. Where only Debian's rustc-web is, with rust-web-src and
// lld, the standard library is built, too.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('..', import.meta.url));
const out = join(page, 'build', 'wasm');
const TARGET = 'wasm32-unknown-unknown';

function said(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Whether the target's standard library is installed, as rustup does. */
function hasTarget() {
  const folder = said(process.env.RUSTC ?? 'rustc', ['--print', 'target-libdir', '--target', TARGET]);
  return folder !== null && existsSync(folder);
}

/** Arguments and environment with which cargo builds for the target; an error says what to install. */
function toolchain() {
  if (hasTarget()) return { args: [], env: {} };
  const linker = ['wasm-ld', 'wasm-ld-19', 'wasm-ld-16'].find((name) => said(name, ['--version']) !== null);
  const sources = said('/usr/bin/rustc', ['--print', 'sysroot']);
  if (linker === undefined || sources === null || !existsSync(join(sources, 'lib/rustlib/src/rust/library'))) {
    process.stderr.write(`Rust has no ${TARGET} here; install it with: rustup target add ${TARGET}\n`);
    process.exit(77);
  }
  const variable = `CARGO_TARGET_${TARGET.toUpperCase().replaceAll('-', '_')}_LINKER`;
  return {
    args: ['-Zbuild-std=std,panic_abort'],
    env: { RUSTC_BOOTSTRAP: '1', RUSTC: '/usr/bin/rustc', [variable]: linker },
  };
}

const { args, env } = toolchain();

/** Paths of this machine stand in no module: a release is the same from wherever it is built. */
const home = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
const REMAPPED = [`--remap-path-prefix=${join(page, '..')}=/ciphermeter`, `--remap-path-prefix=${home}=/cargo`];

function build(crate, profile, name, ...flags) {
  const target = join(page, 'build', flags.length === 0 ? 'target' : 'target-simd');
  const cargo = ['build', '--locked', '--profile', profile, '--target', TARGET, '-p', `ciphermeter-page-${crate}`, ...args];
  const { status } = spawnSync(process.env.CARGO ?? 'cargo', cargo, {
    cwd: page,
    stdio: 'inherit',
    env: { ...process.env, ...env, CARGO_TARGET_DIR: target, CARGO_ENCODED_RUSTFLAGS: [...REMAPPED, ...flags].join('\x1f') },
  });
  if (status !== 0) {
    process.stderr.write(`page/${crate} was not built; see above\n`);
    process.exit(1);
  }
  copyFileSync(join(target, TARGET, profile, `ciphermeter_page_${crate}.wasm`), join(out, name));
}

mkdirSync(out, { recursive: true });
build('ciphers', 'release', 'ciphers.wasm');
build('ciphers', 'release', 'ciphers-simd.wasm', '-Ctarget-feature=+simd128');
build('estimator', 'small', 'estimator.wasm');
