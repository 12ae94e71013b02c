import { bind, connect, GameError, type Game, type Place } from '@tactusgo/client';
import types, { Colour } from '../../bindings/game.mjs';
import exec from '../gen/wasm_exec.js?url';
import module from '../gen/game.wasm?url';
import * as picture from './draw.ts';
import { Controls } from './stage/controls.ts';
import './style.css';

const bindings = bind(types);
type Play = Game<typeof bindings>;

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const canvas = find<HTMLCanvasElement>('game'), form = find<HTMLFormElement>('join'), scores = find('scores'), status = find('status');

// Saving draw.ts while you play changes the picture. The match continues.
let { draw, burst } = picture;
import.meta.hot?.accept('./draw.ts', (changed) => {
  if (changed) ({ draw, burst } = changed as unknown as typeof picture);
});

const controls = new Controls(canvas, { move: 'walk', buttons: { colour: { keys: ['KeyC'], pad: [0] } } });
const query = new URLSearchParams(location.search);
const spectate = query.has('watch');
let game: Play | null = null; // the current game
let me: picture.Player | null = null;
const say = (text: string): void => void (status.textContent === text || (status.textContent = text));

/** Joins the match of the server in connect.json, which web.Dist in server/main.go serves. */
async function join(name: string): Promise<Play> {
  const answer = await fetch('connect.json', { cache: 'no-store' }).catch(() => null);
  if (!answer?.ok) throw new Error('connect.json is missing beside this page: run the server, which provides it');
  const place = await answer.json() as Place & { insecure?: boolean };
  const who = new bindings.Login();
  who.Name = name;
  return connect({
    ...place, module, exec, game: bindings, login: who.bytes, spectate,
    onProgress: (loaded) => say(`Loading: ${(loaded / 1e6).toFixed(1)} MB`),
  });
}

/** Plays until the game ends. Returns the error that ended it. */
function play(game: Play): Promise<unknown> {
  const told = new bindings.Told(game.module);
  return new Promise((over) => {
    const step = (paint: boolean): void => {
      try {
        controls.poll();
        ({ x: game.input.DX, y: game.input.DY } = controls.steps());
        if (game.advance() > 0) {
          if (controls.pressed('colour')) dye(colours[((me?.colour ?? 0) + 1) % colours.length] ?? 0);
          controls.ticked();
        }
        if (!paint) return;
        const scene = draw(canvas, game.frame(), game.stats.Client);
        for (let i = 0; i < game.news.count; i++) {
          const event = told.read(game.news.get(i));
          if (event?.type === 'Taken') burst(event);
        }
        tell(scene.players);
        me = scene.me;
        say(game.explanation); // empty while the connection is fine
      } catch (e) {
        if (!game.ended) throw e; // a bug in this page: the console shows it, and the next frame tries again
        cancelAnimationFrame(frame);
        clearInterval(hidden);
        over(e);
      }
    };
    let frame = requestAnimationFrame(function next() {
      frame = requestAnimationFrame(next);
      step(true);
    });
    const hidden = setInterval(() => document.hidden && step(false), 500); // a hidden page gets no animation frames
  });
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

/** Requests a colour. */
function dye(colour: Colour): void {
  const ask = new bindings.sent.Paint.Value();
  ask.Colour = colour;
  game?.send('Paint', ask);
}
const colours = Object.values(Colour);
for (const [name, colour] of Object.entries(Colour)) {
  const button = Object.assign(document.createElement('button'), { title: name, onclick: () => dye(colour) });
  button.style.setProperty('--colour', picture.COLOURS[colour]);
  find('colours').append(button);
}

/** Returns a text for players that explains why the game ended. In development it includes the error; otherwise only the console shows it. */
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

/** Plays games in a loop. A game reconnects by itself when that can help, after increasing pauses. */
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

// A spectator, by ?watch in the address, has no player. The link joins the game.
if (spectate) {
  document.body.className = 'watching';
  find('hint').replaceChildren('You are watching. ', Object.assign(document.createElement('a'), { href: location.pathname, textContent: 'Play' }));
}

// A player keeps the name until the tab is closed, so a reload returns to the game.
const name = query.get('name') ?? sessionStorage.getItem('name');
form.addEventListener('submit', (e) => {
  e.preventDefault();
  const said = String(new FormData(form).get('name')).trim() || 'guest';
  sessionStorage.setItem('name', said);
  void main(said);
});
if (name || spectate) void main(name ?? '');
