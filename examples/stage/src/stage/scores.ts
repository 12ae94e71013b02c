// The list of the best players, and the results of rounds and of the match.
import { make, write } from './dom';
import { root } from './root';

/** A player on the list. value is what the list is sorted by. */
export interface Score { readonly client: number; readonly name: string; readonly value: number; readonly colour: string; readonly own: boolean }

const MOST = 6;
const list = make('ol', { id: 'scores', class: 'scores', 'aria-label': 'best players', hidden: true });
const title = make('b'), result = make('ol', { class: 'scores', 'aria-label': 'result' }), next = make('span');
const box = make('div', { id: 'result', role: 'status', hidden: true }, title, result, next);
root.append(list, box);
let shown = '', listed: readonly Score[] = [], ended: readonly Score[] = [];

/** Shows the best players, and the own one, under a heading that says what the values are. An empty list ends the match. */
export function showScores(all: readonly Score[], what = '') {
  list.dataset['what'] = what;
  if (all.length === 0) {
    if (listed.length) ended = listed;
    hideResult();
  }
  listed = all;
  const best = bestOf(all), text = JSON.stringify(best);
  if (text === shown) return;
  shown = text;
  list.hidden = best.length === 0;
  list.replaceChildren(...rows(best));
}

/** Shows the result of a round over the picture: a title, the players with their scores, and what comes next. */
export function showResult(what: string, after: string, all: readonly Score[]) {
  write(next, after);
  if (!box.hidden && title.textContent === what) return;
  box.hidden = false;
  write(title, what);
  result.replaceChildren(...rows(bestOf(all)));
}

export function hideResult() { box.hidden = true; }

/** Returns the final scores of the match that ended, once, or null if there are none. */
export function finalScores(): HTMLElement | null {
  const all = ended, own = all.find((s) => s.own), better = all.filter((s) => own && s.value > own.value).length, equal = all.filter((s) => s.value === own?.value).length > 1;
  ended = [];
  if (!own || all.length < 2) return null;
  const place = better ? `You were number ${better + 1} of ${all.length}` : equal ? 'Nobody was better than you' : 'You were the best';
  return make('section', { class: 'final', 'aria-label': 'final scores' }, make('h2', {}, place), make('ol', { class: 'scores' }, ...rows(bestOf(all))));
}

/** Returns the best players, and the own one in the last place if it is not one of them. */
function bestOf(all: readonly Score[]): readonly Score[] {
  const best = [...all].sort((a, b) => b.value - a.value || a.client - b.client).slice(0, MOST), own = all.find((s) => s.own);
  if (own && !best.includes(own)) best[best.length - 1] = own;
  return best;
}

const rows = (scores: readonly Score[]) => scores.map((s) => {
  const spot = make('i'), row = make('li', { class: s.own ? 'own' : '' }, spot, make('span', {}, s.own ? s.name || 'You' : s.name), make('b', {}, String(s.value)));
  spot.style.background = s.colour;
  return row;
});
