// The arena of the servers in this folder: their options, the simulation, and their answers to the benchmark. A server
// prints the port it listens on, then, for every line on its standard input, its counters as a JSON object. It ends with
// its input.
import { createInterface } from "node:readline";

export const { clients, npcs, hz, size, quantized } = JSON.parse(process.argv[2]);
export const send = 20;
const most = 5, queue = 32;

// xorshift32, so that every run is the same
let state = 12345;
export function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 4294967296;
}
const clamp = (v) => Math.min(Math.max(v, 0), size);

export const counts = { ticks: 0, sends: 0, inputs: 0 };

// report prints the port and answers until the input ends.
export function report(port) {
  console.log(port);
  createInterface({ input: process.stdin }).on("line", () => {
    const cpu = process.cpuUsage();
    console.log(JSON.stringify({ ...counts, cpu_us: cpu.user + cpu.system, rss: process.memoryUsage.rss() }));
  }).on("close", () => process.exit(0));
}

// Arena moves players and walkers. create returns a new entity for a key, with the fields x, y, heading and health.
export class Arena {
  players = new Map();
  walkers = [];
  owed = 0;
  last = performance.now();

  constructor(create) {
    this.create = create;
    for (let i = 0; i < npcs; i++) {
      const e = this.entity(String(clients + i));
      this.walkers.push({ e, id: clients + i, x: e.x, y: e.y, offset: Math.floor((i * 4 * hz) / npcs), angle: 0, vx: 0, vy: 0 });
    }
  }

  entity(key) {
    const e = this.create(key);
    e.x = random() * size;
    e.y = random() * size;
    e.heading = 0;
    e.health = 100;
    return e;
  }

  join(key) {
    const e = this.entity(key);
    this.players.set(key, { e, id: this.players.size, x: e.x, y: e.y, buttons: 0, heading: 0, queue: [] });
  }

  leave(key) { this.players.delete(key); }

  // input receives the tick (16 bits), the buttons and the aim (16 bits) of a player.
  input(key, bytes) {
    const p = this.players.get(key);
    if (p && bytes.length === 5 && p.queue.length < 2 * queue) p.queue.push(bytes[2], bytes[4]);
  }

  // advance runs the due steps, and at most five. The rest is dropped.
  advance() {
    const now = performance.now();
    this.owed += ((now - this.last) * hz) / 1000;
    this.last = now;
    for (let steps = 0; this.owed >= 1 && steps < most; this.owed--, steps++) this.step();
    if (this.owed >= 1) this.owed %= 1;
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
