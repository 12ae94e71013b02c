// The arena, drawn with three.js. Its rules run in the WebAssembly client, which predicts the own player and interpolates the
// others. This file sets the input and shows the rows of a frame. How things look is in arena/look.ts.
import { bind, type Game } from '@tactusgo/client';
import { Color, Vector3 } from 'three';
import types, { Buttons } from '../../../../arena/bindings/arena.mjs';
import levels from '../../../bindings/levels.json';
import { make } from '../../stage/dom';
import { hud } from '../../stage/hud';
import { tell } from '../../stage/lines';
import { called } from '../../stage/names';
import { controlsOf } from '../../stage/play';
import { root } from '../../stage/root';
import { hideResult, showResult, showScores, type Score } from '../../stage/scores';
import { near, sound } from '../../stage/sound';
import type { Happening, Scene, World } from '../../stage/world';
import { Actor, colourOf, Look, tintOf } from './look';

const arena = bind(types);

const { Size: SIDE, Radius: RADIUS, Respawn: RESPAWN, Cover } = levels.arena;
const TURN = 2 * Math.PI / 65536; // of angles
const REACT = 0.4; // seconds from the end of a player to its replay
const EARSHOT = 500; // units at which a sound is half as loud

const look = new Look();
/** The arena. */
export const world: World<typeof arena> = {
  name: 'arena', title: 'Arena', goal: 'A drone gives 1 point, a player 3. The first with 30 wins the round.', bindings: arena,
  layout: { move: 'move', aim: 'aim', aimPresses: 'fire', buttons: { fire: { keys: ['Space'], pad: [7, 5, 0], click: true } } },
  keep: 12,
  warm: () => look.warm(),
  happenings: killsOf,
  begin: (game) => new Match(game),
};
export const controls = controlsOf(world);

/** Returns a function that returns the kills among players since its previous call. */
function killsOf({ one }: Game<typeof arena>): () => Required<Happening>[] {
  let total = -1; // -1: none yet
  return () => {
    const { Feed } = one;
    if (!Feed || Feed.Total === total) return [];
    const { Kills, Total } = Feed, all = Array.from({ length: Kills.length }, (_, i) => ({ by: Kills.get(i).By, what: 'shot down', whom: Kills.get(i).Whom }));
    const fresh = total < 0 ? 0 : Math.min((Total - total) & 0xffff, all.length);
    total = Total;
    return all.slice(all.length - fresh);
  };
}

/** One match, from joining to its end. */
class Match implements Scene<typeof arena> {
  private readonly actors = new Map<number, Actor>(); // by NetID
  private readonly told: InstanceType<typeof arena.Told>;
  private own: Actor | undefined;
  private ears = { x: 0, y: 0 };
  private aim = 0; // radians
  private killer = 0; // who shot the player down; 0: nobody
  private readonly kills;
  private sinceScores = Infinity; // seconds
  private readonly target = new Vector3();

  constructor(private readonly game: Game<typeof arena>) {
    this.told = new arena.Told(game.module);
    this.kills = killsOf(game);
    look.view.reset();
  }

  steer() {
    const { aim, mouse } = controls, { input } = this.game, { own, target } = this, step = controls.steps();
    input.Buttons = (step.x > 0 ? Buttons.Right : step.x < 0 ? Buttons.Left : 0) | (step.y > 0 ? Buttons.Down : step.y < 0 ? Buttons.Up : 0) |
      (controls.held('fire') || aim.x || aim.y ? Buttons.Fire : 0);
    if (aim.x || aim.y) this.aim = Math.atan2(aim.y, aim.x);
    else if (mouse && own && look.view.pick(mouse.x, mouse.y, RADIUS, target)) this.aim = Math.atan2(target.z - own.y, target.x - own.x);
    else if (step.x || step.y) this.aim = Math.atan2(step.y, step.x);
    input.Aim = Math.round(this.aim / TURN) & 0xffff;
  }

  /** Shows the newest frame. */
  draw(tables: readonly InstanceType<typeof arena.Table>[], seconds: number) {
    this.read();
    const scores = this.sinceScores > 0.25, self = this.game.stats.Client;
    let own: Actor | undefined;
    look.clear();
    for (const t of tables) {
      const { Position, Heading, Health, Fighter, Owner, Player } = t;
      if (!Position || !Heading || !Health || !Fighter) continue;
      for (let r = 0; r < t.rows; r++) {
        const a = this.actor(t.id(r), Owner ? Owner.Client(r) : 0, self);
        a.x = Position.X(r);
        a.y = Position.Y(r);
        a.turn = Heading.Angle(r) * TURN;
        this.change(a, Health.Points(r), Fighter.Shots(r), Fighter.Down(r));
        if (Player && scores) {
          a.points = Player.Points(r);
          const name = called(a.client);
          if (name !== a.name) look.name(a, name);
        }
        if (a.mine) own = a;
        look.show(a, seconds);
      }
    }
    this.own = own;
    if (own) this.ears = own;
    const seen = own ?? this.leader();
    if (seen) look.view.follow(seen.x + 40 * (controls.mouse?.x ?? 0), 0, seen.y + 40 * (controls.mouse?.y ?? 0), seconds);
    this.overlay(own);
    this.round(own);
    this.sinceScores = scores ? this.scores() : this.sinceScores + seconds;
    look.render(seconds);
  }

  beaten() {
    const { killer: by, own } = this, name = this.called(by);
    if (!own?.down || own.downFor < REACT || !name) return null;
    this.killer = 0;
    return { by, name };
  }

