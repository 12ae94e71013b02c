// One player's game: input, time, frames and news.
import { load } from './module.mjs';
import { Replay } from './replay.mjs';
import { bytesOf, Socket } from './socket.mjs';
import { Stats } from './stats.mjs';
import { storage } from './storage.mjs';

const SILENT = 1500; // ms without a datagram until the status is silent
const UNSEEN = 10; // snapshots a second that a hidden page asks for
const KINDS = ['gone', 'came', 'left', 'entered', 'loaded', 'message', 'event', 'began', 'committed', 'cancelled', 'refused'];
const origin = performance.timeOrigin, now = () => origin + performance.now(); // Unix time in milliseconds, with fractions

// Reason is the reason why a game has ended: host.Reason. Reasons of the game itself start at Application.
export const Reason = Object.freeze({
  Going: 0, Left: 1, Closing: 2, Kicked: 3, Replaced: 4, Protocol: 5, Flood: 6, TimedOut: 7, Elsewhere: 8, Expired: 9, OtherSchema: 10, OtherVersion: 11,
  Full: 12, Busy: 13, LoginRefused: 14, Closed: 15, Other: 16, Away: 17,
  RoomEnded: 64, RoomFailed: 65, RoomBanned: 66, RoomUnseated: 67, RoomClaimed: 68, Application: 128,
});

export class GameError extends Error {
  constructor(text, reason = 0, detail = '') {
    super(text);
    Object.assign(this, { name: 'GameError', reason, detail });
  }
}

export async function connect(options) {
  const module = await load(options.module, options);
  if (options.recording) return new Game(module, options);
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  const player = options.player ?? (token ? 0 : await tabPlayer());
  const game = new Game(module, { ...options, token, player, renew: typeof options.token === 'function' ? options.token : null });
  await game.socket.open().catch((e) => { module.x.tactus_free(game.host); throw e; });
  game.watch();
  return game;
}

const players = new Map(); // of this tab, by key

export function tabPlayer(key = 'tactus-player') {
  if (!players.has(key)) players.set(key, claim(key));
  return players.get(key);
}

async function claim(key) {
  if (!('sessionStorage' in globalThis)) return 0;
  const kept = Number(storage.session.getItem(key));
  if (kept && await hold(`${key} ${kept}`)) return kept;
  const made = 1 + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1));
  storage.session.setItem(key, String(made));
  void hold(`${key} ${made}`);
  return made;
}

// hold takes a lock until the page is hidden for good, and again when the page returns. It returns false if another tab has the
// lock: then the session storage is a copy, which a browser makes when it duplicates a tab. The page before a reload lets go at
// once, well within the timeout. Without locks, which browsers offer only to secure pages, it returns true.
function hold(name) {
  const { locks } = globalThis.navigator ?? {};
  if (!locks) return true;
  return new Promise((ok) => {
    const signal = AbortSignal.timeout(1000);
    const hidden = () => new Promise((go) => addEventListener('pagehide', go, { once: true }));
    locks.request(name, { signal }, () => {
      addEventListener('pageshow', (e) => { if (e.persisted) locks.request(name, hidden).catch(() => {}); });
      ok(true);
      return hidden();
    }).catch(() => ok(!signal.aborted));
  });
}

export class Game {
  constructor(module, { game, recording, of, webtransport, websocket, hashes, token, renew, login, server, player = 0, keep = 0, smooth = true, thin = false, sendRate = 0, spectate = false, insecure = false, reconnect = true, WebSocket, onLink, onTravel, onAdd, onRemove }) {
    check(module, game);
    const name = module.encoder.encode(server ?? new URL(websocket || webtransport || 'ws://localhost').host);
    const secret = bytesOf(token ?? new Uint8Array());
    const file = recording && bytesOf(recording), flags = (smooth ? 1 : 0) | (insecure ? 2 : 0) | (thin ? 4 : 0) | (reconnect && (renew || !token) ? 8 : 0) | (spectate ? 32 : 0) | Math.ceil(keep) << 8;
    module.put(file ?? Uint8Array.of(...name, ...secret, ...(login ?? [])));
    this.host = of ? module.x.tactus_open(now(), 0, 0, -1, of.host, flags & 4 | 64)
      : file ? module.x.tactus_open(now(), file.length, 0, -1, 0, flags & 4 | 16)
      : module.x.tactus_open(now(), name.length, secret.length, login?.length ?? -1, player, flags);
    if (!this.host) throw new GameError(module.text(), module.x.tactus_failed());
    Object.assign(this, { module: module.refresh(), bindings: game, input: new game.Input(), stats: new Stats(module), one: new game.Singletons(module) });
    Object.assign(this, { tables: [], made: [], news: new News(module), ended: null, generation: 0, called: Infinity, away: false, asking: false });
    Object.assign(this, { spectator: spectate, renew, sendRate, onAdd, onRemove, heeded: null });
    this.joined = new Promise((ok, bad) => Object.assign(this, { hasJoined: ok, hasNotJoined: bad }));
    this.joined.catch(() => {}); // prevents an unhandled rejection if nobody awaits it
    this.left = new Promise((ok) => { this.hasLeft = ok; });
    Object.assign(this, { links: [], onTravel, how: { hashes, WebSocket, change: onLink }, replay: file || of ? new Replay(this) : null });
    if (!this.replay) this.link(this.host, { webtransport, websocket });
  }

