// The team's server in a real browser, headless: `node test/browser/team.mjs chrome|firefox FOLDER [TEXT]`, of the checks those whose name has the
// text. CIPHERMETER and CIPHERMETER_SERVE name both programs, GOLDENS a folder of stored runs, DATABASE an empty PostgreSQL, without which there is
// SQLite. A line a check; screenshots lie in FOLDER afterwards.

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
const stores = Object.fromEntries(['runs', 'scenarios'].map((name) => [name, join(own.folder, `${name}.db`)]));
for (const [name, file] of Object.entries(stores)) copyFileSync(join(process.env.GOLDENS, `${name}.db`), file);
const database = ['--database', process.env.DATABASE ?? `sqlite:${join(own.folder, 'team.db')}`];

// Tokens first, then the server behind a proxy, then two runs: as docs/team.md says.
const token = async (name, scope) => (await own.serve(['serve', 'token', 'add', name, '--scope', scope, ...database])).trim();
const tokens = { push: await token('ci', 'push'), read: await token('people', 'read'), admin: await token('operator', 'admin') };
const server = await served(own, ['--behind-proxy', '--page', site('site'), ...database]);
const { file, key } = certificate(own.folder);
const proxy = await proxied(server.address, { file, key });
const pushed = [];
const push = async (words) => {
  const said = await own.serve(['push', ...words, '--to', proxy.address, '--certificate', file], { CIPHERMETER_TOKEN: tokens.push });
  pushed.push(/\/runs\/([0-9a-f]{64}) /.exec(said)[1]);
};
// One of another day, and one that is measured now.
await push(['1', '--store', stores.scenarios, '--machine', 'web-1']);
await own.measuring(['run', 'messages', '--provider', 'openssl', '--message', '1KiB,16KiB', '--budget', '12s']).ended;
await push(['--machine', 'db-1']);

// With simulated providers: the same without tokens, and a proxy before one on which checks may do harm.
const [plainDatabase, otherDatabase] = ['plain', 'other'].map((name) => ['--database', `sqlite:${join(own.folder, `${name}.db`)}`]);
const plain = await served(own, ['--certificate', file, '--key', key, '--page', site('test'), ...plainDatabase]);
await own.serve(['serve', 'token', 'add', 'ci', '--scope', 'push', ...otherDatabase]);
const otherServer = await served(own, ['--behind-proxy', '--page', site('test'), ...otherDatabase]);
const other = { ...(await proxied(otherServer.address, { file, key })), database: otherDatabase };
const link = async ({ address }, database) => (await own.serve(['serve', 'join', address, ...database])).trim();

const given = { own, certificate: file, stores, proxy, other, plain, link, pushed, tokens, database, folder, kind };
const checks = { ...guests({ opened }), ...live({ opened, darkly: dark.opened }), ...teamLooks({ opened, darkly: dark.opened }) };
const failed = await ran(kind, checks, only, given);
await Promise.all([browser.close(), dark.browser.close()]);
for (const { stop } of [proxy, other]) stop();
await Promise.all([server, plain, otherServer].map(({ stop }) => stop()));
own.remove();
process.exit(failed > 0 ? 1 : 0);
