// The yard of players who push each other, with platforms, a door and power-ups.
import { bind, type Game } from '@tactusgo/client';
import * as three from 'three';
import types from '../../bindings/custom.mjs';
import levels from '../../bindings/levels.json';
import { colourOf, css, hexOf } from '../scene/colours';
import { Crowd } from '../scene/crowd';
import { box, ground, matt, rim } from '../scene/ground';
import { label, relabel, unlabel } from '../scene/labels';
import { Marker } from '../scene/marker';
import { Sparks } from '../scene/sparks';
import { block, painted } from '../scene/textures';
import { View } from '../scene/view';
import { hud } from '../stage/hud';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { showScores } from '../stage/scores';
import { near, sound } from '../stage/sound';
import { growth, type Happening, type Scene, type World } from '../stage/world';

const custom = bind(types);

const { Width, Height, Walls, Door, Platforms } = levels.custom;
const RADIUS = 20, DECK = 6; // of a player; height of a platform

type Table = InstanceType<typeof custom.Table>;

const view = new View({ back: 0x4a3f6e, tilt: 1, area: 700, field: [0, 0, Width, Height], sky: 0xfff2fb, ground: 0x8a7bb5, ambient: 2, sunny: 2.2 });
const { scene } = view, wall = matt(0xf1ecff), edge = matt(0x7b5fd0);
scene.add(ground(Width, Height, 1500, 240, tiles), ...rim(Width, Height, 24, 34, edge));
for (const w of Walls) scene.add(slab(w, 44, wall));
const gate = slab(Door, 40, matt(0xff7a4d, { emissive: 0x7a1f00, emissiveIntensity: 0.4 }));
const frame = [slab({ X0: Door.X0 - 6, X1: Door.X1 + 6, Y0: Door.Y0 - 8, Y1: Door.Y0 }, 60, edge), slab({ X0: Door.X0 - 6, X1: Door.X1 + 6, Y0: Door.Y1, Y1: Door.Y1 + 8 }, 60, edge)];
const decks = Platforms.map((p) => {
  const m = new three.Mesh(block(p.W, DECK, p.H, 3, 0), new three.MeshStandardMaterial({ map: painted(256, arrows), roughness: 0.7 }));
  m.receiveShadow = m.castShadow = true;
  return m;
});
scene.add(gate, ...frame, ...decks);
const bodies = new Crowd(scene, new three.SphereGeometry(RADIUS, 24, 16).scale(1, 0.9, 1), matt(0xffffff, { roughness: 0.35 }), 64, true);
const belts = new Crowd(scene, new three.TorusGeometry(RADIUS * 0.98, 4, 8, 28).rotateX(Math.PI / 2), matt(0x2c2547), 64, true);
const whites = new Crowd(scene, new three.SphereGeometry(1, 10, 8), matt(0xffffff), 128), pupils = new Crowd(scene, new three.SphereGeometry(1, 8, 6), matt(0x151022), 128);
const stars = new Crowd(scene, new three.OctahedronGeometry(15), matt(0xffffff, { emissive: 0xffb300, emissiveIntensity: 0.45, flatShading: true }), 128, true);
const all = [bodies, belts, whites, pupils, stars];
const marker = new Marker(scene, 27), sparks = new Sparks(new three.BoxGeometry(1, 1, 1), 192);
scene.add(sparks.mesh);
const gold = new three.Color(0xffd34a), white = new three.Color(0xffffff), dark = new three.Color(0x151022);

