// Builds the worlds' clients into public/, from where Vite takes them, and copies wasm_exec.js of the Go that built them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, worlds } from './pages.mjs';
import { squeeze } from './squeeze.mjs';

/** @param {string[]} args @param {Record<string, string>} env */
const go = (args, env = {}) => execFileSync('go', args, { cwd: join(root, '../..'), env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] }).toString().trim();

/** Puts a file into public/, where it differs from what is there: compressing it takes longer than building it. @param {string} name @param {string} from */
function put(name, from) {
  const to = join(root, 'public', name), b = readFileSync(from);
  if (!existsSync(to) || !b.equals(readFileSync(to))) writeFileSync(to, b);
  return squeeze(to);
}

const build = join(root, 'node_modules/.wasm');
mkdirSync(build, { recursive: true });
mkdirSync(join(root, 'public'), { recursive: true });
const exec = ['lib/wasm', 'misc/wasm'].map((dir) => join(go(['env', 'GOROOT']), dir, 'wasm_exec.js')).find(existsSync);
if (!exec) throw new Error('this Go has no wasm_exec.js, some distributions leave it out: take a release of Go');
await put('wasm_exec.js', exec);
for (const world of worlds) {
  const made = join(build, `${world}.wasm`);
  go(['build', '-trimpath', '-ldflags=-s -w', '-o', made, `./examples/${world}/wasm`], { GOOS: 'js', GOARCH: 'wasm', GOFLAGS: '' });
  const [raw, gzip, brotli] = (await put(`${world}.wasm`, made)).map((n) => (n / 1e6).toFixed(2));
  console.log(`${world}.wasm: ${raw} MB, ${gzip} with gzip, ${brotli} with brotli`);
}
