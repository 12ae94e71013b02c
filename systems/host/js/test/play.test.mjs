import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, GameError, load } from '../index.mjs';
import { exec, serve, wasm } from './kit.mjs';

const patience = 60_000;
const LEFT = 4, RIGHT = 8, FIRE = 16;
let bytes, arena;

// Bindings by hand, for the places of the components that these tests look at.
function bindings(lines) {
  const places = lines.filter((l) => /^(replicate|input|local) /.test(l)).map((l) => l.replace(/^\w+ ((predicted|interpolated|owner-only|client-owned) )*/, '').split('{')[0]);
  const [owner, position, fighter] = ['Owner', 'Position', 'Fighter'].map((name) => places.indexOf(name));
  class Base {
    constructor(m) { this.m = m; }
    set(at) { this.at = at; return this; }
  }
  return {
    lines,
    Input: class { constructor() { this.bytes = new Uint8Array(size); } },
    Singletons: class extends Base {},
    Stats: class extends Base {
      get Client() { return this.m.f64[this.at >> 3]; }
      get Joined() { return this.m.f64[(this.at >> 3) + 2]; }
    },
    Table: class extends Base {
      owner(r) { const at = this.m.u32[this.at + owner]; return at && this.m.u32[(at >> 2) + r]; }
      x(r) { return this.m.f32[(this.m.u32[this.at + position] >> 2) + 2 * r]; }
      shots(r) { return this.m.u8[this.m.u32[this.at + fighter] + 2 * r + 1]; }
    },
    sent: { Say: { what: 0, which: 0 } },
  };
}

let size = 0; // of an input: the module says which it takes

// own is the player's row.
function own(game, tables) {
  for (const t of tables) for (let r = 0; r < t.rows; r++) if (t.owner(r) === game.stats.Client && t.owner(r)) return { t, r };
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
  const module = await load(bytes, { exec });
  arena = bindings(module.lines());
  const name = module.encoder.encode('127.0.0.1:1');
  module.put(name);
  const host = module.x.tactus_open(performance.timeOrigin + performance.now(), name.length, 0, -1, 0, 0);
  while (!module.x.tactus_input(host, module.put(new Uint8Array(size)))) size++;
  module.x.tactus_free(host);
}, { timeout: patience });

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
    const from = t.x(r), way = from > 1000 ? LEFT : RIGHT; // walls are at 0 and 2000
    game.input.bytes[0] = way | buttons;
    await until('it walks', game, (tables) => {
      const me = own(game, tables);
      return me && Math.abs(me.t.x(me.r) - from) > 100;
    });
  };
  await travels(FIRE);
  await until('it shoots', game, (tables) => own(game, tables)?.t.shots(own(game, tables).r) > 0);
  sockets[0].close();
  await until('it has another link', game, () => links.length > 2 && links.at(-1) === 'websocket');
  await travels(0);
  assert.deepEqual([links, game.socket.redials], [['websocket', '', 'websocket'], 1]);
  const say = new Uint8Array(81);
  say.set([2, 104, 105]);
  game.send('Say', { bytes: say });
  await until('everybody hears it', game, () => [...Array(game.news.count).keys()].some((i) => game.news.get(i).kind === 'message'));
});

test('twelve bots that predict play in one process', { timeout: 2 * patience }, async (t) => {
  const websocket = await serve(t, '-npcs', '8');
  const games = await Promise.all(Array.from({ length: 12 }, (_, n) => connect({ module: bytes, game: arena, websocket, player: n + 1 })));
  t.after(() => games.forEach((g) => g.close()));
  await Promise.all(games.map((g) => until('a bot has joined', g, (tables) => g.stats.Joined === 1 && own(g, tables))));
  assert.equal(new Set(games.map((g) => g.stats.Client)).size, 12);
});

test('what is wrong is said with advice', async (t) => {
  const server = await serve(t);
  await assert.rejects(connect({ module: bytes, websocket: server }), /needs the bindings/);
  await assert.rejects(connect({ module: bytes, websocket: server, game: { ...arena, lines: ['arena/0', ...arena.lines.slice(1)] } }), (e) =>
    e instanceof GameError && e.message.includes('arena/0') && e.message.includes(arena.lines[0]) && e.message.includes('go generate'));
  await assert.rejects(connect({ module: bytes, game: arena, websocket: 'ws://127.0.0.1:9' }), /no connection/);
  await assert.rejects(connect({ module: bytes, game: arena, websocket: server, token: 'AAAA' }), GameError);
  await assert.rejects(connect({ module: bytes, game: arena, server: '127.0.0.1:1' }), /give webtransport or websocket/);
  await assert.rejects(connect({ module: new Uint8Array([1, 2, 3]), game: arena, websocket: server }), WebAssembly.CompileError);
  const game = await connect({ module: bytes, game: arena, websocket: server });
  t.after(() => game.close());
  assert.throws(() => game.advance(1), GameError);
  assert.throws(() => game.send('Say', { bytes: new Uint8Array(3) }), GameError);
});
