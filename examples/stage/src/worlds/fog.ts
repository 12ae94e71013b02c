// The game of two teams in the dark. A client knows only what its team sees, so the page has nothing to hide.
import { bind, connect, type Game } from '@tactusgo/client';
import * as three from 'three';
import types from '../../bindings/fog.mjs';
import levels from '../../bindings/levels.json';
import { css, TEAMS } from '../scene/colours';
import { Crowd } from '../scene/crowd';
import { box, ground, matt } from '../scene/ground';
import { relabel, unlabel } from '../scene/labels';
import { Marker } from '../scene/marker';
import { Sparks } from '../scene/sparks';
import { View } from '../scene/view';
import { make } from '../stage/dom';
import { hud } from '../stage/hud';
import { tell } from '../stage/lines';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { showScores } from '../stage/scores';
import { sound } from '../stage/sound';
import type { Happening, Scene, World } from '../stage/world';
import { root } from '../stage/root';

const fog = bind(types);

const { Size, Radius, Sight, Cone, Walls } = levels.fog;
const TURN = 2 * Math.PI / 65536, RAYS = 72, MOST = 24; // rays of a view cone, and players
const NAMES = ['Blue', 'Orange'] as const;

type Table = InstanceType<typeof fog.Table>;

/** What the players of a team see: fans of triangles on the ground. */
class Cones {
  private readonly points = new Float32Array(9 * RAYS * MOST);
  private readonly mesh: three.Mesh<three.BufferGeometry, three.MeshBasicMaterial>;
  private n = 0;

  constructor(scene: three.Scene, private readonly up: number, opacity: number) {
    const shape = new three.BufferGeometry().setAttribute('position', new three.BufferAttribute(this.points, 3).setUsage(three.DynamicDrawUsage));
    this.mesh = new three.Mesh(shape, new three.MeshBasicMaterial({ color: 0xffe9b8, transparent: true, opacity, depthWrite: false, side: three.DoubleSide, forceSinglePass: true, toneMapped: false, blending: three.AdditiveBlending }));
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
  }

  empty(colour: number) {
    this.n = 0;
    this.mesh.material.color.setHex(colour);
  }

  /** Adds what a player sees. free says how far a line of sight reaches, 0 to 1. */
  add(x: number, y: number, angle: number, free: Free) {
    if (this.n + 9 * RAYS > this.points.length) return;
    let was: readonly [number, number] | undefined;
    for (let i = 0; i <= RAYS; i++) {
      const a = angle + Cone * (i / RAYS - 0.5), dx = Sight * Math.cos(a), dy = Sight * Math.sin(a), share = free(x, y, x + dx, y + dy);
      const to = [x + dx * share, y + dy * share] as const;
      if (was) for (const [px, py] of [[x, y], was, to] as const) {
        this.points[this.n++] = px;
        this.points[this.n++] = this.up;
        this.points[this.n++] = py;
      }
      was = to;
    }
  }

  done() {
    this.mesh.geometry.setDrawRange(0, this.n / 3);
    this.mesh.geometry.attributes['position']!.needsUpdate = true;
  }
}

type Free = (x0: number, y0: number, x1: number, y1: number) => number;

const view = new View({ back: 0x05070d, tilt: 1.2, area: 520, field: [0, 0, Size, Size], sky: 0xd9deea, ground: 0x5a5a66, ambient: 2.1, sun: 0xd6e0ff, sunny: 1.6 });
const { scene } = view;
scene.add(ground(Size, Size, 0, 128, flagstones));
for (const w of Walls) scene.add(box(w.X + w.W / 2, 17, w.Y + w.H / 2, w.W, 34, w.H, matt(0x5166a8)));
const bodies = new Crowd(scene, new three.CapsuleGeometry(Radius * 0.72, 14, 6, 18), matt(0xffffff, { roughness: 0.5 }), 64, true);
const hats = new Crowd(scene, new three.ConeGeometry(Radius * 0.95, 14, 18), matt(0xffffff), 64, true);
const eyes = new Crowd(scene, new three.SphereGeometry(1, 10, 8), matt(0xffffff, { emissive: 0xffffff, emissiveIntensity: 0.4 }), 128);
const ghosts = new Crowd(scene, new three.CapsuleGeometry(Radius * 0.72, 14, 6, 18), new three.MeshBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false }), 64);
const friends = new Cones(scene, 1, 0.42), foes = new Cones(scene, 1.5, 0.5);
const marker = new Marker(scene, 20), sparks = new Sparks(new three.BoxGeometry(1, 1, 1), 128);
scene.add(sparks.mesh);
const tints = TEAMS.map((hex) => new three.Color(hex)), white = new three.Color(0xffffff);
const truth = make('input', { type: 'checkbox', id: 'truth' }), reveal = make('label', { id: 'reveal', hidden: true }, truth, 'Show what is hidden');
root.append(reveal);

