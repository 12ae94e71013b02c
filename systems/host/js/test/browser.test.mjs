import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Reason } from '../index.mjs';
import { browser, exec, record, serve, wasm } from './kit.mjs';

const here = (name) => readFileSync(new URL(name, import.meta.url));
const types = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };

// visit opens a page in Chromium, and returns what it posts. Without Chromium it skips the test.
async function visit(t, page, module, more = {}) {
  const chromium = browser(), websocket = await serve(t);
  const files = {
    '/game.wasm': () => module,
    '/wasm_exec.js': () => readFileSync(fileURLToPath(exec)),
    '/connect.json': () => JSON.stringify({ websocket }),
    '/arena.mjs': () => here('../../../../examples/arena/bindings/arena.mjs'),
    ...more,
  };
  const posted = new Promise((ok) => {
    const server = createServer(async (ask, answer) => {
      if (ask.method === 'POST') {
        let text = '';
        for await (const piece of ask) text += piece;
        answer.end();
        return ok(JSON.parse(text));
      }
      const name = ask.url;
      const file = files[name] ?? (() => here(name.startsWith('/client/') ? `..${name.slice(7)}` : `page${name}`));
      try {
        const body = file();
        answer.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'application/octet-stream', 'Content-Length': body.length }).end(body);
      } catch {
        answer.writeHead(404).end();
      }
    });
    t.after(() => server.close());
    server.listen(0, '127.0.0.1', () => {
      const profile = mkdtempSync(join(tmpdir(), 'tactus-chromium-'));
      const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${profile}`];
      // The browser leads a group of its own, so that its helper processes end with it.
      const browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/${page}`], { stdio: 'ignore', detached: true });
      const gone = new Promise((end) => browser.on('exit', end));
      t.after(async () => {
        process.kill(-browser.pid, 'SIGKILL');
        await gone;
        server.closeAllConnections();
        rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
      });
    });
  });
  const got = await posted;
  t.diagnostic(JSON.stringify(got));
  assert.ok(Array.isArray(got), got.failed);
  return got;
}

const skip = !browser() && 'needs chromium or google-chrome';

test('the package plays in a page and in a worker, and a recording comes to the same there', { timeout: 300_000, skip }, async (t) => {
  const module = wasm('./examples/arena/wasm'), recording = record('arena', 10_000);
  const [page, worker, replayed] = await visit(t, 'index.html', module, {
    '/session': () => recording,
    '/replay.mjs': () => here('../../../../internal/tools/parity/testdata/replay.mjs'),
  });
  assert.deepEqual([page.where, page.document, worker.where, worker.document], ['page', 'object', 'worker', 'undefined']);
  assert.ok(page.walked > 100 && worker.walked > 100);
  assert.deepEqual(page.loaded, [module.length, module.length]);
  assert.ok(replayed.ticks >= 10_000 && replayed.compared > 3 * 10_000, JSON.stringify(replayed));
});

test('a page that is loaded again, or comes back from the cache, goes on with its player, and one that was replaced stays out', { timeout: 300_000, skip }, async (t) => {
  const [before, after, back, other, reason] = await visit(t, 'reload.html', wasm('./examples/arena/wasm'));
  assert.ok(before.client > 0 && before.own > 0, JSON.stringify(before));
  assert.deepEqual([after, back, other], [before, before, before]);
  assert.equal(reason, Reason.Replaced);
});
