// Classes that read and write a game's types in memory, made of the layout that go generate wrote.
//
// A type is { size, in: fields }. A field is { name, at } and one of: { as } a number; { text: most } and { list: most }, whose count
// of kind count comes before the body; { array: length }; { in } a structure. of is the type of the elements of an array or list.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true }), encoder = new TextEncoder();

// Place is where a value or a column is: at byte p of the memory m.
class Place {
  constructor(m) {
    this.m = m;
    this.p = 0;
  }
}

// cells returns, by kind of number, the function that reads a number of row r and of up to two indices. a, b and d are the sizes of
// what these count. u53 and i53 are 64 bits that a number represents exactly.
const cells = {
  bool: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.u8[c.p + r * a + i * b + j * d + at] !== 0,
  u8: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.u8[c.p + r * a + i * b + j * d + at],
  i8: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.i8[c.p + r * a + i * b + j * d + at],
  u16: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.u16[(c.p + r * a + i * b + j * d + at) >>> 1],
  i16: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.i16[(c.p + r * a + i * b + j * d + at) >>> 1],
  u32: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.u32[(c.p + r * a + i * b + j * d + at) >>> 2],
  i32: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.i32[(c.p + r * a + i * b + j * d + at) >>> 2],
  u64: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.u64[(c.p + r * a + i * b + j * d + at) >>> 3],
  i64: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.i64[(c.p + r * a + i * b + j * d + at) >>> 3],
  f32: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.f32[(c.p + r * a + i * b + j * d + at) >>> 2],
  f64: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => c.m.f64[(c.p + r * a + i * b + j * d + at) >>> 3],
  u53: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => {
    const w = (c.p + r * a + i * b + j * d + at) >>> 2;
    return c.m.u32[w + 1] * 4294967296 + c.m.u32[w];
  },
  i53: (c, a, b, d, at) => (r = 0, i = 0, j = 0) => {
    const w = (c.p + r * a + i * b + j * d + at) >>> 2;
    return c.m.i32[w + 1] * 4294967296 + c.m.u32[w];
  },
};

const shifts = { u8: 0, i8: 0, u16: 1, i16: 1, u32: 2, i32: 2, f32: 2, u64: 3, i64: 3, f64: 3 };

function write(m, as, at, x) {
  switch (as) {
    case 'bool': m.u8[at] = x ? 1 : 0; return;
    case 'u53': case 'i53': {
      const high = Math.floor(x / 4294967296);
      m.u32[at >>> 2] = x - high * 4294967296;
      m.u32[(at >>> 2) + 1] = high;
      return;
    }
    default: m[as][at >>> shifts[as]] = x;
  }
}

// Limits of whole numbers. Those of 64 bits are the largest and smallest that a number represents within their range.
const ranges = {
  u8: [0, 255], i8: [-128, 127], u16: [0, 65535], i16: [-32768, 32767], u32: [0, 4294967295], i32: [-2147483648, 2147483647],
  u53: [0, 18446744073709549568], i53: [-9223372036854775808, 9223372036854774784],
};

// fit rounds x as a field says: 'wrap' for angles, which wrap in memory, 'clamp' for other numbers with a range.
function fit({ as, round }, x) {
  if (round === 'wrap') return Math.round(x);
  if (round !== 'clamp') return x;
  const [lo, hi] = ranges[as];
  return x > hi ? hi : x > lo ? Math.round(x) : lo;
}

// readText decodes a text again only when its bytes have changed. seen caches texts by their place in the value or column.
function readText(m, n, at, most, seen, key) {
  const { u8 } = m, size = Math.min(n, most);
  let was = seen.get(key);
  if (was === undefined) seen.set(key, (was = { size: 0, bytes: new Uint8Array(most), text: '' }));
  let i = was.size === size ? 0 : -1;
  while (i >= 0 && i < size) i = was.bytes[i] === u8[at + i] ? i + 1 : -1;
  if (i >= 0) return was.text;
  was.bytes.set(u8.subarray(at, at + size));
  was.size = size;
  return (was.text = decoder.decode(was.bytes.subarray(0, size)));
}

