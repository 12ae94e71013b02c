// One player's game: input, time, frames, and what is told.
import { load } from './module.mjs';
import { bytesOf, Socket } from './socket.mjs';

const KINDS = ['gone', 'came', 'left', 'entered', 'loaded', 'message', 'event', 'began', 'committed', 'cancelled', 'refused'];
const origin = performance.timeOrigin, now = () => origin + performance.now(); // Unix time in milliseconds, with fractions

export class GameError extends Error {
  constructor(text, reason = 0) {
    super(text);
    Object.assign(this, { name: 'GameError', reason });
  }
}

export async function connect(options) {
  const module = await load(options.module, options);
  const game = new Game(module, options);
  await game.socket.open().catch((e) => { module.x.tactus_free(game.host); throw e; });
  return game;
}

export class Game {
  constructor(module, { game, webtransport, websocket, hashes, token = new Uint8Array(), login, server, player = 0, smooth = true, thin = false, insecure = false, WebSocket, onLink, onTravel }) {
    check(module, game);
    const name = module.encoder.encode(server ?? new URL(websocket || webtransport || 'ws://localhost').host);
    const secret = bytesOf(token);
    module.put(Uint8Array.of(...name, ...secret, ...(login ?? [])));
    this.host = module.x.tactus_open(now(), name.length, secret.length, login?.length ?? -1, player, (smooth ? 1 : 0) | (insecure ? 2 : 0) | (thin ? 4 : 0));
    if (!this.host) throw new GameError(module.text(), module.x.tactus_failed());
    Object.assign(this, { module: module.refresh(), bindings: game, input: new game.Input(), stats: new game.Stats(module), one: new game.Singletons(module) });
    Object.assign(this, { tables: [], made: [], news: new News(module), ended: null, generation: 0, called: Infinity });
    Object.assign(this, { links: [], onTravel, how: { hashes, WebSocket, change: onLink } });
    this.link(this.host, { webtransport, websocket });
  }

  get socket() { return this.links[0].socket; }

  // link makes a socket for a link of the module.
  link(number, place) {
    const { module, how } = this;
    const message = (b) => this.live(module.x.tactus_push(number, (module.put(b), now()), b.byteLength));
    const change = (kind, why) => (how.change?.(kind, why), kind && this.live());
    const socket = new Socket({ ...place, hashes: how.hashes }, { ...how, message, change });
    this.links.push({ number, socket });
    return socket;
  }

  // live lets time pass where the page does not, as it is hidden or its frames take long. What ends it the next advance throws.
  live() {
    const { x } = this.module.refresh();
    if (performance.now() - this.called > 100 && x.tactus_advance(this.host, now()) >= 0) this.flush();
  }

  // A time that is given or made would be boxed: so there are two calls.
  advance(at) {
    const { module, host } = this;
    if (!module.x.tactus_input(host, module.put(this.input.bytes))) throw new GameError(module.text());
    this.called = at === undefined ? performance.now() : Infinity; // who gives times calls in time
    const ticks = at === undefined ? module.x.tactus_advance(host, now()) : module.x.tactus_advance(host, at);
    if (ticks < 0) {
      const reason = module.x.tactus_end(host);
      this.ended = new GameError(module.text(), reason);
      for (const { socket } of this.links) socket.close(); // nobody answers there
      throw this.ended;
    }
    this.flush();
    return ticks;
  }

  // follow goes to another room: the session goes on where it is until it has begun there.
  follow([link, kind, schema, websocket, webtransport, token]) {
    if (+link) this.link(+link, { websocket, webtransport }).redial();
    else this.onTravel?.({ kind, schema, websocket, webtransport, token });
  }

  flush() {
    const { module: { x }, links } = this, ticket = x.tactus_ticket(this.host);
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
    this.module.refresh(); // what is read lies there
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
      const table = (made[i] ??= new this.bindings.Table(module)); // by place: others may have the same components
      table.rows = u32[w + 2];
      table.simulated = u32[w + 3] !== 0;
      table.ids = u32[w + 4] >> 2;
      tables[i] = table.set(w + 6);
    }
    return tables;
  }

  send(type, value) {
    const { module, bindings } = this;
    const { what, which } = bindings.sent[type];
    if (!module.x.tactus_send(this.host, what, which, module.put(value.bytes))) throw new GameError(module.text());
    module.refresh();
  }

  close() {
    if (!this.host) return;
    this.module.x.tactus_close(this.host);
    this.flush();
    this.module.x.tactus_free(this.host);
    this.host = 0; // which is another game's from now on
    for (const { socket } of this.links) socket.close();
  }
}

// News is what happened since the frame before: get gives one object again and again.
class News {
  constructor(m) { Object.assign(this, { m, item: { kind: '', id: 0, tick: 0, number: 0, which: 0, at: 0, size: 0 } }); }

  set(count, at, values) {
    this.count = count;
    this.at = at >> 2;
    this.values = values;
  }

  get(i) {
    const { item, m: { u32 } } = this;
    const w = this.at + 8 * i;
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

// check refuses bindings of another protocol, with the first line that differs on both sides.
function check(module, bindings) {
  if (!bindings?.lines) throw new GameError('connect needs the bindings of the game: game, as go generate has written them');
  const there = module.lines(), here = bindings.lines;
  for (let i = 0; i < Math.max(there.length, here.length); i++) {
    if (there[i] === here[i]) continue;
    throw new GameError(`the bindings are of another protocol than the module: run go generate, and load both anew\n  module:   ${there[i] ?? '(no such line)'}\n  bindings: ${here[i] ?? '(no such line)'}`);
  }
}
