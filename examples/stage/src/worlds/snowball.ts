// The snowball fight. The page shows predicted snowballs at once; the server decides whom they hit.
import { bind, type Game } from '@tactusgo/client';
import * as three from 'three';
import levels from '../../bindings/levels.json';
import types from '../../bindings/snowball.mjs';
import { css, hexOf } from '../scene/colours';
import { Crowd } from '../scene/crowd';
import { Figure } from '../scene/figure';
import { box, ground, matt } from '../scene/ground';
import { Marker } from '../scene/marker';
import { Sparks } from '../scene/sparks';
import { View } from '../scene/view';
import { hud } from '../stage/hud';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { showScores } from '../stage/scores';
import { near, sound } from '../stage/sound';
import { growth, type Scene, type World } from '../stage/world';

const snowball = bind(types);

const { Width, Height, Flake, Trees, Safe } = levels.snowball;
const CLEAR = { transparent: true } as const; // trees in front of the own player
const TURN = 2 * Math.PI / 65536, SIZE = 30; // units of a metre of the figures
const HAND = 22; // the height from which snowballs fly

type Table = InstanceType<typeof snowball.Table>;

const view = new View({ back: 0xbfd8ee, tilt: 0.95, area: 520, field: [0, 0, Width, Height], sky: 0xeaf4ff, ground: 0xa9c3e4, ambient: 2.1, sun: 0xfff0d8, sunny: 2 });
const { scene } = view;
scene.add(ground(Width, Height, 1500, 300, snow), ...fence(), ...woods());
const pines = Trees.map((t) => pine(t.X, t.Y, t.Radius));
scene.add(...pines);
const balls = new Crowd(scene, new three.SphereGeometry(Flake * 1.35, 12, 9), matt(0xffffff), 256, true), ice = new three.Color(0x8cc0ff); // white would not show on snow
const flakes = new Sparks(new three.BoxGeometry(1, 1, 1), 256), marker = new Marker(scene, 24, 0x0a5fa8);
scene.add(flakes.mesh);
const white = new three.Color(0xffffff);

