// The list of the best players.
import { make } from './dom';
import { root } from './root';

/** A player on the list. value is what the list is sorted by. */
export interface Score { readonly client: number; readonly name: string; readonly value: number; readonly colour: string; readonly own: boolean }

const MOST = 6;
const list = make('ol', { id: 'scores', 'aria-label': 'best players', hidden: true });
root.append(list);
let shown = '';

/** Shows the best players, and the own one. */
export function showScores(all: Score[]) {
  all.sort((a, b) => b.value - a.value || a.client - b.client);
  const best = all.slice(0, MOST), own = all.find((s) => s.own);
  if (own && !best.includes(own)) best[best.length - 1] = own;
  const text = JSON.stringify(best);
  if (text === shown) return;
  shown = text;
  list.hidden = best.length === 0;
  list.replaceChildren(...best.map((s) => {
    const spot = make('i'), row = make('li', { class: s.own ? 'own' : '' }, spot, make('span', {}, s.own ? s.name || 'You' : s.name), make('b', {}, String(s.value)));
    spot.style.background = s.colour;
    return row;
  }));
}
