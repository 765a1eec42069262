// The team's server in a real browser, headless: `node test/browser/team.mjs chrome|firefox FOLDER [TEXT]`, of the checks those whose name has the
// text. CIPHERMETER and CIPHERMETER_SERVE name both programs, GOLDENS a folder of stored runs. A line a check; screenshots lie in FOLDER afterwards.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { certificate, home, proxied, served } from '../team-server.mjs';
import { asked, ran, started } from './browser.mjs';
import { guests } from './guests.mjs';
import { live } from './live.mjs';
import { teamLooks } from './team-looks.mjs';

const { kind, folder, only } = asked();
const site = (name) => fileURLToPath(new URL(`../../build/${name}`, import.meta.url));
const { browser, opened } = await started(kind);
const dark = await started(kind, { prefersDark: true });

const own = home();
for (const name of ['runs', 'scenarios']) copyFileSync(join(process.env.GOLDENS, `${name}.db`), join(own.folder, `${name}.db`));
const database = ['--database', `sqlite:${join(own.folder, 'team.db')}`];

// Tokens first, then the server behind a proxy, then two runs: as docs/team.md says.
const token = async (name, scope) => (await own.serve(['serve', 'token', 'add', name, '--scope', scope, ...database])).trim();
const push = await token('ci', 'push');
const read = await token('people', 'read');
const admin = await token('operator', 'admin');
const server = await served(own, ['--behind-proxy', '--page', site('site'), ...database]);
const { file, key } = certificate(own.folder);
const proxy = await proxied(server.address, { file, key });
const pushed = [];
for (const [machine, store, run] of [
  ['web-1', 'runs', '1'],
  ['db-1', 'runs', '8'],
]) {
  const words = [
    'push',
    run,
    '--store',
    join(own.folder, `${store}.db`),
    '--to',
    proxy.address,
    '--machine',
    machine,
    '--certificate',
    file,
  ];
  pushed.push(/\/runs\/([0-9a-f]{64}) /.exec(await own.serve(words, { CIPHERMETER_TOKEN: push }))[1]);
}
// Without tokens, with simulated providers.
const plain = await served(own, ['--page', site('test'), '--database', `sqlite:${join(own.folder, 'plain.db')}`]);
const link = async () => (await own.serve(['serve', 'join', proxy.address, ...database])).trim();

const given = { own, proxy, plain, link, pushed, tokens: { push, read, admin }, database, folder, kind };
const checks = { ...guests({ opened }), ...live({ opened }), ...teamLooks({ opened, darkly: dark.opened }) };
const failed = await ran(kind, checks, only, given);
await Promise.all([browser.close(), dark.browser.close()]);
proxy.stop();
await Promise.all([server.stop(), plain.stop()]);
own.remove();
process.exit(failed > 0 ? 1 : 0);
