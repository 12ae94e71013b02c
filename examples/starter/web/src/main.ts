import { bind, canReturn, connect, GameError, seat, SeatError, storage, type Game, type SeatOptions } from '@tactusgo/client';
import types, { Colour } from '../../bindings/game.mjs';
import exec from '../gen/wasm_exec.js?url';
import module from '../gen/game.wasm?url';
import * as picture from './draw.ts';
import { Controls } from './stage/controls.ts';
import { onSubmit } from './stage/dom.ts';
import { sound } from './stage/sound.ts';
import './style.css';

const bindings = bind(types);
type Play = Game<typeof bindings>;

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const canvas = find<HTMLCanvasElement>('game'), form = find<HTMLFormElement>('join'), scores = find('scores'), status = find('status'), invite = find('invite'), mute = find('mute'), replay = find('replay');
const LAST = 5; // seconds that a replay shows

// Saving draw.ts while you play changes the picture. The match continues.
let { draw, burst } = picture;
import.meta.hot?.accept('./draw.ts', (changed) => {
  if (changed) ({ draw, burst } = changed as unknown as typeof picture);
});

const controls = new Controls(canvas, { move: 'walk', buttons: { colour: { keys: ['KeyC'], pad: [0] }, mute: { keys: ['KeyM'] }, replay: { keys: ['KeyR'], pad: [3] } } });
const query = new URLSearchParams(location.search);
const spectate = query.has('watch');
let game: Play | null = null; // the current game
let past: Play | null = null; // the replay, while it is shown
let me: picture.Player | null = null;
const say = (text: string): void => void (status.textContent === text || (status.textContent = text));

/** Gets a seat in the room of the link, or in an open one, and joins the match there. */
async function join(name: string, how: SeatOptions): Promise<Play> {
  const found = await seat({ watch: spectate, ...how });
  offer(found.code, found.link);
  const who = new bindings.Login();
  who.Name = name;
  return connect({
    ...found, module, exec, game: bindings, login: who.bytes, keep: LAST + 1,
    onProgress: (loaded) => say(`Loading: ${(loaded / 1e6).toFixed(1)} MB`),
  });
}

/** Whether other machines can open the address of this page. */
const reachable = !/^(localhost|127\.|\[::1\])/.test(location.hostname);

/** Shares a link where the browser can, and copies it elsewhere. Returns a text for the player. */
async function share(url: string): Promise<string> {
  try {
    if ('share' in navigator && reachable) {
      await navigator.share({ title: document.title, url });
      return '';
    }
  } catch (e) {
    if (e instanceof DOMException && e.name === 'AbortError') return '';
  }
  try {
    await navigator.clipboard.writeText(url);
  } catch { // a page without TLS has no clipboard
    prompt('The link to this room:', url);
    return '';
  }
  return reachable ? 'Link copied' : 'Link copied, for this machine';
}

/** Shows the button that invites others to a room. */
function offer(code: string, link: string): void {
  const usual = `Invite: ${code}`, write = (text: string): void => { invite.textContent = text || usual; };
  write('');
  invite.hidden = false;
  invite.onclick = async () => {
    write(await share(link));
    setTimeout(write, 3000, '');
  };
  const player = find<HTMLAnchorElement>('player');
  if (player) player.href = `${location.pathname}#${code}`;
}

