import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storage, tabPlayer } from '../index.mjs';

const define = (t, kind, descriptor) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, kind);
  Object.defineProperty(globalThis, kind, { configurable: true, ...descriptor });
  t.after(() => (before ? Object.defineProperty(globalThis, kind, before) : delete globalThis[kind]));
};
const forbidden = { get() { throw new Error('SecurityError'); } };

test('where the browser forbids storage, values are in memory, and the tab has a player', async (t) => {
  for (const kind of ['sessionStorage', 'localStorage']) define(t, kind, forbidden);
  for (const s of [storage.session, storage.local]) {
    assert.equal(s.getItem('a'), null);
    s.setItem('a', 1);
    assert.equal(s.getItem('a'), '1');
    s.removeItem('a');
    assert.equal(s.getItem('a'), null);
  }
  const player = await tabPlayer('forbidden');
  assert.ok(player > 0 && Number.isSafeInteger(player));
  assert.equal(await tabPlayer('forbidden'), player);
});

test('the storage of the browser has the values if it accepts them, and memory those that it refuses', (t) => {
  const stored = new Map();
  let full = false;
  define(t, 'localStorage', { value: {
    getItem: (key) => stored.get(key) ?? null,
    setItem(key, value) {
      if (full) throw new Error('QuotaExceededError');
      stored.set(key, String(value));
    },
    removeItem: (key) => stored.delete(key),
  } });
  storage.local.setItem('b', 'kept');
  assert.equal(stored.get('b'), 'kept');
  full = true;
  storage.local.setItem('b', 'new');
  assert.equal(storage.local.getItem('b'), 'new');
  full = false;
  storage.local.setItem('b', 'newer');
  assert.deepEqual([stored.get('b'), storage.local.getItem('b')], ['newer', 'newer']);
  storage.local.removeItem('b');
  assert.equal(storage.local.getItem('b'), null);
});

test('outside pages there is no player', async () => {
  if (!('sessionStorage' in globalThis)) assert.equal(await tabPlayer('outside'), 0);
});