const world: World<typeof custom> = {
  name: 'custom', title: 'Bumper yard', goal: 'Collect the crystals, ride the platforms, and push the others out of the way.', bindings: custom,
  layout: { move: 'roll' },
  async warm() {
    const tag = label('Player', white, 22);
    scene.add(tag);
    for (const c of all) c.put(Width / 2, 20, Height / 2, 0, 1, white);
    sparks.burst(Width / 2, 20, Height / 2, 5, 10, 1, gold);
    view.follow(Width / 2, 0, Height / 2, 0);
    await view.warm();
    tag.removeFromParent();
  },
  happenings() {
    const crystals = growth();
    return (tables) => {
      const found: Happening[] = [];
      for (const { rows, Owner, Score } of tables) for (let r = 0; Owner && Score && r < rows; r++)
        if (crystals(Owner.Client(r), Score.Points(r))) found.push({ by: Owner.Client(r), what: 'took a crystal' });
      return found;
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world);

/** What the page keeps of a player between frames. */
class Bumper {
  frame = 0; points = -1; boosted = false; x = 0; y = 0; turn = 0;
  tag: three.Sprite | null = null;
  constructor(readonly client: number, readonly own: boolean) {}
  get name() { return this.own ? 'You' : called(this.client); }
}

class Match implements Scene<typeof custom> {
  private readonly players = new Map<number, Bumper>(); // by client
  private readonly platform: (n: number, axis: number, tick: number, rate: number) => number;
  private readonly closed: (tick: number, rate: number) => number;
  private own: Bumper | undefined;
  private frame = 0;
  private tick = 0; // that is drawn, with a fraction
  private shut = -1;

  constructor(private readonly game: Game<typeof custom>) {
    this.platform = game.module.exports['custom_platform'] as typeof this.platform;
    this.closed = game.module.exports['custom_closed'] as typeof this.closed;
    view.reset();
  }

  steer() {
    const { x, y } = controls.steps();
    this.game.input.DX = x;
    this.game.input.DY = y;
  }

  draw(tables: readonly Table[], seconds: number) {
    this.frame++;
    for (const c of all) c.empty();
    this.scenery(seconds);
    for (const { rows, Position, Velocity, Owner, Boost, Score, PowerUp } of tables) {
      for (let r = 0; PowerUp && Position && r < rows; r++)
        if (PowerUp.ReadyAt(r) <= this.game.stats.ServerTick) stars.put(Position.X(r), 24 + 4 * Math.sin(performance.now() / 350 + r), Position.Y(r), performance.now() / 600 + r, 1, gold);
      for (let r = 0; Position && Velocity && Owner && Boost && Score && r < rows; r++)
        this.player(Owner.Client(r), Position.X(r), Position.Y(r), Velocity.X(r), Velocity.Y(r), Boost.Left(r) > 0, Score.Points(r), seconds);
    }
    for (const [client, p] of this.players) if (p.frame !== this.frame) this.forget(client, p);
    const { own } = this;
    if (own) {
      view.follow(own.x, 0, own.y, seconds);
      marker.show(own.x, this.height(own) + 1.5, own.y, seconds);
      hud.count(Math.max(own.points, 0), own.points === 1 ? 'crystal' : 'crystals', '#ffd34a');
      hud.message(own.boosted ? 'Fast!' : '');
    }
    marker.visible = own !== undefined;
    if (this.frame % 15 === 0) showScores([...this.players.values()].map((p) => ({ client: p.client, name: p.name, value: p.points, colour: css(hexOf(p.client, p.own)), own: p.own })));
    sparks.step(seconds);
    view.render();
  }

  end() {
    this.players.forEach((p, client) => this.forget(client, p));
    marker.visible = false;
  }

  /** Moves the platforms and the door to where they are for the own player. */
  private scenery(seconds: number) {
    const { Tick, TickRate } = this.game.stats;
    if (!TickRate) return;
    this.tick += seconds * TickRate;
    if (Math.abs(this.tick - Tick) > 10) this.tick = Tick;
    this.tick += (Tick - this.tick) * Math.min(4 * seconds, 1);
    const whole = Math.max(Math.floor(this.tick), 0), part = this.tick - whole;
    decks.forEach((d, n) => {
      const at = (axis: number) => this.platform(n, axis, whole, TickRate) * (1 - part) + this.platform(n, axis, whole + 1, TickRate) * part;
      d.position.set(at(0), DECK / 2, at(1));
    });
    const shut = this.closed(whole, TickRate);
    if (shut !== this.shut && this.shut >= 0 && this.own) sound.hiss(400, 0.3, 0.5 * near(Math.hypot(this.own.x - Door.X0, this.own.y - (Door.Y0 + Door.Y1) / 2), 300));
    this.shut = shut;
    gate.position.y += ((shut ? 20 : -19) - gate.position.y) * (1 - Math.exp(-14 * seconds));
  }

  private player(client: number, x: number, y: number, vx: number, vy: number, boosted: boolean, points: number, seconds: number) {
    let p = this.players.get(client);
    if (!p) {
      this.players.set(client, (p = new Bumper(client, client === this.game.stats.Client)));
      if (p.own) this.own = p;
    }
    const colour = colourOf(client, p.own), up = this.height(p);
    if (points > p.points && p.points >= 0) {
      sparks.burst(x, 24, y, 18, 240, 0.6, gold);
      sound.tune([660, 880, 1320], p.own ? 0.3 : 0.12 * near(this.own ? Math.hypot(x - this.own.x, y - this.own.y) : 900, 300));
    }
    Object.assign(p, { x, y, boosted, points, frame: this.frame });
    if (vx || vy) {
      const off = Math.atan2(vy, vx) - p.turn;
      p.turn += (off - 2 * Math.PI * Math.round(off / (2 * Math.PI))) * (1 - Math.exp(-14 * seconds));
    }
    if (boosted && Math.random() < 30 * seconds) sparks.burst(x - 16 * Math.cos(p.turn), 8, y - 16 * Math.sin(p.turn), 1, 40, 0.4, gold);
    bodies.put(x, up + RADIUS * 0.9, y, p.turn, 1, colour);
    belts.put(x, up + RADIUS * 0.55, y, 0, 1, boosted ? gold : white);
    for (const side of [-0.42, 0.42]) {
      const sin = Math.sin(p.turn), cos = Math.cos(p.turn), ex = x + RADIUS * (0.72 * cos - side * sin), ey = y + RADIUS * (0.72 * sin + side * cos);
      whites.put(ex, up + RADIUS * 1.4, ey, 0, 5.4, white);
      pupils.put(ex + 2.6 * cos, up + RADIUS * 1.4 + 2.4, ey + 2.6 * sin, 0, 3.2, dark);
    }
    if (!p.own) p.tag = relabel(scene, p.tag, p.name, colour, 22);
    p.tag?.position.set(x, up + 60, y);
  }

  /** How high the ground is below a player. */
  private height(p: Bumper) {
    return decks.some((d, n) => Math.abs(p.x - d.position.x) <= Platforms[n]!.W / 2 && Math.abs(p.y - d.position.z) <= Platforms[n]!.H / 2) ? DECK : 0;
  }

  private forget(client: number, p: Bumper) {
    if (p.tag) unlabel(p.tag);
    this.players.delete(client);
    if (p === this.own) this.own = undefined;
  }
}

function slab(b: { X0: number; Y0: number; X1: number; Y1: number }, high: number, material: three.Material) {
  return box((b.X0 + b.X1) / 2, high / 2, (b.Y0 + b.Y1) / 2, b.X1 - b.X0, high, b.Y1 - b.Y0, material);
}

function tiles(g: CanvasRenderingContext2D, random: () => number) {
  const tints = ['#b9a8ea', '#c3b4ef', '#b1a0e4', '#cabcf2'];
  for (let i = 0; i < 4; i++) for (let k = 0; k < 4; k++) {
    g.fillStyle = '#a08fd6';
    g.fillRect(i * 128, k * 128, 128, 128);
    g.fillStyle = tints[Math.floor(random() * tints.length)]!;
    g.beginPath();
    g.roundRect(i * 128 + 3, k * 128 + 3, 122, 122, 12);
    g.fill();
  }
}

/** Draws the top of a platform. */
function arrows(g: CanvasRenderingContext2D) {
  g.fillStyle = '#2fb7a3';
  g.fillRect(0, 0, 256, 256);
  g.lineWidth = 14;
  g.strokeStyle = '#1c7f72';
  g.strokeRect(7, 7, 242, 242);
  g.strokeStyle = '#d9fff6';
  g.lineWidth = 10;
  for (let i = 0; i < 4; i++) {
    g.save();
    g.translate(128, 128);
    g.rotate(i * Math.PI / 2);
    g.beginPath();
    g.moveTo(-26, -62);
    g.lineTo(0, -88);
    g.lineTo(26, -62);
    g.stroke();
    g.restore();
  }
}

void play(world, controls);
