import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, Module } from '../module.mjs';
import { exec } from './kit.mjs';

test('wasm_exec.js is found from where the page is', async (t) => {
  t.after(() => delete globalThis.location);
  globalThis.location = new URL('./page.html', exec);
  await assert.rejects(load(new Uint8Array([1, 2, 3]), { exec: 'wasm_exec.js' }), WebAssembly.CompileError); // so it was there
  assert.equal(typeof globalThis.Go, 'function');
});

test('rows can be read after a function of the game has grown the memory', () => {
  const mem = new WebAssembly.Memory({ initial: 1 });
  const module = new Module({ mem, game_grow: (by, more) => mem.grow(by + more) });
  new Float32Array(mem.buffer)[8] = 2.5;
  assert.equal(module.f32[8], 2.5);
  assert.equal(module.exports.game_grow(1, 2), 1);
  assert.equal(module.f32[8], 2.5);
  assert.equal(module.u8.length, 4 << 16);
});
