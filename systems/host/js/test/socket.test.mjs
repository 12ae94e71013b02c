// What decides between WebTransport and WebSocket, with both made up, and with time that stands until it is moved.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Socket } from '../socket.mjs';

const made = [];

// Web is a WebSocket that opens at once.
class Web {
  constructor(url) {
    made.push(['websocket', url]);
    this.bufferedAmount = 0;
    queueMicrotask(() => this.onopen());
  }

  send() {}

  close() {
    made.push(['websocket', 'closed']);
  }
}

// transport is a WebTransport that does as ready says.
const transport = (ready) => class {
  constructor(url, options) {
    made.push(['webtransport', url]);
    this.options = options;
    this.closed = new Promise((ok, bad) => Object.assign(this, { ok, bad }));
    this.ready = ready(this);
    this.datagrams = { readable: new ReadableStream(), writable: new WritableStream() };
    globalThis.WebTransport.last = this;
  }

  close() {
    made.push(['webtransport', 'closed']);
    this.ok();
  }
};

const works = transport(async () => {});
const refuses = transport(async (s) => { s.bad(new Error('refused')); throw new Error('refused'); });
const silent = transport(() => new Promise(() => {}));
const both = { webtransport: 'https://game', websocket: 'ws://game' };

const place = (t, to, change) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(AbortSignal, 'timeout', (ms) => { // so that it, too, would be noticed
    const a = new AbortController();
    setTimeout(() => a.abort(), ms);
    return a.signal;
  });
  return new Socket(to, { WebSocket: Web, message() {}, change });
};

beforeEach(() => {
  made.length = 0;
  delete globalThis.WebTransport;
});

for (const [name, to] of [['webtransport', both], ['websocket', { websocket: 'ws://game' }]]) {
  test(`${name}: a link that is open stays open, however long that is`, async (t) => {
    globalThis.WebTransport = works;
    const links = [];
    const s = place(t, to, (kind) => links.push(kind));
    await s.open();
    t.mock.timers.tick(60_000);
    await turn();
    assert.deepEqual([made, links], [[[name, to[name]]], [name]]);
  });
}

for (const [name, kind, moved] of [['refuses', refuses, 0], ['is missing', undefined, 0], ['never answers', silent, 1000]]) {
  test(`WebSocket is taken where WebTransport ${name}, and kept`, async (t) => {
    if (kind) globalThis.WebTransport = kind;
    const links = [];
    const s = place(t, both, (kind) => links.push(kind));
    const open = s.open();
    if (moved) {
      t.mock.timers.tick(moved - 1);
      await turn();
      assert.deepEqual([made, links], [[['webtransport', both.webtransport]], []]);
      t.mock.timers.tick(1);
    }
    await open;
    assert.deepEqual(links, ['websocket']);
    assert.deepEqual(made.at(-1), ['websocket', both.websocket]);
    const before = made.length;
    await s.open(); // as it does once the link is lost
    assert.deepEqual(made.slice(before), [['websocket', both.websocket]]);
  });
}

test('what ends while it opens is no link', async (t) => {
  globalThis.WebTransport = transport(async (s) => s.ok());
  const links = [];
  const s = place(t, both, (kind) => links.push(kind));
  await s.open();
  assert.deepEqual(links, ['websocket']);
});

test('certificates are told by their hashes, and only where there are some', async (t) => {
  globalThis.WebTransport = works;
  const hash = Uint8Array.from({ length: 32 }, (_, i) => 8 * i), value = hash;
  await place(t, { ...both, hashes: [hash, btoa(String.fromCharCode(...hash))] }).open();
  assert.deepEqual(works.last.options.serverCertificateHashes, [{ algorithm: 'sha-256', value }, { algorithm: 'sha-256', value }]);
  t.mock.timers.reset();
  await place(t, both).open();
  assert.equal('serverCertificateHashes' in works.last.options, false);
});

test('a WebSocket is given the same arrays again and again, while memory stays where it is', async (t) => {
  const sent = [];
  t.mock.method(Web.prototype, 'send', (b) => sent.push(b));
  const s = place(t, { websocket: 'ws://game' });
  await s.open();
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 });
  let u8 = new Uint8Array(memory.buffer);
  u8.set([1, 2, 3, 4, 5, 6], 8);
  for (const [from, to] of [[8, 10], [8, 11], [8, 10], [8, 11], [9, 11]]) s.send(u8, from, to);
  assert.deepEqual(sent.map((b) => [...b]), [[1, 2], [1, 2, 3], [1, 2], [1, 2, 3], [2, 3]]);
  assert.deepEqual([sent[2] === sent[0], sent[3] === sent[1]], [true, true]);
  memory.grow(1);
  u8 = new Uint8Array(memory.buffer);
  s.send(u8, 9, 11);
  s.send(new Uint8Array(memory.buffer), 9, 11);
  assert.deepEqual([...sent[5]], [2, 3]);
  assert.equal(sent[6], sent[5]);
});

