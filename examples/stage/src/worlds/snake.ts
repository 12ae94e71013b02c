// The snakes. A page shows a death at once, and as final when the server says so: a late input may still undo it.
import { bind, type Game } from '@tactusgo/client';
import * as three from 'three';
import levels from '../../bindings/levels.json';
import types from '../../bindings/snake.mjs';
import { colourOf, css, hexOf } from '../scene/colours';
import { Crowd } from '../scene/crowd';
import { ground, matt, rim } from '../scene/ground';
import { label, relabel, unlabel } from '../scene/labels';
import { Marker } from '../scene/marker';
import { Sparks } from '../scene/sparks';
import { View } from '../scene/view';
import { hud } from '../stage/hud';
import { tell } from '../stage/lines';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { hideResult, showResult, showScores } from '../stage/scores';
import { near, sound } from '../stage/sound';
import type { Happening, Scene, World } from '../stage/world';

const snake = bind(types);

const { Width, Height, Thick, Spacing, Away } = levels.snake;
const UNIT = 16; // of the scene in one of the game
const HEAD = 0.62 * Thick * UNIT, TURN = 2 * Math.PI / 65536;
const PIECES = 6; // of the drawn body between two spots

type Table = InstanceType<typeof snake.Table>;

const view = new View({ back: 0x27401f, tilt: 1.15, area: 620, field: [0, 0, Width * UNIT, Height * UNIT], sky: 0xf3ffe0, ground: 0x6f8f4a, ambient: 2, sunny: 2.4 });
const { scene } = view;
scene.add(ground(Width * UNIT, Height * UNIT, 1600, 256, lawn), ...rim(Width * UNIT, Height * UNIT, 22, 30, matt(0x9a5a3c)));
const scales = new Crowd(scene, new three.SphereGeometry(1, 10, 7).scale(1, 0.8, 1), matt(0xffffff, { roughness: 0.5 }), 2048, true);
const heads = new Crowd(scene, new three.SphereGeometry(HEAD, 20, 14).scale(1.15, 0.9, 1), matt(0xffffff, { roughness: 0.45 }), 64, true);
const whites = new Crowd(scene, new three.SphereGeometry(1, 10, 8), matt(0xffffff), 128), pupils = new Crowd(scene, new three.SphereGeometry(1, 8, 6), matt(0x101010), 128);
const apples = new Crowd(scene, new three.SphereGeometry(9, 14, 10), matt(0xffffff, { roughness: 0.35 }), 256, true), leaves = new Crowd(scene, new three.ConeGeometry(3, 9, 5).rotateZ(0.6), matt(0xffffff), 256);
const all = [scales, heads, whites, pupils, apples, leaves];
const marker = new Marker(scene, 34), sparks = new Sparks(new three.BoxGeometry(1, 1, 1), 192);
scene.add(sparks.mesh);
const red = new three.Color(0xe23b2e), green = new three.Color(0x3c8f3a), grey = new three.Color(0x6d7466), white = new three.Color(0xffffff), black = new three.Color(0x111111), tint = new three.Color();

/** What the page keeps of a snake between frames. */
class Actor {
  x = 0; y = 0; turn = 0; length = 0; kills = 0;
  reached = 0; // the length before the death
  dead = false; own = false; client = 0; seen = 0;
  final = 0; // seconds in which a final death counts
  fade = 0; // 0 to 1: how far the dead body has faded
  burst = false;
  tag: three.Sprite | null = null;
  get name() { return this.own ? 'You' : called(this.client); }
}

