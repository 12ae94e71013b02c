import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canReturn, keptSeat, leaveSeat, Reason, seat, SeatError, storage, tabPlayer } from '../index.mjs';

// page stands in for a page at an address, with a server. answer returns [status, body] of a request, or throws.
function page(t, address, answer) {
  const before = Object.fromEntries(['location', 'history', 'sessionStorage', 'fetch'].map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  const stored = new Map(), asked = [];
  const define = (name, value) => Object.defineProperty(globalThis, name, { configurable: true, value });
  const at = new URL(address);
  define('location', at);
  define('history', { state: { own: 1 }, replaceState: (state, _, url) => { assert.deepEqual(state, { own: 1 }); at.href = new URL(url, at).href; } });
  define('sessionStorage', { getItem: (k) => stored.get(k) ?? null, setItem: (k, v) => stored.set(k, String(v)), removeItem: (k) => stored.delete(k) });
  define('fetch', async (url, { method = 'GET', body, headers = {}, signal } = {}) => {
    signal?.throwIfAborted();
    asked.push({ path: `${method} ${url}`, body: body && JSON.parse(body), headers });
    const [status, text] = await answer(`${method} ${url}`, asked.length);
    return Response.json(text, { status });
  });
  t.after(() => {
    for (const [name, d] of Object.entries(before)) if (d) Object.defineProperty(globalThis, name, d); else delete globalThis[name];
  });
  return { at, asked, paths: () => asked.map((a) => a.path) };
}

const admission = (more = {}) => ({ token: 'dG9rZW4=', room: '17', code: 'abcdef', spectator: false, endpoints: { udp: '127.0.0.1:1', ws: 'ws://127.0.0.1:2', webtransport: '' }, ...more });
const refused = (code, message = '') => [code === 'ended' ? 410 : 409, { code, message }];

test('the first player joins an open room, and the page has the link to it', async (t) => {
  const { at, asked, paths } = page(t, 'https://play.example/games/stars/?name=Ann&lang=de', () => [200, admission()]);
  const got = await seat({ schema: 'x', headers: { Authorization: 'Bearer y' } });
  assert.deepEqual(paths(), ['POST rooms/join']);
  assert.deepEqual(asked[0].body, { kind: 'game', schema: 'x' });
  assert.equal(asked[0].headers.Player, String(await tabPlayer()));
  assert.equal(asked[0].headers.Authorization, 'Bearer y');
  assert.deepEqual(got, { websocket: 'ws://127.0.0.1:2', token: 'dG9rZW4=', spectate: false, room: '17', code: 'abcdef', link: 'https://play.example/games/stars/?lang=de#abcdef' });
  assert.equal(at.href, 'https://play.example/games/stars/?name=Ann&lang=de#abcdef');
  assert.deepEqual(await keptSeat(), { room: '17', code: 'abcdef', watch: false });
  leaveSeat();
  assert.equal(at.hash, '');
  assert.equal(await keptSeat(), null);
});

test('a link leads into its room, and a reload back to the seat', async (t) => {
  let gone = false;
  const { paths } = page(t, 'http://127.0.0.1:8080/#AbcDef', (path) => (gone && path.endsWith('/reconnect') ? refused('no_seat') : [200, admission()]));
  await seat();
  await seat();
  gone = true; // the server has given the seat away
  await seat();
  assert.deepEqual(paths(), ['POST rooms/abcdef/join', 'POST rooms/17/reconnect', 'POST rooms/17/reconnect', 'POST rooms/17/join']);
});

test('a link to another room is stronger than the seat, and without a link the seat counts', async (t) => {
  const { at, paths } = page(t, 'http://127.0.0.1:8080/', () => [200, admission()]);
  await seat();
  at.hash = '#other1';
  await seat();
  at.hash = '';
  await seat();
  await seat({ room: '' });
  await seat({ room: 'other2' });
  assert.deepEqual(paths(), ['POST rooms/join', 'POST rooms/other1/join', 'POST rooms/17/reconnect', 'POST rooms/join', 'POST rooms/other2/join']);
});

test('the seat of another tab is not this one\'s', async (t) => {
  const { paths } = page(t, 'http://127.0.0.1:8080/', () => [200, admission()]);
  for (const kept of ['{"room":"17","code":"abcdef","watch":false,"player":1}', 'no JSON', '3', 'null']) {
    storage.session.setItem('tactus-seat', kept);
    assert.equal(await keptSeat(), null);
  }
  await seat();
  assert.deepEqual(paths(), ['POST rooms/join']);
});

test('rooms are created, waited for and watched', async (t) => {
  const list = [{ id: '1', free: 3 }, { id: '2', free: 1 }, { id: '3', free: 0, spectators: 4 }, { id: '4', free: 0, state: 'draining' }].map((r) => ({ state: 'open', capacity: 4, spectators: 0, max_spectators: 4, ...r }));
  const { asked, paths } = page(t, 'http://127.0.0.1:8080/', (path, n) => (path.startsWith('GET') ? [200, { rooms: list }] : path.endsWith('/queue') && n < 3 ? [202, { queued: 2 }] : [201, admission({ spectator: path.endsWith('/spectate') })]));
  const queued = [];
  await seat({ room: '', way: 'create', private: true, options: { name: 'x' }, kind: 'duel' });
  await seat({ room: '', way: 'queue', onQueued: (n) => queued.push(n) });
  assert.equal((await seat({ room: '', watch: true })).spectate, true);
  await seat();
  await seat({ watch: false });
  assert.deepEqual(asked[0].body, { kind: 'duel', options: { name: 'x' }, private: true });
  assert.deepEqual(queued, [2]);
  assert.deepEqual(paths(), ['POST rooms/create', 'POST rooms/queue', 'POST rooms/queue', 'GET rooms?kind=game&limit=100', 'POST rooms/2/spectate', 'POST rooms/17/spectate', 'POST rooms/abcdef/join']);
  list.length = 0;
  await assert.rejects(seat({ room: '', watch: true }), { code: 'no_room' });
});

test('without an address for browsers, the page says where the game is', async (t) => {
  const { paths } = page(t, 'http://127.0.0.1:8080/', (path) => [200, path === 'GET connect.json' ? { websocket: 'wss://play.example/play' } : admission({ endpoints: { udp: '', ws: '', webtransport: 'https://play.example:1/' } })]);
  const { websocket, webtransport } = await seat();
  assert.deepEqual([websocket, webtransport], ['wss://play.example/play', 'https://play.example:1/']);
  assert.deepEqual(paths(), ['POST rooms/join', 'GET connect.json']);
});

test('a refusal has a code and a sentence for players, and changes nothing', async (t) => {
  let say = refused('full');
  const { at } = page(t, 'http://127.0.0.1:8080/#abcdef', () => { if (say instanceof Error) throw say; return say; });
  const error = () => seat().then(() => assert.fail('there is a seat'), (e) => { assert.ok(e instanceof SeatError); return [e.code, e.message]; });
  assert.deepEqual(await error(), ['full', 'That room is full. Join another one, or create one.']);
  say = refused('ended');
  assert.deepEqual(await error(), ['ended', 'That room has ended.']);
  say = refused('forbidden', 'Log in first.');
  assert.deepEqual(await error(), ['forbidden', 'Log in first.']);
  say = refused('bad_body', 'no JSON');
  assert.deepEqual(await error(), ['bad_body', 'The server cannot give you a seat now. Try again later.']);
  say = new TypeError('Failed to fetch');
  assert.deepEqual(await error(), ['', 'The server is not responding. Check your network, and try again.']);
  assert.equal(at.hash, '#abcdef');
  assert.equal(await keptSeat(), null);
  await assert.rejects(seat({ signal: AbortSignal.abort(new Error('enough')) }), { message: 'enough' });
});

test('a lost connection leads back, a kick does not', () => {
  assert.deepEqual([Reason.TimedOut, Reason.Closing, Reason.RoomClaimed, Reason.Kicked, Reason.RoomEnded, Reason.Left].map(canReturn), [true, true, true, false, false, false]);
});
