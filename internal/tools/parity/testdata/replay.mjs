// Makes the calls of a recording of internal/tools/parity in a game's module, and compares what comes of each with what was written
// down. Runs in pages, workers and Node: node replay.mjs MODULE WASM_EXEC RECORDING.
const OVER = 0, PUSHED = 1, GIVEN = 2, ADVANCED = 3, DRAWN = 4, SAID = 5;

class Reader {
  constructor(b) {
    this.view = new DataView(b.buffer, b.byteOffset, b.byteLength);
    this.b = b;
    this.at = 0;
  }

  u8() { return this.b[this.at++]; }
  u16() { return this.view.getUint16((this.at += 2) - 2, true); }
  u32() { return this.view.getUint32((this.at += 4) - 4, true); }
  i32() { return this.view.getInt32((this.at += 4) - 4, true); }
  u64() { return this.view.getBigUint64((this.at += 8) - 8, true); }
  f64() { return this.view.getFloat64((this.at += 8) - 8, true); }
  bytes(n = this.u16()) { return this.b.subarray(this.at, (this.at += n)); }
}

/** start makes an instance of a module whose clock stands at a time, in milliseconds. A call in which it panics throws. */
export async function start(module, milliseconds) {
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) { given.length ? super(...given) : super(milliseconds); }
  };
  const go = new globalThis.Go();
  go.exit = (code) => { throw new Error(`the module has panicked, with code ${code}`); };
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance);
  return instance.exports;
}

/** opening reads where a recording begins: when, and what tactus_open is given. */
export function opening(recording) {
  const r = new Reader(recording);
  if (new TextDecoder().decode(r.bytes(8)) !== 'TACTUS01') throw new Error('this is no recording');
  const grid = Array.from({ length: r.u16() }, () => ({ size: r.u16(), pieces: Array.from({ length: r.u16() }, () => [r.u16(), r.u16()]) }));
  return { reader: r, grid, now: r.f64(), server: r.bytes(), token: r.bytes() };
}

/** replay makes all calls in a module that start has made, and returns how many, or throws what differs first. */
export function replay(x, recording) {
  const { reader: r, grid, now, server, token } = opening(recording);
  const memory = () => new Uint8Array(x.mem.buffer);
  const put = (...pieces) => {
    let at = x.tactus_room(pieces.reduce((n, p) => n + p.length, 0)) >>> 0;
    const n = at;
    for (const p of pieces) memory().set(p, at), at += p.length;
    return at - n;
  };
  const text = () => { const n = x.tactus_text(); return new TextDecoder().decode(memory().slice(x.tactus_room(0) >>> 0, (x.tactus_room(0) >>> 0) + n)); };
  const host = (put(server, token), x.tactus_open(now, server.length, token.length, -1, 0, 1));
  if (!host) throw new Error(`the module makes no host: ${text()}`);

  let u8, u32, h;
  const byte = (b) => { h = Math.imul(h ^ b, 16777619); };
  const bytes = (at, n) => { for (const to = at + n; at < to; at++) byte(u8[at]); };
  const word = (w) => { byte(w & 255); byte((w >>> 8) & 255); byte((w >>> 16) & 255); byte(w >>> 24); };
  const value = (at, { pieces }) => { for (const [from, n] of pieces) bytes(at + from, n); };
  const views = () => { u8 = memory(); u32 = new Uint32Array(x.mem.buffer); h = 2166136261 | 0; };

  // sent is the hash of the datagrams that have left, and frame that of a block.
  const sent = () => {
    views();
    const at = x.tactus_out(host) >>> 2;
    for (let i = 0, n = u32[at], o = at + 2; i < n; i++) {
      const size = u32[o++];
      word(size);
      bytes(o << 2, size);
      o += (size + 3) >> 2;
    }
    x.tactus_sent(host);
    return h >>> 0;
  };
  const frame = (block) => {
    views();
    const b = block >>> 2, components = u32[b + 9], singles = b + 10;
    for (let t = 0, w = singles + components; t < u32[b + 2]; t++, w += 6 + components) {
      const rows = u32[w + 2];
      for (let i = 0; i < 4; i++) word(u32[w + i]);
      if (u32[w + 4]) bytes(u32[w + 4], 4 * rows);
      for (let i = 0; i < components; i++) {
        for (let k = 0; k < rows && u32[w + 6 + i]; k++) value(u32[w + 6 + i] + k * grid[i].size, grid[i]);
      }
    }
    for (let i = 0; i < components; i++) if (u32[singles + i]) value(u32[singles + i], grid[i]);
    for (let i = 0, w = u32[b + 4] >>> 2; i < u32[b + 3]; i++, w += 8) {
      for (const word32 of [u32[w + 2], u32[w + 3], u32[w + 4], u32[w + 6], u32[w + 7]]) word(word32);
      bytes(u32[b + 5] + u32[w + 5], u32[w + 6]);
    }
    bytes(u32[b + 7], 8 * u32[b + 8]);
    return h >>> 0;
  };

  const count = { calls: 0, ticks: 0, frames: 0, compared: 0 };
  let tick = 0;
  const same = (what, got, want) => {
    count.compared++;
    if (got !== want) throw new Error(`call ${count.calls}, before tick ${tick}: ${what}: ${want} was recorded, and came out as ${got}; ${text()}`);
  };
  for (let kind; (kind = r.u8()) !== OVER; count.calls++) {
    if (kind === PUSHED) {
      const at = r.f64(), b = r.bytes();
      same('a datagram', x.tactus_push(host, at, put(b)), r.u8());
    } else if (kind === GIVEN) {
      same('an input', x.tactus_input(host, put(r.bytes())), 1);
    } else if (kind === SAID) {
      const what = r.u8(), b = r.bytes();
      same('what is said', x.tactus_send(host, what, 0, put(b)), r.u8());
    } else if (kind === ADVANCED) {
      const at = r.f64(), ticks = r.i32();
      tick = r.u32();
      same('ticks that ran', x.tactus_advance(host, at), ticks);
      same('the hash of the predicted world', BigInt.asUintN(64, x.tactus_hash(host)), r.u64());
      same('the hash of what is sent', sent(), r.u32());
      count.ticks += ticks;
    } else if (kind === DRAWN) {
      const at = r.f64(), block = x.tactus_frame(host, at);
      if (!block) throw new Error(text());
      same('the hash of what is drawn', frame(block), r.u32());
      count.frames++;
    } else throw new Error(`no call ${kind}`);
  }
  return count;
}

if (globalThis.process?.argv[1] && import.meta.url.endsWith(globalThis.process.argv[1].split('/').at(-1))) {
  const { readFileSync } = await import('node:fs');
  const { createRequire } = await import('node:module');
  const [file, exec, recorded] = process.argv.slice(2);
  createRequire(import.meta.url)(exec);
  const recording = readFileSync(recorded);
  const x = await start(await WebAssembly.compile(readFileSync(file)), opening(recording).now);
  console.log(JSON.stringify(replay(x, recording)));
  process.exit(0);
}