test('a socket that is closed and opened again, while it dials or waits to, has one link', async (t) => {
  const moments = { 'while it waits': async () => { for (let i = 0; i < 4; i++) await turn(); }, 'while it dials': async () => {} };
  for (const [name, until] of Object.entries(moments)) await t.test(name, async (t) => {
    let works = true;
    const open = new Set();
    class Unsteady {
      constructor() {
        this.bufferedAmount = 0;
        const opens = works;
        setImmediate(() => {
          if (opens) open.add(this);
          if (opens) this.onopen(); else this.onclose({ code: 1006 });
        });
      }

      close() { open.delete(this); }
    }
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const s = new Socket({ websocket: 'ws://game' }, { WebSocket: Unsteady, message() {} });
    await s.open();
    works = name === 'while it dials'; // the link is gone, and the next attempts fail until here says otherwise
    const [first] = open;
    open.clear();
    first.onclose({ code: 1006 });
    await until();
    works = true;
    for (let i = 0; i < 2; i++) { // a page goes and comes back, twice
      s.close();
      s.reopen();
    }
    for (let i = 0; i < 20; i++) {
      t.mock.timers.tick(1000);
      await turn();
    }
    assert.equal(open.size, 1);
    s.close();
    assert.equal(open.size, 0);
  });
});

test('a socket that waits to dial again dials at once when it is told to', async (t) => {
  let works = true, dialed = 0, open;
  class Unsteady {
    constructor() {
      dialed++;
      this.bufferedAmount = 0;
      queueMicrotask(() => (works ? (open = this).onopen() : this.onclose({ code: 1006 })));
    }

    close() {}
  }
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const s = new Socket({ websocket: 'ws://game' }, { WebSocket: Unsteady, message() {} });
  await s.open();
  works = false;
  open.onclose({ code: 1006 });
  for (let i = 0; i < 10; i++) { // the pauses become longer
    t.mock.timers.tick(4999);
    await turn();
  }
  works = true;
  const before = dialed;
  s.reopen();
  await turn();
  assert.ok(s.link && dialed === before + 1);
  s.reopen();
  await turn();
  assert.equal(dialed, before + 1, 'it has a link');
});

test('only a session makes the pauses between sockets short again', async (t) => {
  const opened = [];
  class Storm { // a server that accepts sockets
    constructor() {
      this.bufferedAmount = 0;
      opened.push({ at: Date.now(), socket: this });
      queueMicrotask(() => this.onopen());
    }

    close() {}
  }
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const s = new Socket({ websocket: 'ws://game' }, { WebSocket: Storm, message() {} });
  await s.open();
  const next = async (first) => { // closes the socket and returns the pause until the next one
    const from = Date.now(), n = opened.length;
    const { socket } = opened.at(-1);
    if (first) socket.onmessage({ data: Uint8Array.of(first).buffer });
    socket.onclose({ code: 1006 });
    for (let ms = 0; ms <= 5000 && opened.length === n; ms += 5) {
      t.mock.timers.tick(5);
      for (let i = 0; i < 3; i++) await turn();
    }
    return Date.now() - from;
  };
  const between = (pause, most) => assert.ok(pause >= most / 2 && pause <= most + 5, `${pause} ms, want ${most / 2} to ${most}`);
  for (const most of [250, 500, 1000, 2000, 4000, 5000, 5000]) between(await next(), most);
  between(await next(0x12), 5000); // a challenge
  between(await next(0x15), 250); // a payload
  between(await next(), 500);
});

test('a server that refuses sockets gets at least a second before each attempt', async (t) => {
  const at = [];
  class Busy {
    constructor() {
      at.push(Date.now());
      queueMicrotask(() => this.onclose({ code: 1006 }));
    }

    close() {}
  }
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const s = new Socket({ websocket: 'ws://game' }, { WebSocket: Busy, message() {} });
  s.redial();
  for (let ms = 0; ms < 30_000; ms += 20) {
    await turn();
    t.mock.timers.tick(20);
    for (let i = 0; i < 3; i++) await turn();
  }
  s.close();
  assert.ok(at.length > 5);
  for (let i = 1; i < at.length; i++) assert.ok(at[i] - at[i - 1] >= 1000 && at[i] - at[i - 1] <= 5040, `${at[i] - at[i - 1]} ms`);
});
