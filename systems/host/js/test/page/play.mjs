// Plays the arena until the player has walked, in whatever this is.
import types from '/arena.mjs';
import { bind, connect } from '/client/index.mjs';

const arena = bind(types);

export async function play(where) {
  const loaded = [];
  const { websocket } = await (await fetch('/connect.json')).json();
  const game = await connect({ module: '/game.wasm', exec: '/wasm_exec.js', game: arena, websocket, onProgress: (...n) => loaded.push(n) });
  game.input.Buttons = arena.Buttons.Right;
  let from = null, x = null;
  for (const end = Date.now() + 30_000; Date.now() < end && !(Math.abs(x - from) > 100); await new Promise((go) => setTimeout(go, 16))) {
    game.advance();
    for (const t of game.frame()) {
      for (let r = 0; r < t.rows; r++) if (t.Owner?.Client(r) === game.stats.Client && game.stats.Client) x = t.Position.X(r);
    }
    if (x > 1500) game.input.Buttons = arena.Buttons.Left; // there is a wall
    from ??= x;
  }
  game.close();
  return { where, document: typeof document, walked: Math.abs(x - from), loaded: loaded.at(-1) };
}

// tell posts what a function returns, or why it does not.
export async function tell(f) {
  const body = JSON.stringify(await f().catch((e) => ({ failed: String(e.stack ?? e) })));
  await fetch('/result', { method: 'POST', body });
}
