// Joins, is loaded again, and joins; goes to another page, and comes back from the browser's cache; then joins as the same player
// in a second game. Who the player was each time is posted, and why the first game of the two is over.
import types from '/arena.mjs';
import { bind, connect } from '/client/index.mjs';
import { tell } from './play.mjs';

const arena = bind(types);

async function join() {
  const { websocket } = await (await fetch('/connect.json')).json();
  const game = await connect({ module: '/game.wasm', exec: '/wasm_exec.js', game: arena, websocket });
  const timer = setInterval(() => {
    if (game.ended) return clearInterval(timer);
    try {
      game.advance();
      game.frame();
    } catch {} // left has it
  }, 16);
  await game.joined;
  while (!game.stats.Own) await new Promise((go) => setTimeout(go, 16));
  return { game, me: { client: game.stats.Client, own: game.stats.Own } };
}

tell(async () => {
  const { game, me } = await join(), before = JSON.parse(sessionStorage.getItem('before'));
  if (!before) {
    sessionStorage.setItem('before', JSON.stringify(me));
    location.reload();
    return new Promise(() => {});
  }
  const shown = new Promise((ok) => addEventListener('pageshow', ok));
  location.href = 'away.html';
  const { persisted } = await shown; // when that page has gone back
  while (!(game.stats.Reconnects === 1 && game.status === 'playing')) await new Promise((go) => setTimeout(go, 16));
  const back = { client: game.stats.Client, own: game.stats.Own };
  const other = await join(); // as a second tab with the same player
  const { reason } = await game.left;
  await new Promise((go) => setTimeout(go, 3000));
  return other.game.status === 'playing' ? [before, me, persisted && back, other.me, reason] : [before, me, persisted && back, other.game.status, reason];
});
