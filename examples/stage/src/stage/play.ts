// The way into a match and back into it, and its frames.
import { connect, GameError, type Bindings, type Game, type Place } from '@tactusgo/client';
import { free } from '../scene/free';
import { BadSocket } from './badlink';
import { Card } from './card';
import { asJSON, client, described, loading } from './client';
import { Controls, gamepads } from './controls';
import { keepInTab, keptInTab, make, write } from './dom';
import { hud } from './hud';
import { Invite } from './invite';
import { KillCam } from './killcam';
import { listen, talk, tell } from './lines';
import { lobby } from './lobby';
import { Menu } from './menu';
import { forgetNames, hasNames, introduce, readNames } from './names';
import { navigate } from './pad';
import { Panel } from './panel';
import { ARRIVE, Replayer } from './replay';
import { root } from './root';
import { showScores } from './scores';
import './stage.css';
import type { Scene, World } from './world';

/** The canvas of the page. */
export const canvas = make('canvas', { id: 'view', tabindex: '-1' });
root.prepend(canvas);

let running: { scene: { say?(line: string): void }; leave: () => void } | null = null;
let menu: Menu | undefined, card: Card | undefined, inviting: Invite | undefined;
const link = make('div', { id: 'link', role: 'status' });
root.append(link);

/** Returns the controls of a world's page. The world makes them before it calls play. */
export const controlsOf = (world: Pick<World<Bindings>, 'layout'>) =>
  new Controls(canvas, world.layout, () => (card?.open ?? true) || (menu?.open ?? false) || (inviting?.open ?? false));

/** Returns a function that reports whether a button of a gamepad was pressed since its last call. */
function pressed(button: number) {
  let before = true;
  return () => {
    const was = before;
    before = gamepads().some((pad) => pad.buttons[button]?.pressed);
    return before && !was;
  };
}
const opens = pressed(9); // the menu

/** The address of a match, and the token of a seat in it if the server wants one; or a recording. */
export type Seat = Place & { readonly token?: string; readonly spectate?: boolean; readonly recording?: Uint8Array };

/** How players get into a match. */
export interface Door {
  /** Completes the card. enter joins a match; it rejects if that fails. */
  mount(card: Card, enter: (seat: () => Promise<Seat>) => Promise<void>): void;
  /** The client is loaded. */
  ready(): void;
  /** A match is over. text tells players why, reason is a number of Reason. */
  over(text: string, reason: number): void;
}

/** Returns the way into the matches of this page's server. */
async function doorOf(invite: Invite): Promise<Door> {
  const rooms = await described;
  return rooms.kind ? lobby({ ...rooms, kind: rooms.kind }, invite) : onlyMatch(invite);
}

/** The way into the only match of a server. A player who reloads the page during the match returns to it. */
function onlyMatch(invite: Invite): Door {
  const asked = new URLSearchParams(location.search), replay = asked.get('replay');
  let cover: Card;
  const joins = replay !== null || asked.has('name') || keptInTab('playing') !== null;
  return {
    mount(card, enter) {
      cover = card;
      card.onPlay = () => {
        keepInTab('playing', true);
        void enter(async () => {
          if (replay !== null) return { recording: new Uint8Array(await (await fetch(replay, { cache: 'no-store' })).arrayBuffer()) };
          invite.offer('');
          return asJSON('connect.json');
        });
      };
      if (joins) card.onPlay(); // while the client loads
    },
    ready() { if (!joins) cover.ready(''); },
    over(text, reason) {
      keepInTab('playing', null);
      invite.end();
      cover.ready(text, reason !== 1, 'Play again');
    },
  };
}