const world: World<typeof snowball> = {
  name: 'snowball', title: 'Snowball fight', goal: 'Hit the others with snowballs. Trees stop what they throw.', player: 'Kid', bindings: snowball,
  layout: { move: 'walk', aim: 'aim', aimPresses: 'throw', buttons: { throw: { keys: ['Space'], pad: [7, 5, 0], click: true } } },
  switches: [{ name: 'Others move on while states are missing', call: 'snowball_extrapolate' }],
  async warm() {
    const f = new Figure(0, false);
    f.scale.setScalar(SIZE);
    f.position.set(Width / 2, 0, Height / 2);
    f.tell('Kid', '0');
    scene.add(f);
    balls.put(Width / 2, 20, Height / 2, 0, 1, ice);
    flakes.burst(Width / 2, 20, Height / 2, 5, 10, 1, white);
    view.follow(Width / 2, 0, Height / 2, 0);
    await view.warm();
    scene.remove(f); // without dispose, so that the shader of labels stays compiled
  },
  happenings() {
    const falls = growth(), scores = growth();
    return (tables) => {
      const by: number[] = [], hit: number[] = [];
      for (const { rows, Kid: Is, Owner, Score } of tables) for (let r = 0; Is && Owner && Score && r < rows; r++) {
        if (falls(Owner.Client(r), Is.Hit(r))) hit.push(Owner.Client(r));
        if (scores(Owner.Client(r), Score.Hits(r))) by.push(Owner.Client(r));
      }
      return hit.map((whom) => (by.length === 1 ? { by: by[0]!, what: 'hit', whom } : { by: whom, what: 'was hit' }));
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world);

/** A player, and what the page keeps of it between frames. */
class Kid extends Figure {
  frame = 0; hits = 0; hit = 0; thrown = -1; fall = 0; x = 0; y = 0;
}

class Match implements Scene<typeof snowball> {
  private readonly kids = new Map<number, Kid>(); // by client
  private readonly flying = new Map<number, [number, number]>(); // balls by NetID: where they were
  private own: Kid | undefined;
  private aim = 0;
  private frame = 0;
  private readonly target = new three.Vector3();

  constructor(private readonly game: Game<typeof snowball>) { view.reset(); }

  steer() {
    const { input } = this.game, { aim, mouse } = controls, { x, y } = controls.steps(), { own, target } = this;
    if (aim.x || aim.y) this.aim = Math.atan2(aim.y, aim.x);
    else if (mouse && own && view.pick(mouse.x, mouse.y, HAND, target)) this.aim = Math.atan2(target.z - own.y, target.x - own.x);
    else if (x || y) this.aim = Math.atan2(y, x);
    input.X = x;
    input.Y = y;
    input.Aim = Math.round(this.aim / TURN) & 0xffff;
    input.Throw = controls.held('throw') || Math.hypot(aim.x, aim.y) > 0.5;
  }

  draw(tables: readonly Table[], seconds: number) {
    const { news } = this.game;
    this.frame++;
    balls.empty();
    for (let i = 0; i < news.count; i++) {
      const { kind, id } = news.get(i), at = kind === 'gone' && this.flying.get(id);
      if (!at) continue;
      this.flying.delete(id);
      flakes.burst(at[0], HAND, at[1], 9, 130, 0.5, white);
    }
    for (const t of tables) {
      const { Ball, Kid: Is, Position, Heading, Owner, Score } = t;
      for (let r = 0; Ball && Position && r < t.rows; r++) {
        const x = Position.X(r), y = Position.Y(r), id = t.id(r);
        balls.put(x, HAND, y, 0, 1, ice);
        if (id) this.flying.set(id, [x, y]);
      }
      for (let r = 0; Is && Position && Heading && Owner && Score && r < t.rows; r++)
        this.kid(Owner.Client(r), Position.X(r), Position.Y(r), Heading.Angle(r), Is.Hit(r), Is.Thrown(r), Score.Hits(r), seconds);
    }
    for (const [client, k] of this.kids) if (k.frame !== this.frame) this.forget(client, k);
    const own = this.own;
    if (own) {
      view.follow(own.x, 0, own.y, seconds);
      marker.show(own.x, 1.5, own.y, seconds);
      for (const t of pines) fade(t, Math.abs(t.position.x - own.x) < 60 && Math.abs(t.position.z - own.y) < 80 ? 0.35 : 1);
      hud.count(own.hits, own.hits === 1 ? 'hit' : 'hits', 'radial-gradient(circle at 35% 30%, #fff, #b9cfe6)');
      hud.message(own.fall > 0.5 ? 'You were hit!' : '');
    }
    marker.visible = own !== undefined;
    if (this.frame % 15 === 0) showScores([...this.kids.values()].map((k) => ({ client: k.client, name: k.own ? 'You' : called(k.client), value: k.hits, colour: css(hexOf(k.client, k.own)), own: k.own })));
    flakes.step(seconds);
    view.render();
  }

  end() {
    this.kids.forEach((k, client) => this.forget(client, k));
    marker.visible = false;
  }

  private kid(client: number, x: number, y: number, angle: number, hit: number, thrown: number, hits: number, seconds: number) {
    const { stats } = this.game;
    let k = this.kids.get(client);
    if (!k) {
      k = new Kid(client, client === stats.Client);
      k.scale.setScalar(SIZE);
      k.enlarge(1.5);
      scene.add(k);
      this.kids.set(client, k);
      if (k.own) this.own = k;
    }
    const speed = seconds ? Math.hypot(x - k.x, y - k.y) / seconds / SIZE : 0, loud = k.own || !this.own ? 1 : 0.6 * near(Math.hypot(x - this.own.x, y - this.own.y), 300);
    k.frame = this.frame;
    if (k.thrown >= 0 && thrown !== k.thrown) sound.hiss(3000, 0.15, 0.3 * loud);
    if (hit > k.hit && k.thrown >= 0) {
      flakes.burst(x, HAND, y, 26, 220, 0.7, white);
      sound.hiss(1200, 0.25, 0.7 * loud);
      if (k.own) hud.hurt();
    }
    if (k.own && hits > k.hits && k.thrown >= 0) sound.tune([784, 1047], 0.25);
    [k.x, k.y, k.hit, k.thrown, k.hits] = [x, y, hit, thrown, hits];
    const down = hit > Safe * stats.TickRate;
    k.fall += ((down ? 1 : 0) - k.fall) * (1 - Math.exp(-12 * seconds));
    k.move(x, 0, y, Math.min(speed, 6), angle * 360 / 65536, false, seconds);
    k.rotation.z = 1.4 * k.fall;
    k.visible = down || hit === 0 || Math.floor(performance.now() / 120) % 2 === 0; // it flickers while nobody can hit it
    k.tell(k.own ? 'You' : called(client), String(hits));
  }

  private forget(client: number, k: Kid) {
    scene.remove(k);
    k.dispose();
    this.kids.delete(client);
    if (k === this.own) this.own = undefined;
  }
}

/** Makes a snowy pine. */
function pine(x: number, z: number, radius: number): three.Group {
  const g = new three.Group(), needles = matt(0x2f6b4f, CLEAR), trunk = matt(0x6b4a33, CLEAR), cap = matt(0xf4faff, CLEAR);
  const add = (shape: three.BufferGeometry, material: three.Material, y: number) => {
    const m = new three.Mesh(shape, material);
    m.position.y = y;
    m.castShadow = m.receiveShadow = true;
    g.add(m);
  };
  add(new three.CylinderGeometry(radius * 0.22, radius * 0.3, 26, 8), trunk, 13);
  for (let i = 0; i < 3; i++) {
    const r = radius * (1.25 - 0.3 * i), y = 30 + 24 * i;
    add(new three.ConeGeometry(r, 38, 9), needles, y);
    add(new three.ConeGeometry(r * 0.62, 20, 9), cap, y + 10);
  }
  g.position.set(x, 0, z);
  return g;
}

/** Lets a tree be seen through. */
function fade(tree: three.Group, opacity: number) {
  for (const m of tree.children as three.Mesh<three.BufferGeometry, three.Material>[]) m.material.opacity = opacity;
}

/** Makes trees beyond the fence. */
function woods(): three.Object3D[] {
  return Array.from({ length: 54 }, (_, i) => {
    const turn = i * 2.4, far = 1.16 + (i % 5) * 0.12;
    return pine(Width / 2 + Math.cos(turn) * Width * 0.62 * far, Height / 2 + Math.sin(turn) * Height * 0.76 * far, 24 + (i * 7) % 13);
  });
}

/** Makes the fence around the field. */
function fence(): three.Object3D[] {
  const wood = matt(0x8a5f3c), all: three.Object3D[] = [];
  for (const y of [12, 26]) all.push(box(Width / 2, y, -8, Width + 16, 5, 4, wood), box(Width / 2, y, Height + 8, Width + 16, 5, 4, wood), box(-8, y, Height / 2, 4, 5, Height + 16, wood), box(Width + 8, y, Height / 2, 4, 5, Height + 16, wood));
  for (let x = 0; x <= Width; x += 80) all.push(box(x, 17, -8, 7, 36, 7, wood), box(x, 17, Height + 8, 7, 36, 7, wood));
  for (let z = 0; z <= Height; z += 80) all.push(box(-8, 17, z, 7, 36, 7, wood), box(Width + 8, 17, z, 7, 36, 7, wood));
  return all;
}

function snow(g: CanvasRenderingContext2D, random: () => number) {
  g.fillStyle = '#dfeaf6';
  g.fillRect(0, 0, 512, 512);
  for (let i = 0; i < 46; i++) {
    const x = random() * 512, y = random() * 512, r = 30 + random() * 60, light = random() < 0.5 ? '#ffffff' : '#c3d6ea';
    for (const dx of [-512, 0, 512]) for (const dy of [-512, 0, 512]) { // the texture repeats
      const soft = g.createRadialGradient(x + dx, y + dy, 0, x + dx, y + dy, r);
      soft.addColorStop(0, `${light}90`);
      soft.addColorStop(1, `${light}00`);
      g.fillStyle = soft;
      g.fillRect(x + dx - r, y + dy - r, 2 * r, 2 * r);
    }
  }
  for (let i = 0; i < 240; i++) {
    g.fillStyle = '#ffffffc0';
    g.fillRect(random() * 512, random() * 512, 2, 2);
  }
}

void play(world, controls);