  last() { return new Game(this.module, { game: this.bindings, of: this }); }

  get socket() { return this.links[0]?.socket; }

  // link creates the socket of a link of the module.
  link(number, place) {
    const { module, how } = this;
    const message = (b) => this.live(module.x.tactus_push(number, (module.put(b), now()), b.byteLength));
    const change = (kind, why) => (how.change?.(kind, why), kind && this.live());
    const socket = new Socket({ ...place, hashes: how.hashes }, { ...how, message, change });
    this.links.push({ number, socket });
    return socket;
  }

  get status() {
    const { stats } = this;
    if (this.ended || !this.host) return 'over';
    if (stats.Lost) return 'reconnecting';
    if (!stats.Joined) return 'joining';
    return stats.Silence > SILENT ? 'silent' : 'playing';
  }

  get explanation() {
    if (this.ended) return this.ended.message;
    const { status, stats } = this;
    switch (status) {
      case 'joining': return 'Joining the game…';
      case 'silent': return 'The server is not responding. Waiting for it…';
      case 'reconnecting': return `${this.explain(stats.Lost).split('. ')[0].replace(/\.$/, '')}. Reconnecting…`; // without the advice, which the game follows itself
    }
    return '';
  }

  explain(reason) {
    const { module } = this, text = module.text(module.x.tactus_explain(reason));
    module.refresh();
    return text;
  }

  // watch leaves when the page is closed, and rejoins when the page returns. A hidden page asks for fewer snapshots.
  watch() {
    this.ask();
    if (!globalThis.document) return;
    this.heeded = { pagehide: () => this.leave(), pageshow: (e) => e.persisted && this.rejoin(), visibilitychange: () => this.ask() };
    for (const [kind, f] of Object.entries(this.heeded)) addEventListener(kind, f);
  }

  ask() {
    const { host, sendRate, module } = this, hidden = globalThis.document?.hidden;
    module.x.tactus_rate(host, hidden ? Math.min(sendRate || UNSEEN, UNSEEN) : sendRate);
  }

  unwatch() {
    for (const [kind, f] of Object.entries(this.heeded ?? {})) removeEventListener(kind, f);
    this.heeded = null;
  }

  // leave reports the player as away. It closes the sockets, because browsers do not cache pages with an open socket.
  leave() {
    if (!this.host || this.ended || this.away || this.replay) return;
    this.away = true;
    this.module.x.tactus_away(this.host);
    this.flush();
    for (const { socket } of this.links) socket.close();
  }

  rejoin() {
    const { module, host, links } = this;
    if (!host || !(this.ended || this.away || this.stats.Lost)) return;
    if (!module.x.tactus_rejoin(host, now())) throw new GameError(module.text());
    module.refresh();
    if (this.ended) this.left = new Promise((ok) => { this.hasLeft = ok; });
    Object.assign(this, { away: false, ended: null });
    for (const { socket } of links) socket.reopen();
  }

  // supply passes the module a token for the next session if it waits for one.
  supply() {
    const { module, host } = this;
    if (this.asking || !this.renew || !module.x.tactus_wants(host)) return;
    this.asking = true;
    Promise.resolve().then(this.renew).then((token) => {
      if (this.host === host && token) module.x.tactus_token(host, module.put(bytesOf(token)));
    }).catch(() => {}).then(() => setTimeout(() => { this.asking = false; }, 1000)); // tries again after a second
  }

  // live advances the game when the page does not, because the page is hidden or its frames take long. If the game ends, the next
  // advance throws the reason.
  live() {
    const { x } = this.module.refresh();
    if (this.away) return;
    if (performance.now() - this.called > 100 && x.tactus_advance(this.host, now()) >= 0) this.flush();
  }

  // Two calls of the module, because a variable that holds either time would be boxed.
  advance(at) {
    const { module, host } = this;
    if (this.away) return 0; // until the page is back
    if (this.ended) throw this.ended;
    if (!module.x.tactus_input(host, module.put(this.input.bytes))) throw new GameError(module.text());
    this.called = at === undefined ? performance.now() : Infinity; // a caller that passes times also keeps the game running
    const ticks = at === undefined ? module.x.tactus_advance(host, now()) : module.x.tactus_advance(host, at);
    if (ticks < 0) {
      const wrong = module.text(), reason = module.x.tactus_end(host);
      if (!(reason > 0)) throw new GameError(wrong);
      const [text, detail] = module.text().split('\n', 2);
      this.over(new GameError(text, reason, detail));
      for (const { socket } of this.links) socket.close(); // the server no longer answers
      throw this.ended;
    }
    this.flush();
    return ticks;
  }

