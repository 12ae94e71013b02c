// Plays a match in a page, as play_linux.go does in Go, and says what the player saw.
import { connect, load } from './client/index.mjs';
import arena from './arena.mjs';

const { Up, Down, Left, Right } = arena.Buttons;
const ways = [Right, Right | Up, Up, Up | Left, Left, Left | Down, Down, Down | Right];
const now = () => performance.timeOrigin + performance.now();

// part100 is a percentile.
function part100(of, p) {
  of.sort((a, b) => a - b);
  return of.length ? of[Math.min(Math.floor((of.length * p) / 100), of.length - 1)] : 0;
}

async function play() {
  const match = await (await fetch('match.json')).json();
  const hashes = match.hashes?.map((h) => Uint8Array.from(atob(h), (c) => c.charCodeAt(0)));
  await load('arena.wasm', { exec: 'wasm_exec.js' });
  const seen = { transport: '', connected: false, connect_ms: 0, frames: 0 };
  const began = now(), ages = [], gaps = [];
  const game = await connect({ module: 'arena.wasm', game: arena, ...match.place, hashes, insecure: true, onLink: (kind) => (seen.transport ||= kind) });
  const { stats } = game;
  let end = began + match.patience, base = { Stalls: 0, Corrections: 0, Snapshots: 0 }, last = began, counted = 0;
  for (;;) {
    await new Promise(requestAnimationFrame);
    const at = now();
    if (at > end) break;
    game.input.Buttons = ways[Math.floor((at - began) / match.turn) % ways.length];
    game.advance(at);
    game.frame(at);
    if (!stats.Client || !stats.Snapshots) continue;
    if (!seen.connected) {
      Object.assign(seen, { connected: true, connect_ms: at - began });
      end = at + match.settle + match.long;
    }
    const { Stalls, Corrections, Snapshots } = stats;
    if (end - at > match.long) {
      base = { Stalls, Corrections, Snapshots };
      [last, counted] = [at, Snapshots];
      continue;
    }
    seen.frames++;
    ages.push(at - match.began - (stats.DrawnTick / match.tickRate) * 1000);
    if (Snapshots !== counted) {
      gaps.push(at - last);
      [last, counted] = [at, Snapshots];
    }
  }
  if (!seen.connected) throw new Error(`no snapshot came within ${match.patience} ms`);
  const { Stalls, Corrections, Snapshots } = stats;
  Object.assign(seen, { stalls: Stalls - base.Stalls, corrections: Corrections - base.Corrections, snapshots: Snapshots - base.Snapshots });
  Object.assign(seen, { age_p50_ms: part100(ages, 50), age_p99_ms: part100(ages, 99), gap_p99_ms: part100(gaps, 99), gap_max_ms: part100(gaps, 100) });
  game.close();
  return seen;
}

const said = await play().catch((e) => ({ error: String(e?.stack ?? e) }));
await fetch('seen', { method: 'POST', body: JSON.stringify(said) });
