import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Game } from '../index.mjs';

// A game whose module has tables of [mask, rows, simulated, address of NetIDs], of one component without a column.
function game(tables) {
  const block = 4, components = 1, u32 = new Uint32Array(64);
  u32.set([0, 1, tables.length, 0, 0, 0, 0, 0, 0, components], block);
  tables.forEach(([mask, rows, simulated, ids], i) => u32.set([mask, 0, rows, simulated, ids], block + 10 + components + i * (6 + components)));
  const module = { refresh: () => ({ u32 }), x: { tactus_frame: () => 4 * block } };
  const bindings = { Table: class { set(at) { this.at = at; return this; } } };
  return Object.assign(Object.create(Game.prototype), { module, bindings, tables: [], made: [], news: { set() {} }, stats: { set() {}, Joined: 0 }, one: { set() {} } });
}

test('own rows and those of others are tables of their own, also where they have the same components', () => {
  const g = game([[5, 1, 1, 400], [5, 3, 0, 800], [5, 2, 1, 0]]), [own, others, spawns] = g.frame();
  assert.deepEqual([own, others, spawns].map((t) => [t.rows, t.simulated, t.ids]), [[1, true, 100], [3, false, 200], [2, true, 0]]);
  assert.equal(new Set([own, others, spawns]).size, 3);
  assert.deepEqual(g.frame(), [own, others, spawns]);
  assert.ok(g.frame().every((t, i) => t === [own, others, spawns][i]), 'frames make new objects');
});