  over(why) {
    this.ended = why;
    this.hasNotJoined(why);
    this.hasLeft(why);
  }

  // follow starts the move to another room. The current session continues until the new one has started.
  follow([link, kind, schema, websocket, webtransport, token]) {
    if (+link) this.link(+link, { websocket, webtransport }).redial();
    else this.onTravel?.({ kind, schema, websocket, webtransport, token });
  }

  flush() {
    const { module: { x }, links } = this, ticket = x.tactus_ticket(this.host);
    this.supply();
    if (ticket) this.follow(this.module.text(ticket).split('\n'));
    for (let k = links.length - 1; k >= 0; k--) {
      const { number, socket } = links[k];
      const at = x.tactus_out(number) >>> 2;
      const { u32, u8 } = this.module.refresh();
      for (let i = 0, n = at && u32[at], o = at + 2; i < n; i++) {
        const size = u32[o++];
        socket.send(u8, o << 2, (o << 2) + size);
        o += (size + 3) >> 2;
      }
      x.tactus_sent(number);
      if (!at && links.length > 1) links.splice(k, 1)[0].socket.close();
    }
    this.module.refresh(); // sending may have grown the memory
  }

  frame(at) {
    const { module, tables, made } = this;
    const block = (at === undefined ? module.x.tactus_frame(this.host, now()) : module.x.tactus_frame(this.host, at)) >>> 2;
    if (!block) throw new GameError(module.text());
    const { u32 } = module.refresh();
    const components = u32[block + 9];
    this.generation = u32[block + 1];
    this.news.set(u32[block + 3], u32[block + 4], u32[block + 5]);
    this.stats.set(u32[block + 7]);
    this.one.set(block + 10);
    tables.length = u32[block + 2];
    for (let i = 0, w = block + 10 + components; i < tables.length; i++, w += 6 + components) {
      const table = (made[i] ??= new this.bindings.Table(module)); // by index: several tables may have the same components
      table.rows = u32[w + 2];
      table.simulated = u32[w + 3] !== 0;
      table.ids = u32[w + 4] >> 2;
      tables[i] = table.set(w + 6);
    }
    if (this.stats.Joined) this.hasJoined();
    if (this.onAdd || this.onRemove) this.tellRows(block + 10 + components, 6 + components);
    return tables;
  }

  // tellRows calls onAdd and onRemove for rows that came and went.
  tellRows(first, size) {
    const { module: { u32 }, news, tables } = this;
    for (let i = 0; i < news.count; i++) {
      const { kind, id, low, high } = news.get(i);
      if (kind === 'gone') this.onRemove?.(id);
      if (kind !== 'came' || !this.onAdd) continue;
      for (let k = 0, w = first; k < tables.length; k++, w += size) {
        for (let r = 0, at = u32[w + 5] >> 2; at && r < tables[k].rows; r++) if (u32[at + 2 * r] === low && u32[at + 2 * r + 1] === high) this.onAdd(id, tables[k], r);
      }
    }
  }

  send(type, value) {
    const { module, bindings } = this;
    const { what, which } = bindings.sent[type];
    if (!module.x.tactus_send(this.host, what, which, module.put(value.bytes))) throw new GameError(module.text());
    module.refresh();
  }

  close() {
    if (!this.host) return;
    this.unwatch();
    this.module.x.tactus_close(this.host);
    this.flush();
    if (!this.ended) this.over(new GameError(this.explain(Reason.Left), Reason.Left));
    this.module.x.tactus_free(this.host);
    this.host = 0; // the module may give the number to another game
    for (const { socket } of this.links) socket.close();
  }
}

// News are the events since the previous frame. get always returns the same object.
class News {
  constructor(m) { Object.assign(this, { m, item: { kind: '', id: 0, tick: 0, number: 0, which: 0, at: 0, size: 0, low: 0, high: 0 } }); }

  set(count, at, values) {
    this.count = count;
    this.at = at >> 2;
    this.values = values;
  }

  get(i) {
    const { item, m: { u32 } } = this;
    const w = this.at + 8 * i;
    item.low = u32[w];
    item.high = u32[w + 1];
    item.id = u32[w + 2];
    item.tick = u32[w + 3];
    item.number = u32[w + 4];
    item.at = this.values + u32[w + 5];
    item.size = u32[w + 6];
    item.which = u32[w + 7] & 0xffff;
    item.kind = KINDS[(u32[w + 7] >> 16) & 0xff];
    return item;
  }
}

// check throws if the bindings have another protocol than the module. The error quotes the first line that differs.
function check(module, bindings) {
  if (!bindings?.Table) throw new GameError('connect has no bindings: pass bind(layout) as game, with the default export of the file that go generate wrote');
  const there = module.lines(), here = bindings.lines;
  for (let i = 0; i < Math.max(there.length, here.length); i++) {
    if (there[i] === here[i]) continue;
    throw new GameError(`the bindings and the module have different protocols: run go generate and reload both\n  module:   ${there[i] ?? '(no such line)'}\n  bindings: ${here[i] ?? '(no such line)'}`);
  }
}
