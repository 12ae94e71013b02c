// Calls a game's module with anything, by a seed, between the calls of a recording of internal/tools/parity: each call returns a number, none
// makes the module panic, and afterwards the module still comes to what was recorded.
// node anything.mjs MODULE WASM_EXEC RECORDING CALLS SEED…
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { opening, replay, start } from './replay.mjs';

const [file, exec, recorded, calls, ...seeds] = process.argv.slice(2);
createRequire(import.meta.url)(exec);
const recording = readFileSync(recorded), module = await WebAssembly.compile(readFileSync(file));

const numbers = [0, 1, 2, 3, -1, 4, 12, 16, 17, 81, 255, 256, 257, 258, 512, 513, 1500, 1501, 2048, 4096, 4097, 1 << 20, (1 << 20) + 1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 32, 1e20, 0.5, NaN, Infinity, undefined, null, 'x', {}];
const odd = [0, -0, NaN, Infinity, -Infinity, 5e-324, 1e308, -1e308, -1, 1e15, 999999999999999, 7258118400000, 7258118400001, 1767225600000, 1767225599999, undefined, 'now'];
const near = [0, 0, 0, 1, 16, 16.6, -1, -1e-9, 1e-9, 1000, -1000, 20_000, 1e9, -1e9];

// random is a sequence of numbers below 1, by a seed.
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

async function play(seed) {
  const draw = random(Number(seed)), below = (n) => Math.floor(draw() * n), of = (list) => list[below(list.length)];
  const { now, server, token } = opening(recording);
  const x = await start(module, now);
  let moment = now, last = '';
  const number = () => (below(8) ? of(numbers) : below(2 ** 32) - 2 ** 31);
  const host = () => (below(3) ? 1 + below(4) : number());
  const time = () => { const k = below(8); return k === 0 ? of(odd) : k === 1 ? draw() * 2 ** below(1000) : (moment += below(40)) + of(near); };
  const call = (name, ...args) => {
    last = `${name}(${args.join(', ')})`;
    const got = x[`tactus_${name}`](...args);
    if (typeof got !== (name === 'hash' ? 'bigint' : name === 'sent' || name === 'close' || name === 'free' ? 'undefined' : 'number')) throw new Error(`${last} returned ${got}`);
    return got;
  };
  const put = (b) => { const at = call('room', b.length) >>> 0; new Uint8Array(x.mem.buffer).set(b, at); return b.length; };
  const noise = () => Uint8Array.from({ length: below(4) ? below(100) : below(3000) }, () => below(256));
  const anything = [
    () => call('room', number()),
    () => call('text'),
    () => below(20) || call('lines'),
    () => call('open', time(), number(), number(), number(), time(), number()),
    () => (put(server), call('open', time(), server.length, 0, -1, number(), below(8))),
    () => (put(Buffer.concat([server, token])), call('open', time(), server.length, token.length, -1, 0, below(8))),
    () => call('failed'),
    () => call('push', host(), time(), number()),
    () => call('push', host(), time(), put(noise())),
    () => call('input', host(), number()),
    () => call('input', host(), put(noise().subarray(0, 12))),
    () => call('advance', host(), time()),
    () => call('frame', host(), time()),
    () => call('send', host(), number(), number(), number()),
    () => call('send', host(), below(3), below(3), put(noise().subarray(0, 81))),
    () => call('out', host()),
    () => call('sent', host()),
    () => call('ticket', host()),
    () => call('hash', host()),
    () => call('end', host()),
    () => below(4) || call('close', host()),
    () => below(4) || call('free', host()),
  ];
  // A host that plays, so that much is there to be broken: the calls of the recording, as far as they come.
  const playing = opening(recording).reader;
  const step = () => {
    const r = playing;
    switch (r.u8()) {
      case 1: { const at = r.f64(); call('push', 1, at, put(r.bytes())); r.u8(); moment = at; break; }
      case 2: call('input', 1, put(r.bytes())); break;
      case 3: call('advance', 1, r.f64()); r.bytes(20); call('sent', 1); break;
      case 4: call('frame', 1, r.f64()); r.u32(); break;
      case 5: { const what = r.u8(); call('send', 1, what, 0, put(r.bytes())); r.u8(); break; }
      default: r.at--;
    }
  };
  try {
    put(Buffer.concat([server, token]));
    call('open', now, server.length, token.length, -1, 0, 1);
    const calm = below(4000);
    for (let i = 0; i < calm; i++) step();
    for (let i = 0; i < Number(calls); i++) below(3) ? of(anything)() : step();
    for (let n = 1; n <= 256; n++) call('free', n);
    const { ticks } = replay(x, recording);
    if (!ticks) throw new Error('nothing was recorded');
  } catch (e) {
    console.log(`seed ${seed}, after ${last}: ${e.stack}`);
    process.exit(1);
  }
}

for (const seed of seeds) await play(seed);
console.log(`${seeds.length} seeds`);
process.exit(0);
