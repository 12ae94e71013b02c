// The arena on Colyseus.
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { Encoder, schema, t } from "@colyseus/schema";
import { Arena, counts, hz, quantized, report, send, size } from "./arena.mjs";

Encoder.BUFFER_SIZE = 4 << 20; // one patch fits without growing

const place = () => (quantized ? t.quantized({ min: 0, max: size, bits: 16 }) : t.float32());
const Entity = schema({ x: place(), y: place(), heading: t.uint8(), health: t.uint8() }, "Entity");
const World = schema({ entities: t.map(Entity) }, "World");

class ArenaRoom extends Room {
  maxClients = 100000;
  maxMessagesPerSecond = Infinity;
  patchRate = 1000 / send;

  onCreate() {
    this.setState(new World());
    this.arena = new Arena((key) => {
      const e = new Entity();
      this.state.entities.set(key, e);
      return e;
    });
    this.onMessageBytes(0, (client, bytes) => this.arena.input(client.sessionId, bytes));
    this.setSimulationInterval(() => this.arena.advance(), 1000 / hz);
  }

  onJoin(client) { this.arena.join(client.sessionId); }

  onLeave(client) {
    this.arena.leave(client.sessionId);
    this.state.entities.delete(client.sessionId);
  }

  broadcastPatch() {
    counts.sends++;
    return super.broadcastPatch();
  }
}

const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0, maxPayload: 4096 }), greet: false });
server.define("arena", ArenaRoom);
await server.listen(0, "127.0.0.1");
report(server.transport.server.address().port);