// writeText cuts a text that is too long between runes.
function writeText(c, at, { text, count, body }, x) {
  const room = c.m.u8.subarray(c.p + at + body, c.p + at + body + text);
  write(c.m, count, c.p + at, encoder.encodeInto(x, room.fill(0)).written);
}

function within(i, n) {
  if (!(i >= 0 && i < n)) throw new RangeError(`element ${i} is out of range: there are ${n}`);
}

// column returns an object with a method for each field of a row. Its place is c.
function column(c, { size, in: fields, floats }) {
  const to = members({}, c, fields, [size], 0);
  if (floats) {
    let was = null;
    to.floats = (rows) => {
      const { f32 } = c.m, n = rows * (size / 4);
      if (was !== null && was.buffer === f32.buffer && was.byteOffset === c.p && was.length === n) return was;
      return (was = f32.subarray(c.p >>> 2, (c.p >>> 2) + n));
    };
  }
  return to;
}

// members adds fields to an object. steps are the sizes of what the parameters of a method count: rows, and indices.
function members(to, c, fields, steps, at) {
  for (const f of fields) member(to, f.name, f, c, steps, at + f.at);
  return to;
}

function member(to, name, f, c, steps, at) {
  if (f.as) to[name] = spread(steps, (a, b, d) => cells[f.as](c, a, b, d, at));
  else if (f.text) to[name] = spread(steps, (a, b, d) => texts(c, f, a, b, d, at));
  else if (f.array) member(to, name, f.of, c, [...steps, f.of.size], at);
  else if (f.list) {
    const inner = (to[name] = { length: spread(steps, (a, b, d) => lengths(c, f, a, b, d, at)) });
    const deeper = [...steps, f.of.size], from = at + f.body;
    if (f.of.in) members(inner, c, f.of.in, deeper, from);
    else member(inner, 'get', f.of, c, deeper, from);
  } else to[name] = members({}, c, f.in, steps, at);
}

// spread returns a function of as many parameters as there are steps. make returns it for up to three.
function spread(steps, make) {
  if (steps.length <= 3) return make(steps[0], steps[1] ?? 0, steps[2] ?? 0);
  const f = make(1, 0, 0);
  return (...x) => f(x.reduce((sum, i, k) => sum + i * steps[k], 0));
}

function texts(c, f, a, b, d, at) {
  const count = cells[f.count](c, 1, 0, 0, at), seen = new Map();
  return (r = 0, i = 0, j = 0) => {
    const o = r * a + i * b + j * d;
    return readText(c.m, count(o), c.p + o + at + f.body, f.text, seen, o);
  };
}

function lengths(c, f, a, b, d, at) {
  const count = cells[f.count](c, a, b, d, at);
  return (r = 0, i = 0, j = 0) => Math.min(count(r, i, j), f.list);
}

// property adds a field to an object that can be read and written.
function property(to, c, f, at) {
  if (f.as) {
    Object.defineProperty(to, f.name, { get: cells[f.as](c, 0, 0, 0, at), set: (x) => write(c.m, f.as, c.p + at, fit(f, x)), enumerable: true });
  } else if (f.text) {
    Object.defineProperty(to, f.name, { get: texts(c, f, 0, 0, 0, at), set: (x) => writeText(c, at, f, x), enumerable: true });
  } else to[f.name] = f.in ? properties({}, c, f.in, at) : elements(c, f, at);
}

function properties(to, c, fields, at) {
  for (const f of fields) property(to, c, f, at + f.at);
  return to;
}

