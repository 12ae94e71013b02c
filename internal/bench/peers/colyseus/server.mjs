// The arena on Colyseus. It prints the port it listens on, then, for every line on its standard input, what it did so
// far as a JSON object. It ends with its input.
//
//   node server.mjs '{"clients": 100, "npcs": 200, "hz": 60, "size": 2000, "quantized": true}'
import { createInterface } from "node:readline";
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { Encoder, schema, t } from "@colyseus/schema";

const { clients, npcs, hz, size, quantized } = JSON.parse(process.argv[2]);
const send = 20, most = 5, queue = 32;
Encoder.BUFFER_SIZE = 4 << 20; // one patch fits without growing

const place = () => (quantized ? t.quantized({ min: 0, max: size, bits: 16 }) : t.float32());
const Entity = schema({ x: place(), y: place(), heading: t.uint8(), health: t.uint8() }, "Entity");
const World = schema({ entities: t.map(Entity) }, "World");

// xorshift32, so that every run is the same
let state = 12345;
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 4294967296;
}
const clamp = (v) => Math.min(Math.max(v, 0), size);

const counts = { ticks: 0, sends: 0, inputs: 0 };

class Arena extends Room {
  maxClients = 100000;
  maxMessagesPerSecond = Infinity;
  patchRate = 1000 / send;
  players = new Map();
  walkers = [];

  onCreate() {
    this.setState(new World());
    for (let i = 0; i < npcs; i++) {
      const e = this.entity(String(clients + i));
      this.walkers.push({ e, id: clients + i, x: e.x, y: e.y, offset: Math.floor((i * 4 * hz) / npcs), angle: 0, vx: 0, vy: 0 });
    }
    this.onMessageBytes(0, (client, bytes) => {
      const p = this.players.get(client.sessionId);
      if (p && bytes.length === 5 && p.queue.length < 2 * queue) p.queue.push(bytes[2], bytes[4]);
    });
    let last = performance.now(), owed = 0;
    this.setSimulationInterval(() => {
      const now = performance.now();
      owed += ((now - last) * hz) / 1000;
      last = now;
      let steps = 0;
      for (; owed >= 1 && steps < most; owed--, steps++) this.step();
      if (owed >= 1) owed %= 1; // the backlog is dropped
    }, 1000 / hz);
  }

  entity(key) {
    const e = new Entity();
    e.x = random() * size;
    e.y = random() * size;
    e.heading = 0;
    e.health = 100;
    this.state.entities.set(key, e);
    return e;
  }

  onJoin(client) {
    const e = this.entity(client.sessionId);
    this.players.set(client.sessionId, { e, id: this.players.size, x: e.x, y: e.y, buttons: 0, heading: 0, queue: [] });
  }

  onLeave(client) {
    this.players.delete(client.sessionId);
    this.state.entities.delete(client.sessionId);
  }

  broadcastPatch() {
    counts.sends++;
    return super.broadcastPatch();
  }

  step() {
    const tick = counts.ticks++, second = tick / hz, health = tick % hz === 0;
    for (const p of this.players.values()) {
      if (p.queue.length > 0) { // what is held stays, since clients send what has changed
        p.buttons = p.queue.shift();
        p.heading = p.queue.shift();
        counts.inputs++;
      }
      const b = p.buttons;
      let dx = ((b >> 3) & 1) - ((b >> 2) & 1), dy = ((b >> 1) & 1) - (b & 1);
      if (dx !== 0 && dy !== 0) { dx *= Math.SQRT1_2; dy *= Math.SQRT1_2; }
      if (dx !== 0) p.e.x = p.x = clamp(p.x + (dx * 200) / hz);
      if (dy !== 0) p.e.y = p.y = clamp(p.y + (dy * 200) / hz);
      if (p.e.heading !== p.heading) p.e.heading = p.heading;
      if (health) this.hurt(p.e, p.id, second);
    }
    for (const w of this.walkers) {
      const phase = (tick + w.offset) % (4 * hz);
      if (phase < 2 * hz) {
        if (phase === 0) w.angle = Math.floor(random() * 256);
        else if (phase % (hz / 2) === 0) w.angle = (w.angle + Math.floor(random() * 65) - 32) & 255;
        if (phase % (hz / 2) === 0) {
          const a = (w.angle * 2 * Math.PI) / 256;
          w.vx = (Math.cos(a) * 100) / hz;
          w.vy = (Math.sin(a) * 100) / hz;
          w.e.heading = w.angle;
        }
        let x = w.x + w.vx, y = w.y + w.vy;
        if (x < 0 || x > size) { w.vx = -w.vx; x = clamp(x); }
        if (y < 0 || y > size) { w.vy = -w.vy; y = clamp(y); }
        w.e.x = w.x = x;
        w.e.y = w.y = y;
      }
      if (health) this.hurt(w.e, w.id, second);
    }
  }

  hurt(e, id, second) {
    if ((second + id) % 10 === 0) e.health = e.health <= 1 ? 100 : e.health - 1;
  }
}

const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0, maxPayload: 4096 }), greet: false });
server.define("arena", Arena);
await server.listen(0, "127.0.0.1");
console.log(server.transport.server.address().port);
createInterface({ input: process.stdin }).on("line", () => {
  const cpu = process.cpuUsage();
  console.log(JSON.stringify({ ...counts, cpu_us: cpu.user + cpu.system, rss: process.memoryUsage.rss() }));
}).on("close", () => process.exit(0));