const world: World<typeof snake> = {
  name: 'snake', title: 'Snake', goal: 'Eat to grow, and make the others run into you.', player: 'Snake', bindings: snake,
  layout: { move: 'turn', moveKeys: ['A', 'D'], buttons: { follow: { keys: [], click: true } } },
  async warm() {
    const tag = label('Snake', white, 24);
    scene.add(tag);
    for (const c of all) c.put(500, 20, 500, 0, 5, white);
    sparks.burst(500, 5, 500, 8, 10, 1, white);
    view.follow(Width * UNIT / 2, 0, Height * UNIT / 2, 0);
    await view.warm();
    tag.removeFromParent();
  },
  happenings(game) {
    const told = new snake.Told(game.module), clients = new Map<number, number>(); // by NetID
    return (tables) => {
      const found: Happening[] = [];
      for (const t of tables) for (let r = 0; t.Owner && r < t.rows; r++) clients.set(t.id(r), t.Owner.Client(r));
      for (let i = 0; i < game.news.count; i++) {
        const v = told.read(game.news.get(i)), who = v && clients.get(v.Who), by = v && clients.get(v.By);
        if (who) found.push(by ? { by, what: 'stopped', whom: who } : { by: who, what: 'hit the wall' });
      }
      return found;
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world);

class Match implements Scene<typeof snake> {
  private readonly actors = new Map<number, Actor>(); // by NetID
  private readonly told: InstanceType<typeof snake.Told>;
  private own: Actor | undefined;
  private frame = 0;
  private readonly target = new three.Vector3();
  private readonly spine = new Float32Array(2 * 34);

  constructor(private readonly game: Game<typeof snake>) {
    this.told = new snake.Told(game.module);
    view.reset();
  }

  steer() {
    const { own, target } = this, { input } = this.game, { mouse, move } = controls;
    input.Turn = Number(controls.held('right')) - Number(controls.held('left'));
    if (input.Turn || !own) return;
    let { x, y } = move;
    if (mouse && controls.held('follow') && view.pick(mouse.x, mouse.y, 0, target)) [x, y] = [target.x - own.x * UNIT, target.z - own.y * UNIT];
    if (!x && !y) return;
    const off = around(Math.atan2(y, x) - own.turn);
    input.Turn = Math.abs(off) < 0.08 ? 0 : Math.sign(off);
  }

  draw(tables: readonly Table[], seconds: number) {
    const { stats } = this.game;
    this.frame++;
    this.own = undefined;
    for (const c of all) c.empty();
    for (const t of tables) {
      if (t.Food) for (let r = 0; r < t.rows; r++) this.apple(t.Food.X(r) * UNIT, t.Food.Y(r) * UNIT, t.id(r));
      if (t.Snake && t.Body && t.Owner) for (let r = 0; r < t.rows; r++) this.snake(t, r, stats.Client, seconds);
    }
    for (const [id, a] of this.actors) if (a.seen !== this.frame) this.forget(id, a);
    this.read();
    const own = this.own as Actor | undefined;
    if (own) {
      view.follow(own.x * UNIT, 0, own.y * UNIT, seconds);
      hud.count(own.length, 'long', '#e23b2e');
      hud.message(own.dead && !own.burst ? 'Ouch!' : '');
      if (own.dead && own.burst) showResult(`You are out, ${own.reached} long`, `A new snake comes in ${Math.max(own.final, 0).toFixed(1)} s`, this.scores());
      else hideResult();
      if (!own.dead) marker.show(own.x * UNIT, 1, own.y * UNIT, seconds);
    }
    marker.visible = own !== undefined && !own.dead;
    if (this.frame % 15 === 0) showScores(this.scores());
    sparks.step(seconds);
    view.render();
  }

  end() {
    this.actors.forEach((a, id) => this.forget(id, a));
    marker.visible = false;
  }

  private scores() {
    return [...this.actors.values()].map((a) => ({ client: a.client, name: a.name, value: a.dead && a.own ? a.reached : a.length, colour: css(hexOf(a.client, a.own)), own: a.own }));
  }

  private apple(x: number, y: number, id: number) {
    const up = 9 + 2 * Math.sin(performance.now() / 300 + id);
    apples.put(x, up, y, 0, 1, red);
    leaves.put(x + 2, up + 10, y, id, 1, green);
  }

  /** Draws a snake: its body as a smooth row of balls, and its head with eyes. */
  private snake(t: Table, r: number, self: number, seconds: number) {
    const { Snake, Owner } = t, id = t.id(r);
    let a = this.actors.get(id);
    if (!a) this.actors.set(id, (a = new Actor()));
    const was = a.length;
    a.client = Owner!.Client(r);
    a.own = a.client === self;
    a.seen = this.frame;
    [a.x, a.y, a.turn, a.length, a.kills] = [Snake!.X(r), Snake!.Y(r), Snake!.Turn(r) * TURN, Snake!.Length(r), Snake!.Kills(r)];
    if (a.own) this.own = a;
    if (a.own && a.length > was && was > 0) sound.tune([660, 880], 0.18);
    this.live(a, Snake!.Dead(r) > 0, seconds);
    if (a.fade >= 1) {
      if (a.tag) a.tag.visible = false;
      return;
    }
    const colour = colourOf(a.client, a.own), n = this.spots(t, r, a.own), { spine } = this, body = tint.copy(colour).lerp(grey, a.fade);
    for (let i = 0; i + 1 < n; i++) {
      for (let k = 0; k < PIECES; k++) {
        const f = k / PIECES, left = (n - 1 - i - f) / 4, thick = HEAD * Math.min(0.4 + 0.55 * left, 0.95);
        const x = curve(spine, i, f, n, 0), y = curve(spine, i, f, n, 1);
        scales.put(x * UNIT, thick * 0.7, y * UNIT, 0, thick, i % 2 ? body : tint.copy(colour).lerp(black, 0.18).lerp(grey, a.fade));
        tint.copy(colour).lerp(grey, a.fade);
      }
    }
    const x = a.x * UNIT, y = a.y * UNIT, sin = Math.sin(a.turn), cos = Math.cos(a.turn);
    heads.put(x, HEAD * 0.9, y, a.turn, 1, body);
    for (const side of [-0.5, 0.5]) {
      const ex = x + HEAD * (0.55 * cos - side * sin), ey = y + HEAD * (0.55 * sin + side * cos);
      whites.put(ex, HEAD * 1.5, ey, 0, a.dead ? 2.4 : 4.4, white);
      pupils.put(ex + 2 * cos, HEAD * 1.5 + 2, ey + 2 * sin, 0, 2.6, black);
    }
    if (!a.own) a.tag = relabel(scene, a.tag, a.name, colour, 24);
    if (a.tag) {
      a.tag.visible = true;
      a.tag.position.set(x, 46, y - 20);
    }
  }

  /** Shows what happened to a snake since the frame before. */
  private live(a: Actor, dead: boolean, seconds: number) {
    const loud = a.own || !this.own ? 1 : near(Math.hypot(a.x - this.own.x, a.y - this.own.y), 20);
    if (dead && !a.dead) sound.hiss(800, 0.2, 0.5 * loud);
    if (!dead) a.reached = a.length;
    if (!dead && a.dead) {
      if (a.own) sound.tune([392, 587], 0.2);
      a.burst = false;
    }
    a.dead = dead;
    a.final -= seconds;
    if (!dead) a.fade = Math.max(a.fade - 6 * seconds, 0);
    else if (a.final > 0 && !a.burst) {
      a.burst = true;
      sparks.burst(a.x * UNIT, 12, a.y * UNIT, 26, 300, 0.8, colourOf(a.client, a.own));
      sound.tone(300, 60, 0.4, 0.4 * loud, 'sawtooth');
    } else a.fade = Math.min(a.fade + (a.burst ? 1.6 : 5) * seconds, a.burst ? 1 : 0.5);
  }

  /** Reads the final deaths. */
  private read() {
    const { news } = this.game;
    for (let i = 0; i < news.count; i++) {
      const v = this.told.read(news.get(i)), who = v && this.actors.get(v.Who);
      if (!v || !who) continue;
      who.final = Away - 0.2;
      const by = this.actors.get(v.By);
      if (by) tell(by.name, `stopped ${who.own ? 'you' : who.name}`, css(hexOf(by.client, by.own)));
      else tell(who.name, 'hit the wall', css(hexOf(who.client, who.own)));
    }
  }

  /** Fills spine with the head and the spots of a snake up to its tail, and returns their number. The tail lies between two spots. */
  private spots(t: Table, r: number, own: boolean): number {
    const { Snake, Body } = t, { Spots } = Body!, { stats } = this.game, { spine } = this, tick = own ? stats.Tick : stats.DrawnTick;
    const next = Body!.Next(r), age = (tick - Snake!.Laid(r)) / Spacing, length = Snake!.Length(r);
    spine[0] = Snake!.X(r);
    spine[1] = Snake!.Y(r);
    let n = 1;
    for (let k = 0; k < 31; k++) {
      const at = (next - 1 - k) & 31, x = Spots.X(r, at) / 8, y = Spots.Y(r, at) / 8, left = length - age - k;
      if (x < 0 || left <= -1) break;
      const share = Math.min(1 + left, 1); // of the way to the last spot
      spine[2 * n] = spine[2 * n - 2]! + (x - spine[2 * n - 2]!) * share;
      spine[2 * n + 1] = spine[2 * n - 1]! + (y - spine[2 * n - 1]!) * share;
      n++;
    }
    return n;
  }

  private forget(id: number, a: Actor) {
    if (a.tag) unlabel(a.tag);
    this.actors.delete(id);
  }
}

/** Returns a coordinate on a smooth curve through the points of a spine. */
function curve(spine: Float32Array, i: number, f: number, n: number, axis: 0 | 1): number {
  const p = (k: number) => spine[2 * Math.min(Math.max(k, 0), n - 1) + axis]!, a = p(i - 1), b = p(i), c = p(i + 1), d = p(i + 2);
  return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
}

/** Returns an angle between -π and π. */
const around = (angle: number) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

function lawn(g: CanvasRenderingContext2D, random: () => number) {
  for (let i = 0; i < 4; i++) for (let k = 0; k < 4; k++) {
    g.fillStyle = (i + k) % 2 ? '#6fa23f' : '#79ad47';
    g.fillRect(i * 128, k * 128, 128, 128);
  }
  for (let i = 0; i < 900; i++) {
    g.fillStyle = `hsl(${85 + random() * 20} 40% ${36 + random() * 16}% / .5)`;
    g.fillRect(random() * 512, random() * 512, 2, 3 + random() * 4);
  }
}

void play(world, controls);
