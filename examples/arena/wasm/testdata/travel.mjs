// Plays the arena by the npm package, and goes where it is sent: node [--experimental-websocket] travel.mjs MODULE WASM_EXEC.
// A line on stdin is what connect is given beside the module; each replaces the game before. A line on stdout is what happened.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { bind, connect } from '../../../../systems/host/js/index.mjs';
import types from '../../bindings/arena.mjs';

const arena = bind(types);

const [file, exec] = process.argv.slice(2);
const module = readFileSync(file);
const tell = (what, more = {}) => console.log(JSON.stringify({ what, ...more }));
const { Left, Right } = arena.Buttons;

async function play(options) {
  const game = await connect({
    module, exec: pathToFileURL(exec), game: arena, ...options,
    onLink: (kind, why) => tell('link', { kind, why }),
    onTravel: (ticket) => tell('ticket', ticket),
  });
  let from = null, place = null, walked = false, loaded = 0;
  const frame = () => {
    try {
      game.advance();
    } catch (e) {
      return tell('ended', { reason: e.reason, why: e.message });
    }
    let own = null;
    for (const t of game.frame()) {
      for (let r = 0; r < t.rows; r++) if (t.Owner?.Client(r) === game.stats.Client && game.stats.Client) own = { id: t.id(r), x: t.Position.X(r) };
    }
    for (let i = 0; i < game.news.count; i++) {
      if (game.news.get(i).kind !== 'loaded') continue;
      [from, walked] = [null, false];
      tell('loaded', { rooms: ++loaded });
    }
    if (own && from === null && loaded) {
      [from, place] = [own.x, own.id];
      game.input.Buttons = from > 1000 ? Left : Right; // away from the wall
    }
    if (own && from !== null && !walked && Math.abs(own.x - from) > 100) {
      walked = true;
      tell('walked', { id: place, client: game.stats.Client, sockets: game.links.length });
    }
    setTimeout(frame, 16);
  };
  frame();
  return game;
}

const games = [];
for await (const line of createInterface({ input: process.stdin })) games.push(await play(JSON.parse(line)));
for (const game of games) game.close();
process.exit(0);
