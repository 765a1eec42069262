// The team's server as a process of the test's own, in a home of its own, and a proxy with a certificate before it, as docs/team.md has it.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const { CIPHERMETER, CIPHERMETER_SERVE } = process.env;

/** A home in which this user has nothing yet, and this project's programs in it. */
export function home() {
  const folder = mkdtempSync(join(tmpdir(), 'ciphermeter-team-'));
  const env = { HOME: folder, PATH: `${dirname(CIPHERMETER)}:/usr/bin:/bin` };
  const options = (more) => ({ env: { ...env, ...more }, encoding: 'utf8', cwd: folder });
  return {
    folder,
    /** What a command of the server's program prints; an exit code that says why it failed is thrown. */
    serve: async (words, more = {}) => (await promisify(execFile)(CIPHERMETER_SERVE, words, options(more))).stdout,
    /** A command that goes on. */
    begun: (program, words) => spawn(program, words, { ...options({}), stdio: ['ignore', 'pipe', 'inherit'] }),
    /** A run, and its end, which may be that not all could be measured. */
    measuring: (words) => {
      const child = spawn(CIPHERMETER, words, { ...options({}), stdio: 'ignore' });
      return { stop: () => child.kill('SIGINT'), ended: new Promise((resolve) => child.on('exit', resolve)) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts the server in a home, on a port that the system picks; its address, and how to stop it. */
export async function served(own, words, listen = '127.0.0.1:0') {
  const child = own.begun(CIPHERMETER_SERVE, ['serve', '--listen', listen, ...words]);
  // Whatever ends this process, no server stays.
  process.on('exit', () => child.kill());
  const [address] = await new Promise((resolve, reject) => {
    const lines = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line) && resolve(lines));
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners('exit').on('exit', resolve);
      child.kill('SIGTERM');
    });
  return { address, stop };
}

/** A certificate for 127.0.0.1 that nobody else signed. */
export function certificate(folder) {
  const [key, file] = [join(folder, 'proxy-key.pem'), join(folder, 'proxy.pem')];
  const subject = ['-subj', '/CN=team', '-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', file], { stdio: 'ignore' });
  return { key, file };
}

/**
 * A proxy that terminates TLS before an address of loopback. `asked` has what was asked of it; `answer` is given in the place of the
 * server's own to a push, `[status, body]`.
 */
export async function proxied(to, { key, file }) {
  const seen = { asked: [], answer: null };
  const forward = (incoming, outgoing) => {
    seen.asked.push(`${incoming.method} ${incoming.url}`);
    if (seen.answer !== null && incoming.method === 'POST') {
      const [status, body] = seen.answer;
      incoming.resume().on('end', () => outgoing.writeHead(status, { 'content-type': 'text/html' }).end(body));
      return;
    }
    const onward = request(to + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer({ key: readFileSync(key), cert: readFileSync(file) }, forward);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  const again = () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { address: `https://127.0.0.1:${port}`, seen, stop, again };
}