  /** Says something to all players. */
  say(line: string) {
    const say = new arena.sent.Say.Value();
    say.Text = line;
    this.game.send('Say', say);
  }

  /** Removes what the match put on the stage. */
  end() {
    this.actors.forEach((a) => look.forget(a));
  }

  /** Reads what has happened since the frame before. */
  private read() {
    const { news, stats } = this.game;
    for (let i = 0; i < news.count; i++) {
      const n = news.get(i), told = this.told.read(n);
      if (told?.type === 'Said') tell(told.Name, told.Text, colourOf(told.Client, stats.Client).getStyle());
      if (n.kind !== 'gone') continue;
      const gone = this.actors.get(n.id);
      if (gone) look.forget(gone);
      this.actors.delete(n.id);
    }
    for (const { by, what, whom } of this.kills()) {
      if (whom === stats.Client) this.killer = by;
      if (this.called(by) && this.called(whom)) tell(this.called(by), `${what} ${this.called(whom)}`, colourOf(by, stats.Client).getStyle());
    }
  }

  /** Returns what is kept of an entity. It may have just come into sight. */
  private actor(id: number, client: number, self: number): Actor {
    let a = this.actors.get(id);
    if (!a) this.actors.set(id, (a = new Actor()));
    a.client = client;
    a.colour = colourOf(client, self);
    a.mine = client !== 0 && client === self;
    return a;
  }

  /** Compares the state of an entity with that of the frame before, and shows what has happened. */
  private change(a: Actor, health: number, shots: number, down: boolean) {
    const hurt = health < a.health - 1, fired = shots !== a.shots, fell = down && !a.down, rose = !down && a.down;
    a.health = health;
    a.shots = shots;
    a.down = down;
    if (a.fresh) {
      a.fresh = false; // show nothing that happened before it came into sight
      a.shown = health;
      return;
    }
    const loud = a.mine ? 1 : 0.6 * near(Math.hypot(a.x - this.ears.x, a.y - this.ears.y), EARSHOT);
    if (hurt) {
      look.hit(a);
      sound.hiss(a.mine ? 900 : 2600, 0.12, 0.5 * loud);
      if (a.mine) hud.hurt();
    }
    if (fell) {
      look.fell(a);
      sound.tone(320, 50, 0.5, 0.5 * loud, 'sawtooth');
    }
    if (rose) {
      look.rose(a);
      if (a.mine) sound.tune([392, 587, 784], 0.2);
    }
    if (fired && !down) {
      look.fired(a, this.actors.values());
      sound.tone(900, 180, 0.11, 0.22 * loud, 'square');
    }
  }

  /** Draws the map with all entities. */
  private map() {
    const scale = map.canvas.width / SIDE;
    map.clearRect(0, 0, map.canvas.width, map.canvas.height);
    map.fillStyle = '#5c73b8';
    for (const b of Cover) map.fillRect(b.X * scale, b.Y * scale, b.W * scale, b.H * scale);
    for (const a of this.actors.values()) {
      const size = a.down ? 0 : a.mine ? 14 : a.client ? 10 : 4;
      map.fillStyle = a.colour.getStyle();
      map.fillRect(a.x * scale - size / 2, a.y * scale - size / 2, size, size);
    }
  }

  /** Returns the player whom a spectator sees: the one with the most points. */
  private leader() {
    let best: Actor | undefined;
    if (this.game.spectator) for (const a of this.actors.values()) if (a.client && a.points > (best?.points ?? -1)) best = a;
    return best;
  }

  private called(client: number) {
    for (const a of this.actors.values()) if (a.client === client) return a.name;
    return '';
  }

  /** Shows the own health, or when the player is back. */
  private overlay(own: Actor | undefined) {
    hud.message(own?.down ? `Shot down\nback in ${Math.max(RESPAWN - own.downFor, 0).toFixed(1)} s` : '');
    if (!own || own.down) return hud.hideMeter();
    hud.meter(own.health / 100, 'health', String(own.health), tintOf(own.health / 100, tint).getStyle());
  }

  /** Shows the own points and how long the round takes; after it, who has won. */
  private round(own: Actor | undefined) {
    const { Round } = this.game.one;
    if (!Round) return;
    const { Left, Winner } = Round;
    if (own) hud.count(`${own.points}`, `points, ${Math.floor(Left / 60)}:${String(Left % 60).padStart(2, '0')}`, own.colour.getStyle());
    if (!Winner) return hideResult();
    const name = this.called(Winner);
    showResult(own && Winner === own.client ? 'You win' : `${name || 'Somebody'} wins`, `The next round begins in ${Left} s`, this.table());
  }

  /** Returns the players with their points. */
  private table(): Score[] {
    return [...this.actors.values()].filter((a) => a.client).map((a) => ({ client: a.client, name: a.name, value: a.points, colour: a.colour.getStyle(), own: a.mine }));
  }

  /** Shows the best players and the map; returns the seconds since then. */
  private scores() {
    showScores(this.table(), 'Points of this round');
    this.map();
    document.dispatchEvent(new CustomEvent('players', { detail: [...this.actors.values()].filter((a) => a.client).length }));
    return 0;
  }
}

const tint = new Color(), mapCanvas = make('canvas', { id: 'map', width: '256', height: '256', 'aria-hidden': 'true' }), map = mapCanvas.getContext('2d')!;
root.append(mapCanvas);
