import { connect, GameError, type Game, type Place } from '@tactusgo/client';
import bindings, { Colour, Login } from '../../bindings/game.mjs';
import exec from '../gen/wasm_exec.js?url';
import module from '../gen/game.wasm?url';
import * as picture from './draw.ts';
import { finger, keys, listen, ticked } from './input.ts';
import './style.css';

type Play = Game<typeof bindings>;

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const canvas = find<HTMLCanvasElement>('game'), form = find<HTMLFormElement>('join'), scores = find('scores'), status = find('status');

// Save draw.ts while you play: the picture changes, and the match goes on.
let { draw } = picture;
import.meta.hot?.accept('./draw.ts', (changed) => {
  if (changed) draw = changed['draw'] as typeof draw;
});

let game: Play | null = null; // the one that is played
const say = (text: string): void => void (status.textContent === text || (status.textContent = text));

/** Joins the match of the server that connect.json names: web.Dist in server/main.go writes it. */
async function join(name: string): Promise<Play> {
  const answer = await fetch('connect.json', { cache: 'no-store' }).catch(() => null);
  if (!answer?.ok) throw new Error('there is no connect.json beside this page');
  const place = await answer.json() as Place & { insecure?: boolean };
  const who = new Login();
  who.Name = name;
  return connect({
    ...place, module, exec, game: bindings, login: who.bytes,
    onProgress: (loaded) => say(`Loading: ${(loaded / 1e6).toFixed(1)} MB`),
  });
}

/** Plays until the game is over, and says why it is. */
function play(game: Play): Promise<unknown> {
  return new Promise((over) => {
    const step = (paint: boolean): void => {
      try {
        steer(game);
        if (game.advance() > 0) ticked();
        if (!paint) return;
        const scene = draw(canvas, game.frame(), game.stats.Client, finger);
        tell(scene.players);
        me = scene.me;
        say(game.explanation); // nothing while all is well
      } catch (e) {
        if (!game.ended) throw e; // a mistake in this page: the console has it, and the next frame may do better
        cancelAnimationFrame(frame);
        clearInterval(hidden);
        over(e);
      }
    };
    let frame = requestAnimationFrame(function next() {
      frame = requestAnimationFrame(next);
      step(true);
    });
    const hidden = setInterval(() => document.hidden && step(false), 500); // a page that nobody sees gets no frames
  });
}

/** Says which way to go: as the keys say, or to where the finger is. */
let me: picture.Player | null = null;
function steer({ input }: Play): void {
  [input.DX, input.DY] = keys();
  if (!finger || !me) return;
  const { x, y } = picture.place(canvas, finger), near = 6;
  input.DX = Math.abs(x - me.x) < near ? 0 : Math.sign(x - me.x);
  input.DY = Math.abs(y - me.y) < near ? 0 : Math.sign(y - me.y);
}

let told = '';
function tell(players: readonly picture.Player[]): void {
  const lines = [...players].sort((a, b) => b.score - a.score).slice(0, 8);
  const text = JSON.stringify(lines.map((p) => [p.name, p.score, p.colour, p.own]));
  if (text === told) return;
  told = text;
  scores.replaceChildren(...lines.map((p) => {
    const line = document.createElement('li');
    line.className = p.own ? 'own' : '';
    line.style.setProperty('--colour', picture.COLOURS[p.colour]);
    line.append(p.name, Object.assign(document.createElement('b'), { textContent: p.score }));
    return line;
  }));
}

/** Asks for a colour. */
function paint(colour: Colour): void {
  const ask = new bindings.sent.Paint.Value();
  ask.Colour = colour;
  game?.send('Paint', ask);
}
const colours = Object.values(Colour);
listen(canvas, () => paint(colours[((me?.colour ?? 0) + 1) % colours.length] ?? 0));
for (const [name, colour] of Object.entries(Colour)) {
  const button = Object.assign(document.createElement('button'), { title: name, onclick: () => paint(colour) });
  button.style.setProperty('--colour', picture.COLOURS[colour]);
  find('colours').append(button);
}

/** Why there is no game, in words for players. While you work on the page, it shows the error too; else the console alone has it. */
function advice(e: unknown): string {
  const known = e instanceof GameError && e.reason !== 0, text = known ? e.message : 'The game cannot be reached. Check your network, and try again.';
  return import.meta.env.DEV ? `${text}\n${known ? e.detail : e}` : text;
}

/** Waits until the player wants to play again. */
function again(): Promise<unknown> {
  const button = Object.assign(document.createElement('button'), { textContent: 'Play again' });
  status.append('\n', button);
  return new Promise((go) => { button.onclick = go; });
}

/** Plays one game after the other. A game reconnects by itself, after longer and longer pauses, where that can help. */
async function main(name: string): Promise<never> {
  form.remove();
  for (;;) {
    try {
      say('Joining the game…');
      Object.assign(globalThis, { game: (game = await join(name)) }); // for the console
      throw await play(game);
    } catch (e) {
      console.error(e);
      game?.close();
      game = null;
      say(advice(e));
      await again();
    }
  }
}

// Who has said a name keeps it, until the tab is closed.
const name = new URLSearchParams(location.search).get('name') ?? sessionStorage.getItem('name');
form.addEventListener('submit', (e) => {
  e.preventDefault();
  const said = String(new FormData(form).get('name')).trim() || 'guest';
  sessionStorage.setItem('name', said);
  void main(said);
});
if (name) void main(name);
