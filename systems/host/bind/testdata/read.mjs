// Reads rows through bindings and writes them anew: node read.mjs KIT SAMPLES; what came of it goes out as JSON.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bind } from '../../js/index.mjs';

const generated = await import(pathToFileURL(process.argv[2]).href), kit = bind(generated.default);
const samples = JSON.parse(readFileSync(process.argv[3], 'utf8'));
const BASE = 4096, TABLE = 64; // where rows begin; the word index of addresses
const buffer = new ArrayBuffer(1 << 20);
const m = {
  u8: new Uint8Array(buffer), i8: new Int8Array(buffer), u16: new Uint16Array(buffer), i16: new Int16Array(buffer), u32: new Uint32Array(buffer),
  i32: new Int32Array(buffer), u64: new BigUint64Array(buffer), i64: new BigInt64Array(buffer), f32: new Float32Array(buffer), f64: new Float64Array(buffer),
};
const scratch = new DataView(new ArrayBuffer(8));
const bits = (x) => { scratch.setFloat64(0, x); return scratch.getBigUint64(0).toString(16).padStart(16, '0'); };
const float = (s) => { scratch.setBigUint64(0, BigInt('0x' + s)); return scratch.getFloat64(0); };
const show = (what, x) => (what === 'float' ? bits(x) : String(x));
const steps = (path) => path.match(/[^.[\]]+/g).map((s) => (/^\d/.test(s) ? Number(s) : s));

// ofColumn is a value of a row, by the names and the indices on the way to it.
function ofColumn(column, { Path, What }, row) {
  const all = steps(Path), at = [row, ...all.filter((s) => typeof s === 'number')];
  let o = column, owner;
  const go = (name) => { owner = o; o = o[name]; };
  all.filter((s) => typeof s === 'string').forEach(go);
  if (What === 'count') {
    for (let n = all.length - 1 - all.findLastIndex((s) => typeof s === 'string'); n > 0 && typeof o.get === 'object'; n--) go('get'); // lists in lists
    go('length');
  }
  while (typeof o !== 'function') go('get'); // elements without fields
  return o.call(owner, ...at);
}

const walk = (o, path) => path.reduce((o, s) => (typeof s === 'number' ? o.get(s) : o[s]), o);
const ofValue = (value, { Path, What }) => walk(value, [...steps(Path), ...(What === 'count' ? ['length'] : [])]);

function write(value, { Path, What, Value }, was) {
  const path = [...steps(Path), ...(What === 'count' ? ['length'] : [])];
  const last = path.pop(), o = walk(value, path);
  const x = What === 'text' ? Value : What === 'bool' ? Value === 'true' : What === 'float' ? float(Value) : typeof was === 'bigint' ? BigInt(Value) : Number(Value);
  if (typeof last === 'number') o.set(last, x);
  else o[last] = x;
}

const out = samples.map(({ Name, Place, Rows, Hex }) => {
  const size = Hex[0].length / 2;
  m.u8.fill(0);
  Hex.forEach((h, r) => m.u8.set(Buffer.from(h, 'hex'), BASE + r * size));
  const result = { Name, Columns: [], Values: [], Written: [] };
  const table = new kit.Table(m), one = new kit.Singletons(m);
  if (Place >= 0) {
    m.u32[TABLE + Place] = BASE;
    table.set(TABLE);
    one.set(TABLE);
  }
  const told = new kit.Told(m);
  Rows.forEach((fields, r) => {
    const at = BASE + r * size;
    let value = null;
    if (Place >= 0) {
      result.Columns.push(fields.map((f) => ({ ...f, Value: show(f.What, ofColumn(table[Name], f, r)) })));
      if (Name in one && r === 0) value = one[Name];
    } else {
      value = told.read({ kind: 'message', which: kit.sent[Name].which, at, size });
      if (value.type !== Name) throw new Error(`${value.type} is told for ${Name}`);
      const fresh = new kit.sent[Name].Value();
      for (const f of fields) write(fresh, f, ofValue(value, f));
      result.Written.push(Buffer.from(fresh.bytes).toString('hex'));
    }
    if (value) result.Values.push(fields.map((f) => ({ ...f, Value: show(f.What, ofValue(value, f)) })));
  });
  return result;
});

