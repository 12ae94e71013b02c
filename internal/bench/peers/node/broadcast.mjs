// The arena on ws, as one would write it by hand: each send is the whole state in one buffer for all clients.
import { WebSocketServer } from "ws";
import { Arena, counts, hz, report, send, size } from "./arena.mjs";

const entities = new Map();
const arena = new Arena((key) => {
  const e = { id: Number(key) };
  entities.set(key, e);
  return e;
});

// broadcast sends the tick (32 bits), and of each entity the id, x and y (16 bits each), the heading and the health.
function broadcast() {
  counts.sends++;
  const b = Buffer.allocUnsafe(4 + 8 * entities.size);
  let at = b.writeUInt32LE(counts.ticks, 0);
  for (const e of entities.values()) {
    at = b.writeUInt16LE(e.id, at);
    at = b.writeUInt16LE(Math.round((e.x * 65535) / size), at);
    at = b.writeUInt16LE(Math.round((e.y * 65535) / size), at);
    b[at++] = e.heading;
    b[at++] = e.health;
  }
  for (const client of server.clients) client.send(b);
}

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false, maxPayload: 4096 });
let joined = 0;
server.on("connection", (client) => {
  const key = String(joined++);
  client.on("message", (bytes) => arena.input(key, bytes));
  client.on("close", () => { arena.leave(key); entities.delete(key); });
  client.on("error", () => {}); // the connection closes
  arena.join(key);
});
server.on("listening", () => report(server.address().port));
setInterval(() => arena.advance(), 1000 / hz);
setInterval(broadcast, 1000 / send);
