// Plays the arena and says how that goes: in place of the arena's page.
import { bind, connect, seat } from './client/index.mjs';
import types from './arena.mjs';

const arena = bind(types);

const status = document.querySelector('#status');
setInterval(() => parent.postMessage({ link: status.textContent, walked: globalThis.walked, told: globalThis.told }, '*'), 50);
try {
  const place = await (location.search ? seat({ kind: 'arena' }) : (await fetch('connect.json')).json());
  const game = await connect({ ...place, module: 'play.wasm', exec: 'wasm_exec.js', game: arena, onLink: (kind) => { status.textContent = kind; } });
  globalThis.walked = 0;
  let from = null;
  requestAnimationFrame(function draw() {
    game.input.Buttons = arena.Buttons.Right | arena.Buttons.Down;
    game.advance();
    for (const t of game.frame()) {
      for (let r = 0; t.Position && r < t.rows; r++) {
        if (!game.stats.Client || t.Owner?.Client(r) !== game.stats.Client) continue;
        from ??= { x: t.Position.X(r), y: t.Position.Y(r) };
        globalThis.walked = Math.hypot(t.Position.X(r) - from.x, t.Position.Y(r) - from.y);
      }
    }
    globalThis.told = game.stats.Snapshots;
    requestAnimationFrame(draw);
  });
} catch (e) {
  status.textContent = `refused: ${e.message}`;
}