// What is absent, out of bounds, or has moved.
const table = new kit.Table(m);
m.u32.fill(0, TABLE, TABLE + 64);
table.set(TABLE);
if (table.Plain !== null || new kit.Singletons(m).set(TABLE).Lists !== null) throw new Error('what is absent is not null');
m.u32[TABLE + samples.find((s) => s.Name === 'Plain').Place] = BASE;
const plain = table.set(TABLE).Plain, floats = plain.floats(4);
if (plain.floats(4) !== floats || plain.floats(5) === floats || floats.length !== 12 || floats.byteOffset !== BASE) throw new Error('floats');
const note = new kit.sent.ListsNote.Value();
for (const wrong of [() => note.Marks.set(5, 1), () => note.Marks.get(-1), () => { note.Marks.length = 6; }, () => note.Slots.get(NaN),
  () => new kit.Told(m).read({ kind: 'message', which: 0, at: 8, size: 3 })]) {
  let thrown = null;
  try { wrong(); } catch (e) { thrown = e; }
  if (!(thrown instanceof RangeError)) throw new Error(`${wrong} throws ${thrown}`);
}
note.Name = 'sixteen bytes: 😀';
if (note.Name !== 'sixteen bytes: ') throw new Error(`a text that is too long is cut to ${note.Name}`);
note.Name = 'a';
if (note.bytes.subarray(1, 17).some((b, i) => i > 0 && b !== 0)) throw new Error('what was behind a text is left');
const f32 = m.f32;
m.f32 = new Float32Array(buffer.slice(0));
if (plain.floats(5).buffer !== m.f32.buffer) throw new Error('floats of memory that is gone');
m.f32 = f32;
const login = new kit.Login();
login.Name = 'Ada';
login.Side = 1;
if (Buffer.from(login.bytes).toString('hex') !== '034164610001') throw new Error('login');
const numbers = new kit.sent.NumbersNote.Value();
numbers.E = 1e9; numbers.T = -3; numbers.P = 65536 + 512;
if (numbers.E !== 32767 || numbers.T !== 0 || numbers.P !== 512) throw new Error('numbers out of range');
const plains = samples.find((s) => s.Name === 'Plain');
m.u8.set(Buffer.from(plains.Hex[0], 'hex'), BASE);
const began = new kit.Told(m).read({ kind: 'began', which: 0, at: BASE, size: 12 });
if (began.type !== 'Plain' || bits(began.Y) !== plains.Rows[0][1].Value) throw new Error('an outcome');
if (new kit.Told(m).read({ kind: 'event', which: 1, at: BASE, size: 1 }).type !== 'Bang') throw new Error('an event');
if (new kit.Told(m).read({ kind: 'event', which: 0, at: BASE, size: 1 }) !== null) throw new Error('an event that is not told');
if (new kit.Told(m).read({ kind: 'came', which: 0, at: BASE, size: 0 }) !== null) throw new Error('news without a value');
if (new kit.Told(m).read({ kind: 'message', which: 99, at: 8, size: 3 }) !== null) throw new Error('which');
console.log(JSON.stringify({ rows: out, hash: kit.hash, lines: kit.lines, mood: generated.Mood, heap: heap() }));

// heap is how many bytes a frame leaves behind.
function heap() {
  const numbers = samples.find((s) => s.Name === 'Numbers'), lists = samples.find((s) => s.Name === 'Lists');
  Buffer.from(numbers.Hex.join(''), 'hex').copy(Buffer.from(buffer), BASE);
  Buffer.from(lists.Hex[0], 'hex').copy(Buffer.from(buffer), 2 * BASE);
  m.u32[TABLE + numbers.Place] = BASE;
  m.u32[TABLE + lists.Place] = 2 * BASE;
  const labels = new kit.sent.ListsNote.Value(m).set(2 * BASE).Labels;
  labels.set(0, 'abc');
  labels.set(1, 'xyz');
  const input = new kit.Input(), one = new kit.Singletons(m);
  const total = new Float64Array(1); // a variable would be garbage itself
  const frame = () => {
    let sum = 0;
    const { Numbers: n, Plain: p } = table.set(TABLE);
    const l = one.set(TABLE).Lists;
    for (let r = 0; r < 12; r++) sum = (sum + n.B(r) + n.F(r) + n.J(r) + n.N(r) + n.Q(r) + p.X(0)) % 1000;
    sum += l.Name.length + l.Slots.length + l.Slots.get(1).Item + l.Marks.get(0) + p.floats(4).length;
    sum += table.Lists.Labels(0, 0).length + table.Lists.Labels(0, 1).length + l.Labels.get(0).length + l.Labels.get(1).length;
    input.Keys = sum & 7;
    input.Aim = sum;
    total[0] += sum;
  };
  for (let i = 0; i < 20000; i++) frame();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1000; i++) frame(); // fewer than fill what is collected young
  return (process.memoryUsage().heapUsed - before) / 1000;
}
