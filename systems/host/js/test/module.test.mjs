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

test('the browser compiles its own response, which it caches compiled, while the page counts the bytes', async (t) => {
  const { fetch, Go } = globalThis, { compileStreaming } = WebAssembly;
  t.after(() => {
    Object.assign(globalThis, { fetch, Go });
    WebAssembly.compileStreaming = compileStreaming;
  });
  const bytes = new Uint8Array(70_000), answers = [], compiled = [], counted = [];
  globalThis.Go ??= class {};
  globalThis.fetch = async () => {
    const answer = new Response(bytes, { headers: { 'Content-Type': 'application/wasm', 'Content-Length': String(bytes.length) } });
    answers.push(answer);
    return answer;
  };
  WebAssembly.compileStreaming = async (answer) => {
    compiled.push(answer);
    assert.equal((await answer.arrayBuffer()).byteLength, bytes.length); // so all of it is left to compile
    throw new WebAssembly.CompileError('enough');
  };
  await assert.rejects(load('/counted.wasm', { onProgress: (...n) => counted.push(n) }), /enough/);
  await assert.rejects(load('/uncounted.wasm'), /enough/);
  assert.deepEqual(compiled.map((c, i) => c === answers[i]), [true, true]); // a response that a page makes is never cached compiled
  while (counted.at(-1)?.[0] !== bytes.length) await new Promise(setImmediate);
  assert.equal(counted.at(-1)[1], bytes.length);
});