/** Plays until the game ends. Returns the error that ended it. */
function play(game: Play): Promise<unknown> {
  const told = new bindings.Told(game.module);
  return new Promise((over) => {
    const step = (paint: boolean): void => {
      try {
        controls.poll();
        ({ x: game.input.DX, y: game.input.DY } = past ? { x: 0, y: 0 } : controls.steps());
        if (game.advance() > 0) {
          if (controls.pressed('colour')) dye(colours[((me?.colour ?? 0) + 1) % colours.length] ?? 0);
          if (controls.pressed('mute')) mute.click();
          if (controls.pressed('replay')) replay.click();
          controls.ticked();
        }
        if (!paint) return;
        if (past?.replay?.ended) show(null);
        if (past) game.frame(); // its events have no effect now
        const shown = past ?? game, scene = draw(canvas, shown.frame(), shown.stats.Client);
        for (let i = 0; i < shown.news.count; i++) {
          const event = told.read(shown.news.get(i));
          if (event?.type !== 'Taken') continue;
          burst(event);
          sound.tune([988, 1319], event.By === shown.stats.Client ? 0.25 : 0.06);
        }
        tell(scene.players);
        me = scene.me;
        say(game.explanation); // empty while the connection is fine
      } catch (e) {
        show(null);
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

/** Shows a replay, or the match again. The match goes on meanwhile. */
function show(game: Play | null): void {
  past?.close();
  past = game;
  replay.textContent = past ? 'Live' : 'Replay';
  replay.className = past ? 'on' : '';
}
show(null);

/** Returns a replay of the last seconds, from the view of the own player. */
function last(of: Play): Play {
  const game = of.last(), { replay } = game;
  replay!.seek(Math.max(replay!.duration - 1000 * LAST, replay!.position));
  replay!.follow = of.stats.Client;
  return game;
}
replay.onclick = () => show(past || !game?.stats.Joined ? null : last(game));

/** Turns the sound off or on. The browser keeps this for the next visit. */
function silence(muted: boolean): void {
  sound.set(sound.volume, muted);
  mute.textContent = muted ? 'Unmute' : 'Mute';
}
silence(sound.muted);
mute.onclick = () => silence(!sound.muted);

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
  const known = e instanceof SeatError || (e instanceof GameError && e.reason !== 0), text = known ? e.message : 'The game cannot be reached. Check your network, and try again.';
  return import.meta.env.DEV ? `${text}\n${known ? e.detail : e}` : text;
}

/** Reports whether the connection or the server was lost, so that another try can help. */
const lost = (e: unknown): boolean => (e instanceof GameError && canReturn(e.reason)) || (e instanceof SeatError && e.code === '');

/** Waits until the player chooses to try again, or another room if this one is refused. */
function choose(e: unknown): Promise<SeatOptions> {
  const choices: [string, SeatOptions][] = [e instanceof SeatError ? ['Try again', {}] : ['Play again', {}]];
  if (e instanceof SeatError && e.code) choices.unshift(['Another room', { room: '' }]);
  return new Promise((go) => status.append('\n', ...choices.map(([textContent, how]) => Object.assign(document.createElement('button'), { textContent, onclick: () => go(how) }))));
}

/** Plays games in a loop. After the connection was lost, it asks for the seat again until the server answers. */
async function main(name: string, how: SeatOptions): Promise<never> {
  form.remove();
  for (let seated = false; ;) {
    try {
      say(seated ? 'Reconnecting…' : 'Joining the game…');
      game = await join(name, how);
      Object.assign(globalThis, { game }); // for the console
      [seated, how] = [true, {}];
      throw await play(game);
    } catch (e) {
      console.error(e);
      game?.close();
      game = null;
      invite.hidden = true;
      // While you write, the rooms end with each change of the server.
      const gone = import.meta.env.DEV && e instanceof SeatError && e.code === 'no_room' && how.room === undefined && !spectate;
      if (gone) how = { room: '' };
      else if (seated && lost(e)) {
        say(`${advice(e).split('. ')[0]?.replace(/\.$/, '')}. Reconnecting…`);
        await new Promise((go) => setTimeout(go, 1000));
      } else {
        say(advice(e));
        how = await choose(e);
        seated = false;
      }
    }
  }
}

// A spectator, by ?watch in the address, has no player. The link joins the game.
if (spectate) {
  document.body.className = 'watching';
  find('hint').replaceChildren('You are watching. ', Object.assign(document.createElement('a'), { id: 'player', href: location.pathname + location.hash, textContent: 'Play' }));
}

// The link of an invitation has the code of a room.
if (location.hash) {
  find('purpose').textContent = `You are invited to the room ${location.hash.slice(1)}.`;
  find('private').hidden = true;
}

// A token serves one session, which has ended when the page returns from the browser's cache.
addEventListener('pageshow', (e) => { if (e.persisted && form.parentNode === null) location.reload(); });

// A player keeps the name until the tab is closed, so a reload returns to the game.
const name = query.get('name') ?? storage.session.getItem('name');
const begin = (how: SeatOptions): void => {
  const said = String(new FormData(form).get('name')).trim() || 'guest';
  storage.session.setItem('name', said);
  void main(said, how);
};
onSubmit(form, () => begin({}));
find('private').onclick = () => begin({ room: '', way: 'create', private: true });
if (name || spectate) void main(name ?? '', {});
