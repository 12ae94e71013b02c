// The delay between two screens on the servers in this folder. Two clients turn by 90 degrees at random moments, and each draws the
// other one in 60 frames a second. The delay of a turn is the time from the moment when the client sends its input to the first frame
// of the other client in which the entity has moved by half of what a step of the server moves it in the new direction. The program
// prints the delays of each way of drawing as a JSON array.
import { once } from "node:events";
import { Client, Predict } from "@colyseus/sdk";
import { WebSocket } from "ws";
import { hz, random, size } from "./arena.mjs";

const { addr, colyseus, settle, seconds } = JSON.parse(process.argv[2]);
const frames = 60, visible = 200 / hz / 2;

// joinColyseus draws in two ways: as the SDK interpolates (https://docs.colyseus.io/netcode/client-prediction), and as the tutorial
// does (https://learn.colyseus.io/phaser/2-linear-interpolation.html), where a frame goes a fifth of the way to the newest state.
async function joinColyseus() {
  const room = await new Client("http://" + addr).joinOrCreate("arena");
  if (!room.state.entities?.size) await new Promise((done) => room.onStateChange.once(done));
  const predict = Predict.get(room, { mode: "lerp", delay: 100 });
  predict.attachAll("entities", { mode: "lerp", fields: ["x", "y"] });
  let near;
  return {
    id: room.sessionId,
    send: (bytes) => room.sendBytes(0, bytes),
    draw(now, id) {
      predict.tick(now);
      const e = room.state.entities.get(id);
      if (!e) return {};
      near ??= { x: e.x, y: e.y };
      near = { x: near.x + (e.x - near.x) / 5, y: near.y + (e.y - near.y) / 5 };
      return { "SDK, 100 ms in the past": { x: predict.value(e, "x"), y: predict.value(e, "y") }, "tutorial, a fifth of the way per frame": near };
    },
  };
}

// joinBroadcast draws the newest state. The server numbers the clients as they come.
async function joinBroadcast(id) {
  const socket = new WebSocket("ws://" + addr, { perMessageDeflate: false });
  let state = Buffer.alloc(0);
  socket.on("message", (bytes) => { state = bytes; });
  await once(socket, "open");
  return {
    id,
    send: (bytes) => socket.send(bytes),
    draw(now, id) {
      for (let at = 4; at < state.length; at += 8) {
        if (state.readUInt16LE(at) !== id) continue;
        return { "none, the newest state": { x: (state.readUInt16LE(at + 2) * size) / 65535, y: (state.readUInt16LE(at + 4) * size) / 65535 } };
      }
      return {};
    },
  };
}

const join = colyseus ? joinColyseus : joinBroadcast;
const clients = [await join(0), await join(1)];
const delays = {};
const start = performance.now(), end = start + settle + 1000 * seconds;

// turn makes a client walk along the other axis, towards the middle, and remembers where the viewer draws it.
function turn(client, viewer) {
  client.axis = client.axis === "x" ? "y" : "x";
  client.from = viewer.drawn;
  client.sign = Object.values(client.from)[0][client.axis] < size / 2 ? 1 : -1;
  client.unseen = new Set(Object.keys(client.from));
  const button = client.axis === "x" ? (client.sign > 0 ? 8 : 4) : (client.sign > 0 ? 2 : 1);
  client.turned = performance.now();
  client.send(Uint8Array.of(0, 0, button, 0, 0));
}

// frame draws on both screens. When a turn is visible in all ways of drawing, the next one is 0.5 to 0.8 s later.
function frame(k) {
  const now = performance.now();
  for (const [i, viewer] of clients.entries()) {
    const client = clients[1 - i];
    viewer.drawn = viewer.draw(now, client.id);
    for (const way of client.unseen ?? []) {
      if (client.sign * (viewer.drawn[way][client.axis] - client.from[way][client.axis]) < visible) continue;
      (delays[way] ??= []).push(now - client.turned);
      client.unseen.delete(way);
      if (client.unseen.size === 0) setTimeout(turn, 500 + 300 * random(), client, viewer);
    }
  }
  if (now < end) setTimeout(frame, Math.max(start + (1000 * k) / frames - performance.now(), 0), k + 1);
  else finish();
}

function finish() {
  console.log(JSON.stringify(Object.entries(delays).map(([interpolation, d]) => {
    d.sort((a, b) => a - b);
    const quantile = (share) => Math.round(10 * d[Math.min(Math.floor(share * d.length), d.length - 1)]) / 10;
    return { interpolation, seen_ms_p50: quantile(0.5), seen_ms_p99: quantile(0.99), samples: d.length };
  })));
  process.exit(0);
}

frame(1);
clients.forEach((client, i) => setTimeout(turn, settle + 300 * random(), client, clients[1 - i]));
