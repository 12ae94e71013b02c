import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { bind, connect, GameError, load, Reason } from '../index.mjs';
import types from '../../../../examples/arena/bindings/arena.mjs';
import { exec, serve, serveAt, wasm } from './kit.mjs';

const patience = 60_000, arena = bind(types);
const { Up, Down, Left, Right, Fire } = arena.Buttons;
let bytes;

// own is the player's row.
function own(game, tables) {
  for (const t of tables) for (let r = 0; r < t.rows; r++) if (t.Owner?.Client(r) === game.stats.Client && game.stats.Client) return { t, r };
  return null;
}

// until plays frames until something holds.
async function until(what, game, holds) {
  for (const end = Date.now() + patience; Date.now() < end; await pause(16)) {
    game.advance();
    const tables = game.frame();
    if (holds(tables)) return tables;
  }
  assert.fail(`never happened: ${what}`);
}

before(async () => {
  bytes = wasm('./examples/arena/wasm');
  await load(bytes, { exec });
}, { timeout: patience });

test('a hidden page asks for fewer snapshots', async (t) => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { document: page, addEventListener: page.addEventListener.bind(page), removeEventListener: page.removeEventListener.bind(page) });
  const game = await connect({ module: bytes, game: arena, websocket: await serve(t, '-npcs', '20') });
  t.after(() => {
    game.close();
    for (const name of ['document', 'addEventListener', 'removeEventListener']) delete globalThis[name];
  });
  await until('it has joined', game, () => game.stats.Joined === 1);
  const share = async (hidden) => { // snapshots per tick of two seconds
    page.hidden = hidden;
    page.dispatchEvent(new Event('visibilitychange'));
    const pass = async () => {
      const from = game.stats.Ticks;
      await until('ticks pass', game, () => game.stats.Ticks >= from + 120);
    };
    await pass();
    const { Snapshots, Ticks } = { Snapshots: game.stats.Snapshots, Ticks: game.stats.Ticks };
    await pass();
    return (game.stats.Snapshots - Snapshots) / (game.stats.Ticks - Ticks);
  };
  const seen = await share(false), unseen = await share(true), again = await share(false);
  assert.ok(unseen < 0.25 && unseen < seen / 1.5 && unseen < again / 1.5, `snapshots a tick: ${seen}, hidden ${unseen}, then ${again}`);
});

test('a player joins, walks, shoots and talks, also after its socket has dropped', async (t) => {
  const sockets = [];
  class Kept extends WebSocket {
    constructor(url) { super(url); sockets.push(this); }
  }
  const links = [];
  const game = await connect({ module: bytes, game: arena, websocket: await serve(t, '-npcs', '20'), WebSocket: Kept, onLink: (kind) => links.push(kind) });
  t.after(() => game.close());
  const came = new Set();
  await until('it has joined', game, (tables) => {
    for (let i = 0; i < game.news.count; i++) if (game.news.get(i).kind === 'came') came.add(game.news.get(i).id);
    return game.stats.Joined === 1 && own(game, tables) && came.size >= 20;
  });
  const travels = async (buttons) => {
    let { t, r } = own(game, game.frame());
    const from = t.Position.X(r), way = from > 1000 ? Left : Right; // walls are at 0 and 2000
    game.input.Buttons = way | buttons;
    await until('it walks', game, (tables) => {
      const me = own(game, tables);
      return me && Math.abs(me.t.Position.X(me.r) - from) > 100;
    });
  };
  await travels(Fire);
  await until('it shoots', game, (tables) => own(game, tables)?.t.Fighter.Shots(own(game, tables).r) > 0);
  sockets[0].close();
  await until('it has another link', game, () => links.length > 2 && links.at(-1) === 'websocket');
  await travels(0);
  assert.deepEqual([links, game.socket.redials], [['websocket', '', 'websocket'], 1]);
  const rename = new arena.sent.Rename.Value(), say = new arena.sent.Say.Value(), told = new arena.Told(game.module);
  rename.Name = 'Ada';
  game.send('Rename', rename);
  await until('it has another name', game, (tables) => own(game, tables)?.t.Named.Name(own(game, tables).r) === 'Ada');
  say.Text = 'hi';
  game.send('Say', say);
  const hears = (v) => v?.type === 'Said' && v.Text === 'hi' && v.Name === 'Ada' && v.Client === game.stats.Client;
  await until('everybody hears it', game, () => [...Array(game.news.count).keys()].some((i) => hears(told.read(game.news.get(i)))));
  assert.equal(game.one.Feed.Total, 0);
});

