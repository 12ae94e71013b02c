// Plays the arena in the module that is named first, over UDP, and says in one line of JSON what came of it.
// node [--expose-gc] play.mjs MODULE WASM_EXEC ADDRESS SECONDS
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createSocket } from 'node:dgram';

const [module, exec, address, seconds] = process.argv.slice(2);
createRequire(import.meta.url)(exec);
const go = new Go();
const { instance } = await WebAssembly.instantiate(readFileSync(module), go.importObject);
go.run(instance);
const x = instance.exports;
const now = () => performance.timeOrigin + performance.now();
const bytes = (at, n) => new Uint8Array(x.mem.buffer, at, n);
const words = (at, n) => new Uint32Array(x.mem.buffer, at, n);
const text = (n) => new TextDecoder().decode(bytes(x.tactus_room(0), n));
const room = (b) => { bytes(x.tactus_room(b.length), b.length).set(b); return b.length; };
const fail = (what) => { console.log(JSON.stringify({ failed: what, text: text(x.tactus_text()) })); process.exit(1); };

// Places of components, as the lines of the protocol have them.
const places = text(x.tactus_lines()).split('\n').filter((l) => /^(replicate|input|local) /.test(l))
  .map((l) => l.replace(/^\w+ ((predicted|interpolated|owner-only) )*/, '').split('{')[0]);
const position = places.indexOf('Position'), fighter = places.indexOf('Fighter'), owner = places.indexOf('Owner');

// Whatever a page passes ends in an error: these calls have no host, or lengths that do not fit.
const odd = [0, 1, -1, 2, 255, 256, 257, 2 ** 31 - 1, -(2 ** 31), 1 << 20, (1 << 20) + 1];
const times = [0, NaN, Infinity, -Infinity, 5e-324, 1e308, -1, now(), now() - 1e9, now() + 1e13];
const hostile = (h) => {
  for (const n of odd) {
    x.tactus_room(n);
    x.tactus_input(h, n); x.tactus_out(n); x.tactus_end(n);
    for (const m of odd) x.tactus_send(h, m, n, m), x.tactus_send(h, 0, n, m), x.tactus_send(h, 2, m, n), x.tactus_input(n, m);
    for (const t of times) {
      x.tactus_push(h, t, n);
      if (!(t > now() - 60e3 && t < now() + 60e3)) x.tactus_advance(h, t), x.tactus_frame(h, t); // else it would be one
      x.tactus_advance(n > 1 ? n : 0, t); x.tactus_frame(n > 1 ? n : 0, t);
    }
    if (n !== h) x.tactus_close(n), x.tactus_free(n), x.tactus_sent(n);
  }
};
hostile(1);
for (const n of odd) for (const m of odd) for (const t of times) {
  const h = x.tactus_open(t, n, m, n, t, m);
  if (h > 0) x.tactus_free(h);
}

const name = new TextEncoder().encode(address);
const before = x.tactus_open(performance.now(), room(name), 0, -1, 0, 0);
const clock = { host: before, text: text(x.tactus_text()) };
const host = x.tactus_open(now(), room(name), 0, -1, 0, 1);
if (host < 1) fail('open');

const [ip, port] = address.split(':');
const socket = createSocket('udp4');
socket.on('message', (b) => { room(b); x.tactus_push(host, now(), b.length); });
const flush = () => {
  const at = x.tactus_out(host), [n, size] = words(at, 2);
  for (let i = 0, o = at + 8; i < n; i++) {
    const len = words(o, 1)[0];
    socket.send(bytes(o + 4, len).slice(), Number(port), ip);
    o += 4 + ((len + 3) & ~3);
  }
  x.tactus_sent(host);
};

const input = new Uint8Array(16); // more than any input has; the size is found by trying
let size = 0;
for (let n = 0; n <= 16 && !size; n++) if (x.tactus_input(host, room(input.subarray(0, n)))) size = n;
const result = { clock, size, frames: 0, rows: 0, came: 0, gone: 0, moved: 0, shots: 0, joined: 0, said: 0, ms: 0, end: 0 };
let first, last, from, hurt = false, heap0 = 0;
const began = now();
const frame = () => {
  const t = now();
  if (t - began > seconds * 1000 && result.frames > 150) return finish(); // a slow machine draws fewer frames
  input[0] = (t - began) % 2000 < 1000 ? 8 | 16 : 4; // right and fire, then left
  const t0 = performance.now();
  x.tactus_input(host, room(input.subarray(0, size)));
  if (x.tactus_advance(host, t) < 0) return finish();
  const at = x.tactus_frame(host, t);
  if (!at) fail('frame');
  const b = words(at, words(at, 1)[0]);
  const stats = new Float64Array(x.mem.buffer, b[7], b[8]);
  result.rows = 0;
  const c = b[9];
  for (let i = 0, w = 10 + c; i < b[2]; i++, w += 6 + c) {
    const rows = b[w + 2];
    result.rows += b[w + 6 + position] ? rows : 0;
    if (!b[w + 6 + owner] || !b[w + 6 + fighter]) continue;
    const owners = words(b[w + 6 + owner], rows), places = new Float32Array(x.mem.buffer, b[w + 6 + position], 2 * rows);
    for (let r = 0; r < rows; r++) if (owners[r] === stats[0]) {
      first ??= places[2 * r]; last = places[2 * r];
      result.moved = Math.max(result.moved, Math.abs(last - first));
      result.shots = bytes(b[w + 6 + fighter], 2 * rows)[2 * r + 1];
    }
  }
  for (let i = 0; i < b[3]; i++) {
    const kind = bytes(b[4] + 32 * i, 32)[30];
    if (kind === 1) result.came++;
    if (kind === 0) result.gone++;
    if (kind === 5) result.said++;
  }
  result.joined = stats[2];
  result.ms += performance.now() - t0;
  flush();
  if (++result.frames === 60) { // Say: a length, and up to 80 bytes
    const say = new Uint8Array(81);
    say[0] = 5; say.set(new TextEncoder().encode('hello'), 1);
    if (!x.tactus_send(host, 0, 0, room(say))) fail('send');
  }
  if (result.frames === 90) { hostile(host); hurt = true; }
  setTimeout(frame, 16);
};
const finish = () => {
  result.end = x.tactus_end(host); result.why = text(x.tactus_text());
  result.ms /= result.frames; result.hurt = hurt;
  x.tactus_close(host); flush(); x.tactus_free(host);
  result.after = x.tactus_end(host);
  setTimeout(() => { console.log(JSON.stringify(result)); process.exit(0); }, 50);
};
frame();
