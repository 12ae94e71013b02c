// The client of the game. Pages import this first: it loads while they make their scene, which takes the page a while.
import { GameError, load } from '@tactusgo/client';

const BYTES = 8e6; // of a client, about: compressed downloads do not report their size

/** Shows how far the client is loaded, 0 to 1. */
export const loading = { show: (_share: number, _text: string) => {} };

let begin = () => {};
const begun = new Promise<void>((ok) => { begin = ok; });

/** What the server says of its rooms. kind is missing if there is only one match. */
export interface Rooms { readonly kind: string; readonly schema?: string }

/** Reads what the server says now. */
export const asJSON = async (file: string) => (await fetch(file, { cache: 'no-store' })).json();

/** Resolves with the description of the rooms. */
export const described: Promise<Partial<Rooms>> = asJSON('play.json').catch(() => ({}));

/** Waits until the server has compiled the client. */
async function built() {
  for (;;) {
    const answer = await fetch('build.json', { cache: 'no-store' });
    if (!answer.ok) return; // a server without a compiler
    const b: { state: string; done: number; of: number; error?: string } = await answer.json();
    if (b.state === 'ready') return;
    begin();
    if (b.state === 'failed') throw new GameError(b.error ?? 'The client cannot be built.', 0);
    loading.show(b.of ? 0.7 * b.done / b.of : 0, b.of ? `Compiling the game, once: ${b.done} of ${b.of} packages…` : 'Looking for the game…');
    await new Promise((go) => setTimeout(go, 250));
  }
}

/** Resolves when the client is loaded. */
export const client = built().then(() => load('play.wasm', {
  exec: 'wasm_exec.js',
  onProgress: (n) => {
    begin();
    loading.show(0.7 + 0.25 * Math.min(n / BYTES, 1), 'Loading…');
  },
}));

// The browser compiles in the background what it has begun to receive.
await Promise.race([begun, client.catch(() => {})]);