test('a game replays its last seconds, from the view of another player too, and goes on', async (t) => {
  const websocket = await serve(t), game = await connect({ module: bytes, game: arena, websocket, keep: 2 }), other = await connect({ module: bytes, game: arena, websocket, player: 7 });
  t.after(() => { game.close(); other.close(); });
  assert.throws(() => other.last(), /Keep/);
  await until('both have joined', game, (tables) => {
    other.advance();
    other.frame();
    return game.stats.Joined === 1 && other.stats.Joined === 1 && own(game, tables);
  });
  const { Tick } = game.stats;
  await until('three seconds have passed', game, () => { other.advance(); return game.stats.Tick > Tick + 180; });
  const last = game.last(), { replay } = last;
  t.after(() => last.close());
  replay.seek(replay.duration - 1000);
  for (const client of [game.stats.Client, other.stats.Client]) {
    replay.follow = client;
    assert.ok(own(last, last.frame()), `player ${client} is there`);
  }
  const { Tick: before } = game.stats;
  await until('the game goes on', game, () => game.stats.Tick > before);
});

test('it plays on while nobody calls', async (t) => {
  const game = await connect({ module: bytes, game: arena, websocket: await serve(t) });
  t.after(() => game.close());
  await until('it has joined', game, () => game.stats.Joined === 1);
  const { Tick, InputsSent } = game.stats;
  for (const end = Date.now() + patience; game.stats.Tick < Tick + 30 || game.stats.InputsSent < InputsSent + 3; await pause(50)) {
    assert.ok(Date.now() < end, 'it has played on');
    game.frame(); // reads, and lets no time pass
  }
});

test('what is read can be read after any call, and after datagrams, whenever memory grows', async (t) => {
  const game = await connect({ module: bytes, game: arena, websocket: await serve(t) });
  const { module } = game, { x } = module, arrays = Object.keys(module).filter((name) => ArrayBuffer.isView(module[name]));
  const grows = (f) => (...all) => {
    const result = f(...all);
    for (const name of arrays) module[name] = new module[name].constructor(0); // so they are then
    return result;
  };
  module.x = Object.fromEntries(Object.entries(x).map(([name, f]) => [name, typeof f === 'function' ? grows(f) : f]));
  t.after(() => { game.close(); module.x = x; });
  await until('it has joined', game, () => game.stats.Joined === 1);
  const reads = (when) => assert.ok(game.stats.Client > 0, when);
  for (const before = module.u8; module.u8 === before; await pause(10)) reads('before a datagram came');
  reads('after one came');
  for (const [what, call] of Object.entries({ advance: () => game.advance(), frame: () => game.frame(), send: () => game.send('Say', new arena.sent.Say.Value()) })) {
    call();
    reads(`after ${what}`);
  }
});

test('twelve bots that predict play in one process', { timeout: 2 * patience }, async (t) => {
  const websocket = await serve(t, '-npcs', '8');
  const games = await Promise.all(Array.from({ length: 12 }, (_, n) => connect({ module: bytes, game: arena, websocket, player: n + 1 })));
  t.after(() => games.forEach((g) => g.close()));
  await Promise.all(games.map((g) => until('a bot has joined', g, (tables) => g.stats.Joined === 1 && own(g, tables))));
  assert.equal(new Set(games.map((g) => g.stats.Client)).size, 12);
});

test('fifty bots that do not predict play in one process', { timeout: 3 * patience }, async (t) => {
  const websocket = await serve(t, '-npcs', '8');
  const games = [], from = new Map(), walked = new Set();
  t.after(() => games.forEach((g) => g.close()));
  let refused = ''; // why the last bot had no connection
  const come = async (i) => {
    try {
      games[i] = await connect({ module: bytes, game: arena, websocket, player: i + 1, thin: true });
    } catch (e) {
      refused = e.message;
    }
  };
  // step lets all act, one in six looks. Who could not join, as a server of a slow machine is too busy, comes again.
  const step = async (n) => {
    for (const [i, g] of games.entries()) {
      try {
        g.advance();
      } catch (e) {
        if (g.stats.Joined) throw e;
        g.close();
        await come(i);
        continue;
      }
      if (i % 6 !== n % 6) continue;
      const me = own(g, g.frame());
      if (!me) continue;
      const x = me.t.Position.X(me.r), y = me.t.Position.Y(me.r);
      if (!from.has(g)) from.set(g, { x, y });
      const begun = from.get(g);
      g.input.Buttons = [Right | Down, Left | Down, Left | Up, Right | Up][(i + (n >> 7)) & 3]; // one way is free of walls and cover
      if (Math.hypot(x - begun.x, y - begun.y) > 50) walked.add(g);
    }
    await pause(16);
  };
  for (let n = 0, end = Date.now() + 2 * patience; walked.size < 50; n++) {
    assert.ok(Date.now() < end, `${games.length} are there, ${walked.size} have walked; ${refused}`);
    if (games.length < 50 && n % 6 === 0) await come(games.length);
    await step(n);
  }
  assert.equal(new Set(games.map((g) => g.stats.Client)).size, 50);
  assert.deepEqual([games.some((g) => g.stats.Resimulated), games.every((g) => g.stats.Ticks > 0)], [false, true]);
});

