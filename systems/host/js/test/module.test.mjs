import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../module.mjs';
import { exec } from './kit.mjs';

test('wasm_exec.js is found from where the page is', async (t) => {
  t.after(() => delete globalThis.location);
  globalThis.location = new URL('./page.html', exec);
  await assert.rejects(load(new Uint8Array([1, 2, 3]), { exec: 'wasm_exec.js' }), WebAssembly.CompileError); // so it was there
  assert.equal(typeof globalThis.Go, 'function');
});
