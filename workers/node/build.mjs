// Installs the packages that package-lock.json names under build/: `node
// build.mjs` those that are measured, `node build.mjs dev` the formatter and
// linter, too. `node build.mjs check` only says whether Node and npm are here.
//
// build/installed exists only after success; where it stands for the same lock
// file, there is nothing to do.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WANTED = [20, 19];
const FILES = ['package.json', 'package-lock.json'];
const here = fileURLToPath(new URL('.', import.meta.url));
const build = join(here, 'build');
const stamp = join(build, 'installed');

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

function npm(args, cwd, stdio) {
  // On Windows npm is a script, which only a shell runs.
  return spawnSync('npm', args, { cwd, stdio, encoding: 'utf8', shell: process.platform === 'win32' });
}

/** What is here, in one line. */
function check() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1])) {
    fail(`Node ${process.versions.node} is here; the node worker wants ${WANTED.join('.')} or later`);
  }
  const found = npm(['--version'], here, ['ignore', 'pipe', 'ignore']);
  if (found.status !== 0) fail(`Node ${process.versions.node} is here, but no npm that runs; install npm beside it`);
  return `Node ${process.versions.node}, npm ${found.stdout.trim()}`;
}

function install(dev) {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(here, file)));
  const lock = hash.digest('hex');
  let done = [];
  try {
    done = readFileSync(stamp, 'utf8').split('\n');
  } catch {
    // not built yet
  }
  if (done[0] === lock && (!dev || done[1] === 'dev')) return;
  rmSync(stamp, { force: true });
  mkdirSync(build, { recursive: true });
  check();
  for (const file of FILES) copyFileSync(join(here, file), join(build, file));
  const omit = dev ? [] : ['--omit=dev'];
  const installed = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...omit], build, 'inherit');
  if (installed.status !== 0) fail('npm could not install the packages; see its messages above');
  writeFileSync(stamp, `${lock}\n${dev ? 'dev' : ''}\n`);
}

const [what] = process.argv.slice(2);
if (what === 'check') process.stdout.write(`${check()}\n`);
else if (what === undefined || what === 'dev') install(what === 'dev');
else fail(`${what} is nothing that build.mjs does; say check, dev or nothing`);
