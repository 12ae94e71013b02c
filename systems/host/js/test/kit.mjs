// Builds what tests play with: the arena's module and its server, by the Go toolchain at hand.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tactus-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const go = (args, env = {}) => execFileSync('go', args, { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' });

/** exec is where wasm_exec.js is. */
export const exec = pathToFileURL(join(go(['env', 'GOROOT']).trim(), 'lib/wasm/wasm_exec.js')).href;

/** wasm builds a program of this repository for JavaScript. */
export function wasm(program) {
  const to = join(folder, 'game.wasm');
  go(['build', '-trimpath', '-ldflags=-s -w', '-o', to, program], { GOOS: 'js', GOARCH: 'wasm' });
  return readFileSync(to);
}

/** record is a recording of so many ticks of a game, to be played again: see internal/tools/parity. */
export function record(game, ticks) {
  const to = join(folder, 'session');
  go(['run', './internal/tools/parity', '-game', game, '-ticks', String(ticks), '-o', to]);
  return readFileSync(to);
}

/** browser is where a Chromium is; '' where there is none. */
export function browser() {
  return ['chromium', 'google-chrome', 'chrome'].map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim()).find((path) => path) ?? '';
}

/** serve starts the arena's server and returns its address by WebSocket; it ends with the test. */
export const serve = (t, ...flags) => serveAt(t, '127.0.0.1:0', ...flags);

/** serveAt does so at an address, where a server was before. */
export async function serveAt(t, at, ...flags) {
  const program = join(folder, 'arena');
  go(['build', '-o', program, './examples/arena']);
  const server = spawn(program, ['-serve', at, '-transport', 'ws', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => server.kill('SIGINT'));
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8');
  return new Promise((ok, bad) => {
    server.on('exit', (code) => bad(new Error(`the server ended with ${code}`)));
    for (const stream of [server.stdout, server.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const at = /serving on (\S+);/.exec(line);
        if (at) ok(`ws://${at[1]}`);
      });
    }
  });
}