test('a player who leaves the page and comes back is the same, and rows are told', async (t) => {
  const websocket = await serve(t, '-npcs', '5'), rows = new Set();
  const game = await connect({ module: bytes, game: arena, websocket, player: 9, onAdd: (id, table, r) => (assert.equal(table.id(r), id), rows.add(id)), onRemove: (id) => rows.delete(id) });
  t.after(() => game.close());
  assert.equal(game.status, 'joining');
  assert.ok(game.explanation);
  let joined = false;
  void game.joined.then(() => { joined = true; });
  await until('it has joined', game, (tables) => joined && rows.size === 8 && own(game, tables));
  assert.deepEqual([game.status, game.explanation, rows.size], ['playing', '', 8]); // the player, 5 others, and two things that the world has once
  const { Client, Own } = game.stats;
  game.leave();
  assert.equal(game.advance(), 0);
  await pause(500);
  game.rejoin();
  await until('it is back', game, (tables) => game.stats.Reconnects === 1 && game.status === 'playing' && rows.size === 8 && own(game, tables));
  assert.deepEqual([game.stats.Client, game.stats.Own], [Client, Own]);
  game.close();
  assert.equal((await game.left).reason, Reason.Left);
});

test('a game whose server is restarted goes on by itself', { timeout: 2 * patience }, async (t) => {
  const first = new AbortController(), websocket = await serve({ after: (f) => first.signal.addEventListener('abort', f) });
  const game = await connect({ module: bytes, game: arena, websocket });
  t.after(() => game.close());
  await until('it has joined', game, () => game.stats.Joined === 1);
  first.abort();
  await until('it reconnects', game, () => game.status === 'reconnecting' && game.explanation && game.stats.Lost === Reason.Closing);
  await serveAt(t, new URL(websocket).host);
  await until('it plays on', game, (tables) => game.stats.Reconnects === 1 && game.status === 'playing' && own(game, tables));
});

test('a game that is over says why, once and for all, and dials no more', async (t) => {
  const links = [], websocket = await serve(t);
  const [game, newer] = await Promise.all([1, 2].map(() => connect({ module: bytes, game: arena, websocket, player: 7, onLink: (kind) => links.push(kind) })));
  t.after(() => [game, newer].forEach((g) => g.close()));
  const ended = async () => {
    for (const end = Date.now() + patience; Date.now() < end; await pause(16)) {
      for (const g of [game, newer]) {
        try {
          g.advance();
        } catch (e) {
          return [g, e];
        }
      }
    }
    assert.fail('both play');
  };
  const [g, e] = await ended();
  assert.ok(e instanceof GameError && e.reason === Reason.Replaced && g.ended === e && /another window/.test(e.message) && e.detail, e);
  assert.equal(await g.left, e);
  const before = links.length;
  assert.throws(() => g.advance(), (again) => again.reason === e.reason);
  g.frame(); // what it showed stays
  await pause(600);
  assert.deepEqual([links.length, g.socket.redials, g.socket.link], [before, 0, null]);
});

test('what is wrong is said with advice', async (t) => {
  const server = await serve(t);
  await assert.rejects(connect({ module: bytes, websocket: server }), /no bindings/);
  await assert.rejects(connect({ module: bytes, websocket: server, game: { ...arena, lines: ['arena/0', ...arena.lines.slice(1)] } }), (e) =>
    e instanceof GameError && e.message.includes('arena/0') && e.message.includes(arena.lines[0]) && e.message.includes('go generate'));
  const moved = arena.lines.map((l) => l.replace('Position of 8 bytes{X float32 at 0;', 'Position of 12 bytes{X float32 at 4;'));
  await assert.rejects(connect({ module: bytes, websocket: server, game: { ...arena, lines: moved } }), /module: .*X float32 at 0;.*\n.*bindings: .*X float32 at 4;/);
  await assert.rejects(connect({ module: bytes, game: arena, websocket: 'ws://127.0.0.1:9' }), /no connection/);
  await assert.rejects(connect({ module: bytes, game: arena, websocket: server, token: 'AAAA' }), GameError);
  await assert.rejects(connect({ module: bytes, game: arena, server: '127.0.0.1:1' }), /pass webtransport or websocket/);
  await assert.rejects(connect({ module: bytes, game: arena }), /pass webtransport or websocket/);
  await assert.rejects(connect({ module: new Uint8Array([1, 2, 3]), game: arena, websocket: server }), WebAssembly.CompileError);
  const game = await connect({ module: bytes, game: arena, websocket: server });
  t.after(() => game.close());
  assert.throws(() => game.advance(1), GameError);
  assert.throws(() => game.send('Say', { bytes: new Uint8Array(3) }), GameError);
  const { host } = game;
  game.close();
  const other = await connect({ module: bytes, game: arena, websocket: server });
  t.after(() => other.close());
  assert.equal(other.host, host);
  game.close();
  assert.throws(() => game.advance(), (e) => e instanceof GameError && e.reason === Reason.Left);
  other.advance();
});