/** Plays a world on this page. */
export async function play<B extends Bindings>(world: World<B>, controls: Controls): Promise<void> {
  let kind = '';
  const cover = (card = new Card(world, hasNames(world.bindings))), invite = (inviting = new Invite()), asked = doorOf(invite), panel = new Panel(() => kind, world.switches);
  menu = new Menu(world.title, world.layout, { leave: () => running?.leave(), network: () => panel.toggle(), talk: 'Say' in world.bindings.sent ? talk : null });
  loading.show = (share, text) => cover.progress(share, text);
  listen((line) => running?.scene.say?.(line));
  const state = (text: string) => { document.title = `${text ? `${text} – ` : ''}${world.title} – Tactus`; };

  const over = (why: unknown) => {
    running = null;
    document.body.classList.remove('playing', 'watching');
    link.replaceChildren();
    hud.clear();
    showScores([]);
    menu?.close();
    state('Ended');
    cover.box.hidden = false;
    void asked.then((door) => door.over(sentence(why), why instanceof GameError ? why.reason : 0));
  };

  let warmed = false;
  const warm = world.warm().finally(() => { warmed = true; });
  warm.catch(() => {}); // join throws it

  async function join({ token, ...place }: Seat) {
    cover.wait('Joining the game…');
    state('Joining');
    const game = await connect({
      module: 'play.wasm', exec: 'wasm_exec.js', game: world.bindings, keep: place.spectate ? 0 : world.keep ?? 0, ...place, ...(token === undefined ? {} : { token }), ...(world.login ? { login: world.login() } : {}),
      WebSocket: BadSocket, onLink: (k) => { kind = k; },
    });
    for (; !warmed && !game.replay; await new Promise(requestAnimationFrame)) game.advance(); // the session starts meanwhile
    await warm;
    forgetNames(world.player);
    const scene = world.begin(game);
    running = { scene: game.spectator ? { say: () => tell('Only players', 'can write.', '') } : scene, leave: () => game.close() };
    Object.assign(globalThis, { game, free }); // for the browser's console, and for tests
    game.joined.then(() => {
      cover.close();
      document.body.classList.add('playing');
      document.body.classList.toggle('watching', game.spectator);
    }, () => {}); // over says why
    const again = (g = game) => world.begin(g);
    run(game, scene, again, introduce(game, world.bindings, cover.name), controls, panel, state, over, game.replay && place.recording ? new Replayer(game, world, place.recording, controls, again) : null);
  }

  navigate(() => (invite.open ? invite.reach : menu?.open ? menu.reach : cover.open ? { box: cover.box, main: cover.play } : null));
  try {
    state('Loading');
    const door = await asked;
    door.mount(cover, (seat) => {
      const found = seat();
      found.catch(() => {}); // over says why
      return client.then(() => found.then(join).catch(over), () => {});
    });
    await client;
    cover.progress(1, '');
    state('');
    door.ready();
  } catch (e) {
    cover.say(sentence(e), true);
    state('Ended');
  }
}

/** Leaves the match. */
export const leave = () => running?.leave();

/** Returns what players are told about the end. */
function sentence(why: unknown): string {
  if (why instanceof GameError && (why.reason !== 0 || why.message)) return why.message;
  console.info(`the game is over: ${why}`);
  return 'The game cannot be reached. Check your network, and try again.';
}

/** Runs a match, frame by frame, until its end. */
function run<B extends Bindings>(game: Game<B>, scene: Scene<B>, again: (game: Game<B>) => Scene<B>, introduces: () => void, controls: Controls, panel: Panel, state: (text: string) => void, over: (why: unknown) => void, replayer: Replayer<B> | null) {
  let last = performance.now(), cam: KillCam<B> | null = null, cut = false, frames = 0;
  const show = (g: Game<B>) => {
    scene.end();
    hud.clear();
    scene = again(g);
    cut = true;
  };
  requestAnimationFrame(function frame(now) {
    try {
      controls.poll();
      let seconds = Math.min((now - last) / 1000, 0.1);
      if (replayer) [scene, seconds] = replayer.frame(scene, seconds);
      else if (!cam) scene.steer();
      const begun = performance.now();
      if (game.advance() > 0) controls.ticked();
      let tables = game.frame();
      introduces();
      if (frames++ % 15 === 0) readNames(tables);
      panel.frame(game.stats, performance.now() - begun);
      explain(game, state);
      if (opens()) menu?.toggle();
      if (cam?.over) {
        cam.end();
        cam = null;
        show(game);
      }
      if (cam) tables = cam.game.frame();
      scene.draw(tables, cut ? ARRIVE : seconds);
      cut = false;
      const beaten = !cam && scene.beaten?.();
      if (beaten) show((cam = new KillCam(game, beaten)).game);
    } catch (e) {
      scene.end();
      cam?.end();
      replayer?.end();
      game.close();
      return over(e);
    }
    last = now;
    requestAnimationFrame(frame);
  });
}

let said = '';

/** Shows how the connection is, and offers to try at once while the game reconnects. */
function explain(game: { readonly explanation: string; readonly status: string; rejoin(): void }, state: (text: string) => void) {
  const { explanation, status } = game;
  if (said === explanation + status && (link.textContent || !explanation)) return;
  said = explanation + status;
  state({ joining: 'Joining', playing: 'Playing', silent: 'Waiting', reconnecting: 'Reconnecting' }[status] ?? 'Ended');
  if (card?.open) return;
  write(link, explanation);
  if (status !== 'reconnecting') return;
  const now = make('button', { type: 'button' }, 'Try now');
  now.onclick = () => game.rejoin();
  link.append(now);
}
