// What stands over the picture, and what is heard.
import { element, tell, text } from '../stage';
import { type Figure, tint } from './figure';

/** What a player is called, who has no name of its own. */
export const called = (client: number) => `Player ${client}`;

const colour = (client: number, own: boolean) => `#${tint(client, own).toString(16).padStart(6, '0')}`;
let audio: AudioContext | undefined; // browsers want a key or a touch first
for (const e of ['keydown', 'pointerdown'] as const) addEventListener(e, () => { audio ??= new AudioContext(); }, { once: true });

/** Shows who has how many coins; changed is who has other ones than before. */
export function score(figures: Map<number, Figure>, changed: Figure | null) {
  const coins = element('coins'), scores = element('scores');
  if (changed?.own) {
    coins.hidden = false;
    coins.lastElementChild!.textContent = String(changed.coins);
    coins.animate([{ scale: 1 }, { scale: 1.25 }, { scale: 1 }], 350);
  }
  const all = [...figures.values()].sort((a, b) => b.coins - a.coins || a.client - b.client), best = all.slice(0, 6), own = all.find((f) => f.own);
  if (own && !best.includes(own)) best[best.length - 1] = own;
  scores.hidden = best.length === 0;
  scores.replaceChildren(...best.map((f) => {
    const row = text('li', ''), spot = text('i', '');
    spot.style.setProperty('--tint', colour(f.client, f.own));
    row.className = f.own ? 'own' : '';
    row.append(spot, text('span', f.own ? 'You' : called(f.client)), text('b', String(f.coins)));
    return row;
  }));
}

/** A coin was taken: all hear it. */
export function taken(by: number, own: boolean, bell: boolean) {
  if (bell) tell(own ? 'You' : called(by), own ? 'ring the bell' : 'rings the bell', colour(by, own));
  if (!audio) return;
  for (const [i, hertz] of (bell ? [523, 784, 1047] : [988, 1319]).entries()) {
    const tone = audio.createOscillator(), gain = audio.createGain(), at = audio.currentTime + 0.08 * i;
    tone.frequency.value = hertz;
    gain.gain.setValueAtTime(own ? 0.09 : 0.02, at);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.35);
    tone.connect(gain).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.4);
  }
}
