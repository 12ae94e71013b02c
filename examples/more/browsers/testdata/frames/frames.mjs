// A page that plays the arena and draws nothing: what a frame costs, and what it leaves for the garbage collector, is what
// the package, the bindings and the module do.
import { bind, connect } from './js/index.mjs';
import types, { Buttons } from './bindings/arena.mjs';

const arena = bind(types);

let game = null;
const sums = new Float64Array(1); // what is read is used

// play is what a page does in a frame, before it draws: set an input, let the game go on, read four fields of each row.
function play(i) {
  steer(i);
  game.advance();
  const tables = game.frame();
  read(tables);
}

function steer(i) {
  game.input.Buttons = (i >> 5) % 2 ? Buttons.Left | Buttons.Fire : Buttons.Right;
  game.input.Aim = (i * 64) & 0xffff;
}

function read(tables) {
  let sum = 0;
  for (let k = 0; k < tables.length; k++) {
    const t = tables[k], { Position, Heading, Health } = t;
    if (!Position || !Heading || !Health) continue;
    for (let r = 0; r < t.rows; r++) sum += t.id(r) + Position.X(r) + Position.Y(r) + Heading.Angle(r) + Health.Points(r);
  }
  const { news, stats } = game;
  for (let i = 0; i < news.count; i++) sum += news.get(i).id;
  sums[0] += sum + stats.RTT + stats.Tick;
}

// fixed is always as much work: how its times differ is what the machine does besides.
function fixed() {
  let x = 1;
  for (let i = 0; i < 300_000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  sums[0] += x;
}

const frames = (n, each) => new Promise((done, bad) => {
  let i = 0;
  requestAnimationFrame(function step() {
    try {
      each(i);
    } catch (e) {
      bad(e);
      return;
    }
    if (++i < n) requestAnimationFrame(step);
    else done();
  });
});

globalThis.bench = {
  async join(name) {
    game = await connect({ ...(await (await fetch('connect.json')).json()), module: 'arena.wasm', exec: new URL('wasm_exec.js', document.baseURI), game: arena });
    while (!game.stats.Own) await frames(1, play);
    const rename = new arena.sent.Rename.Value();
    rename.Name = name;
    game.send('Rename', rename);
    return game.stats.Client;
  },
  // play plays so many frames.
  play: (n) => frames(n, play),
  // warm plays sixty times as often as there are frames: 600 are ten minutes of a page.
  warm: (n) => frames(n, (i) => {
    for (let k = 0; k < 60; k++) play(i);
  }),
  // idle lets so many go by.
  idle: (n) => frames(n, () => { sums[0]++; }),
  // times are the milliseconds of advance, frame, reading and the fixed work, of so many frames, one after the other.
  async times(n) {
    const all = new Float64Array(4 * n);
    await frames(n, (i) => {
      steer(i);
      const begun = performance.now();
      game.advance();
      const advanced = performance.now();
      const tables = game.frame();
      const framed = performance.now();
      read(tables);
      const done = performance.now();
      fixed();
      all[4 * i + 3] = performance.now() - done;
      all[4 * i] = advanced - begun;
      all[4 * i + 1] = framed - advanced;
      all[4 * i + 2] = done - framed;
    });
    return [...all];
  },
  // counts are what the client has done so far.
  counts: () => [game.stats.Snapshots, sums[0]],
};