// elements returns the object of an array or a list.
function elements(c, f, at) {
  const n = f.array ?? f.list, e = f.of, from = at + (f.body ?? 0), items = [], to = {};
  const read = e.as ? cells[e.as](c, e.size, 0, 0, from) : e.text ? texts(c, e, e.size, 0, 0, from)
    : (i) => (items[i] ??= e.in ? properties({}, c, e.in, from + i * e.size) : elements(c, e, from + i * e.size));
  to.get = (i) => { within(i, n); return read(i); };
  if (e.as) to.set = (i, x) => { within(i, n); write(c.m, e.as, c.p + from + i * e.size, fit(e, x)); };
  if (e.text) to.set = (i, x) => { within(i, n); writeText(c, from + i * e.size, e, x); };
  if (f.array) return Object.defineProperty(to, 'length', { value: n });
  return Object.defineProperty(to, 'length', { get: lengths(c, f, 0, 0, 0, at), set: (x) => { within(x, n + 1); write(c.m, f.count, c.p + at, x); } });
}

// memory allocates memory for one value.
function memory(size) {
  const b = new ArrayBuffer((size + 7) & ~7);
  return {
    u8: new Uint8Array(b), i8: new Int8Array(b), u16: new Uint16Array(b), i16: new Int16Array(b), u32: new Uint32Array(b),
    i32: new Int32Array(b), u64: new BigUint64Array(b), i64: new BigInt64Array(b), f32: new Float32Array(b), f64: new Float64Array(b),
  };
}

// valueClass returns the class of a type's values, in a module's memory m or in their own.
function valueClass({ size, in: fields }) {
  return class {
    #place;

    constructor(m) {
      this.#place = new Place(m ?? memory(size));
      this.bytes = m ? null : this.#place.m.u8.subarray(0, size);
      properties(this, this.#place, fields, 0);
    }

    set(address) {
      this.#place.p = address;
      return this;
    }
  };
}

// shown sets the columns or singletons of an object whose addresses begin at word at: null for those that are missing.
function shown(to, parts, u32, at) {
  for (let i = 0; i < parts.length; i++) {
    const x = parts[i];
    x.place.p = u32[at + x.number];
    to[x.name] = x.place.p ? x.of : null;
  }
  return to;
}

// bind returns the bindings of a game, with a class for each type of value.
export function bind({ lines, hash, enums, columns, one, input, login, values, told, sent }) {
  const classes = Object.fromEntries(values.map((v) => [v.name, valueClass(v)]));

  class Table {
    #m;
    #columns;

    constructor(m) {
      this.#m = m;
      this.rows = this.ids = 0;
      this.simulated = false;
      this.#columns = columns.map((k) => {
        const place = new Place(m);
        this[k.name] = null;
        return { name: k.name, number: k.place, place, of: column(place, k) };
      });
    }

    set(at) { return shown(this, this.#columns, this.#m.u32, at); }

    id(r) { return this.ids ? this.#m.u32[this.ids + r] : 0; }
  }

  class Singletons {
    #m;
    #values;

    constructor(m) {
      this.#m = m;
      this.#values = one.map((name) => {
        const k = columns.find((c) => c.name === name), place = new Place(m);
        this[name] = null;
        return { name, number: k.place, place, of: properties({}, place, k.in, 0) };
      });
    }

    set(at) { return shown(this, this.#values, this.#m.u32, at); }
  }

  class Told {
    #lists;

    constructor(m) {
      const lists = {};
      for (const kind of ['message', 'event', 'outcome']) {
        lists[kind] = told[kind].map((name) => name && Object.assign(new classes[name](m), { type: name, $size: values.find((v) => v.name === name).size }));
      }
      this.#lists = { ...lists, began: lists.outcome, committed: lists.outcome, cancelled: lists.outcome };
    }

    read({ kind, which, size, at }) {
      const v = this.#lists[kind]?.[which] ?? null;
      if (v === null) return null;
      if (size !== v.$size) throw new RangeError(`${v.type} has ${v.$size} bytes in the bindings and ${size} in the module: run go generate and reload both`);
      return v.set(at);
    }
  }

  return {
    lines, hash, ...enums, Table, Singletons, Told, Input: valueClass(input), ...(login && { Login: valueClass(login) }),
    sent: Object.fromEntries(sent.map(([name, what, which]) => [name, { what, which, Value: classes[name] }])),
  };
}