const world: World<typeof fog> = {
  name: 'fog', title: 'Fog', goal: 'You see what your team sees. Touch opponents who do not look at you.', bindings: fog,
  layout: { move: 'walk', aim: 'look' },
  async warm() {
    for (const c of [bodies, hats, eyes, ghosts]) c.put(Size / 2, 20, Size / 2, 0, 1, white);
    friends.add(Size / 2, Size / 2, 0, () => 1);
    friends.done();
    foes.done();
    sparks.burst(Size / 2, 20, Size / 2, 5, 10, 1, white);
    view.follow(Size / 2, 0, Size / 2, 0);
    await view.warm();
  },
  happenings() {
    let before = new Map<number, [number, number]>(); // places by client
    return (tables) => {
      const found: Happening[] = [], places: typeof before = new Map();
      for (const { rows, Position, Owner } of tables) for (let r = 0; Position && Owner && r < rows; r++) {
        const by = Owner.Client(r), now: [number, number] = [Position.X(r), Position.Y(r)];
        if (jumped(before.get(by), now)) found.push({ by, what: 'was caught' });
        places.set(by, now);
      }
      before = places;
      return found;
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world);

class Match implements Scene<typeof fog> {
  private readonly free: Free;
  private readonly shown = new Map<number, [number, number]>(); // players by client: where they were
  private readonly tags = new Map<number, three.Sprite>(); // by client
  private own: { x: number; y: number; angle: number; team: number } | undefined;
  private look = 0;
  private caught = { by: 0, ago: Infinity }; // the client of the hunter; seconds
  private score: readonly number[] = [];
  private second: Game<typeof fog> | null = null; // a connection that sees everything
  private connecting = false;
  private readonly target = new three.Vector3();

  constructor(private readonly game: Game<typeof fog>) {
    this.free = game.module.exports['fog_free'] as Free;
    truth.checked = false;
    view.reset();
  }

  steer() {
    const { input } = this.game, { aim, mouse } = controls, { x, y } = controls.steps(), { own, target } = this;
    input.X = x;
    input.Y = y;
    if (aim.x || aim.y) this.look = Math.atan2(aim.y, aim.x);
    else if (mouse && own && view.pick(mouse.x, mouse.y, 0, target)) this.look = Math.atan2(target.z - own.y, target.x - own.x);
    else if (x || y) this.look = Math.atan2(y, x);
    input.Look = Math.round(this.look / TURN) & 0xffff;
  }

  draw(tables: readonly Table[], seconds: number) {
    for (const c of [bodies, hats, eyes, ghosts]) c.empty();
    const self = this.game.stats.Client, team = this.own?.team ?? 0;
    friends.empty(0xffc869);
    foes.empty(TEAMS[1 - team]!);
    const seen = new Set<number>();
    for (const { Caught, Owner, rows } of tables) for (let r = 0; Caught && Owner && r < rows; r++) if (Owner.Client(r) === self) this.caught.by = Caught.By(r);
    for (const { rows, Position, Gaze, Owner, Team } of tables) for (let r = 0; Position && Gaze && Owner && Team && r < rows; r++)
      this.player(Owner.Client(r), Position.X(r), Position.Y(r), Math.atan2(Gaze.Dir(r, 1), Gaze.Dir(r, 0)), Team.ID(r), self, seen);
    for (const client of this.shown.keys()) if (!seen.has(client)) this.forget(client);
    this.reveal(seen);
    friends.done();
    foes.done();
    this.board();
    if (this.own) {
      view.follow(this.own.x, 0, this.own.y, seconds);
      marker.show(this.own.x, 2, this.own.y, seconds);
    }
    marker.visible = this.own !== undefined;
    this.caught.ago += seconds;
    hud.message(this.caught.ago < 2 ? `Caught by ${called(this.caught.by)}\nfrom where you did not look` : '');
    sparks.step(seconds);
    view.render();
  }

  end() {
    this.second?.close();
    this.second = null;
    for (const client of this.shown.keys()) this.forget(client);
    reveal.hidden = true;
    marker.visible = false;
  }

  private player(client: number, x: number, y: number, angle: number, team: number, self: number, seen: Set<number>) {
    const was = this.shown.get(client), own = client === self;
    if (was && jumped(was, [x, y])) {
      sparks.burst(was[0], 20, was[1], 24, 200, 0.7, tints[team]!);
      sound.tone(own ? 300 : 500, own ? 90 : 900, 0.4, 0.35, own ? 'sawtooth' : 'triangle');
      if (own) {
        hud.hurt();
        tell('You', `were caught by ${called(this.caught.by)}`, css(TEAMS[team]!));
        this.caught.ago = 0;
      }
    }
    this.shown.set(client, [x, y]);
    seen.add(client);
    if (own) {
      if (!this.own) this.look = angle;
      this.own = { x, y, angle, team };
    }
    else {
      const tag = relabel(scene, this.tags.get(client) ?? null, called(client), tints[team]!, 18);
      tag.position.set(x, 62, y);
      this.tags.set(client, tag);
    }
    const sin = Math.sin(angle), cos = Math.cos(angle);
    (team === (this.own?.team ?? team) ? friends : foes).add(x, y, angle, this.free);
    bodies.put(x, 18, y, angle, 1, tints[team]!);
    if (team === 1) hats.put(x, 40, y, 0, 1, tints[team]!); // the teams differ in shape, too
    for (const side of [-0.4, 0.4]) eyes.put(x + Radius * (0.6 * cos - side * sin), 27, y + Radius * (0.6 * sin + side * cos), 0, 3, white);
  }

  private forget(client: number) {
    const tag = this.tags.get(client);
    if (tag) unlabel(tag);
    this.tags.delete(client);
    this.shown.delete(client);
  }

  /** Shows the score, and whose side the player is on. */
  private board() {
    const match = this.game.one.Match, team = this.own?.team;
    if (!match || team === undefined) return;
    reveal.hidden = !match.Truth;
    const now = [match.Score.get(0), match.Score.get(1)];
    if (now[team]! > (this.score[team] ?? now[team]!)) {
      tell(NAMES[team]!, 'caught an opponent', css(TEAMS[team]!));
      sound.tune([523, 784], 0.25);
    }
    if (now.join() === this.score.join()) return;
    this.score = now;
    hud.count(now[team]!, `for ${NAMES[team]}`, css(TEAMS[team]!));
    showScores(NAMES.map((name, i) => ({ client: i, name, value: now[i]!, colour: css(TEAMS[i]!), own: i === team })));
  }

  /** Shows players whom the team does not see, through a second connection, which the server must allow. */
  private reveal(seen: ReadonlySet<number>) {
    if (!truth.checked) {
      this.second?.close();
      this.second = null;
      return;
    }
    if (!this.second) return void this.connect();
    this.second.advance();
    for (const { rows, Position, Owner, Team } of this.second.frame()) for (let r = 0; Position && Owner && Team && r < rows; r++)
      if (!seen.has(Owner.Client(r))) ghosts.put(Position.X(r), 18, Position.Y(r), 0, 1, tints[Team.ID(r)]!);
  }

  private connect() {
    if (this.connecting) return;
    this.connecting = true;
    const login = new fog.Login();
    login.Truth = true;
    void fetch('connect.json').then((r) => r.json()).then((place) => connect({ module: 'play.wasm', exec: 'wasm_exec.js', game: fog, ...place, player: 0, login: login.bytes }))
      .then((game) => { this.second = game; }, (e: unknown) => {
        tell('The server', `refuses: ${e}`, '#ffb0a8');
        truth.checked = false;
      }).finally(() => { this.connecting = false; });
  }
}

/** Reports whether a player was caught, and is back in the base. */
const jumped = (was: [number, number] | undefined, now: [number, number]) => was !== undefined && Math.hypot(now[0] - was[0], now[1] - was[1]) > 60;

function flagstones(g: CanvasRenderingContext2D, random: () => number) {
  g.fillStyle = '#17181c';
  g.fillRect(0, 0, 512, 512);
  for (let i = 0; i < 4; i++) for (let k = 0; k < 4; k++) {
    g.fillStyle = `hsl(35 ${6 + random() * 6}% ${20 + random() * 5}%)`;
    g.beginPath();
    g.roundRect(i * 128 + 3, k * 128 + 3, 122, 122, 10);
    g.fill();
  }
}

void play(world, controls);
