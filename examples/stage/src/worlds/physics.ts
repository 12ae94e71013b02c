// The yard of balls and crates, seen from the side. The rigid-body library runs in the WebAssembly client.
import { bind, type Game } from '@tactusgo/client';
import * as three from 'three';
import types from '../../../more/physics/bindings/physics.mjs';
import { css, hexOf } from '../scene/colours';
import { box } from '../scene/ground';
import { label, relabel, unlabel } from '../scene/labels';
import { Sparks } from '../scene/sparks';
import { block, materials, painted } from '../scene/textures';
import { View } from '../scene/view';
import { hud } from '../stage/hud';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { showScores } from '../stage/scores';
import { near, sound } from '../stage/sound';
import { growth, type Happening, type Scene, type World } from '../stage/world';

const physics = bind(types);

const WIDTH = 960, HEIGHT = 540, RADIUS = 22, SIDE = 40; // of examples/more/physics/game
const DEEP = 130; // of the yard
const EYES = 118; // the camera is at least as high

type Table = InstanceType<typeof physics.Table>;

const view = new View({ back: 0x9fd4f5, tilt: 0.14, area: 560, field: [-10, 0, WIDTH + 20, 0], sky: 0xf2fbff, ground: 0xb69a7a, ambient: 1.9, sunny: 2.6, fog: false });
const { scene } = view, of = materials();
const floor = box(WIDTH / 2, -30, 340, WIDTH + 1600, 60, 1500, new three.MeshLambertMaterial({ map: lawn() }));
scene.add(floor, box(-16, 150, 0, 24, 320, DEEP, of.wood), box(WIDTH + 16, 150, 0, 24, 320, DEEP, of.wood));
scene.add(...hills());
const ballShape = new three.SphereGeometry(RADIUS, 28, 20).rotateX(Math.PI / 2), crateShape = block(SIDE, SIDE, SIDE, 3, 0);
const balls = new Map<number, three.Material>(); // by colour
const sparks = new Sparks(new three.BoxGeometry(1, 1, 1), 128), arrow = new three.Mesh(new three.ConeGeometry(9, 18, 4).rotateX(Math.PI), new three.MeshBasicMaterial({ color: 0xffffff, toneMapped: false }));
arrow.visible = false;
scene.add(sparks.mesh, arrow);
const dust = new three.Color(0x6b5a45), tint = new three.Color();

const world: World<typeof physics> = {
  name: 'physics', title: 'Ball yard', goal: 'Climb the crates: each second on top, above the others, gives a point.', player: 'Ball', bindings: physics,
  layout: { move: 'roll', moveKeys: ['A', 'D'], buttons: { jump: { keys: ['Space', 'KeyW', 'ArrowUp'], pad: [0], touch: 'jump' } } },
  async warm() {
    const tag = label('Ball', new three.Color(0xffffff), 22), ball = new three.Mesh(ballShape, ballOf(0xffffff)), crate = new three.Mesh(crateShape, of.crate);
    scene.add(tag, ball, crate);
    arrow.visible = true;
    view.follow(WIDTH / 2, EYES, 0, 0);
    await view.warm();
    for (const o of [tag, ball, crate]) o.removeFromParent();
    arrow.visible = false;
  },
  happenings() {
    const points = growth();
    return (tables) => {
      const found: Happening[] = [];
      for (const { rows, Score, Owner } of tables) for (let r = 0; Score && Owner && r < rows; r++) if (points(Owner.Client(r), Score.Points(r))) found.push({ by: Owner.Client(r), what: 'is on top' });
      return found;
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world);

/** A ball or a crate, and what the page keeps of it between frames. */
class Thing {
  frame = 0; vx = 0; vy = 0; points = 0;
  tag: three.Sprite | null = null;
  constructor(readonly mesh: three.Mesh, readonly client: number) {}
}

class Match implements Scene<typeof physics> {
  private readonly things = new Map<number, Thing>(); // by NetID
  private own: Thing | undefined;
  private frame = 0;

  constructor(private readonly game: Game<typeof physics>) { view.reset(); }

  steer() {
    const { input } = this.game;
    input.Roll = controls.steps().x;
    input.Jump = controls.pressed('jump');
    if (input.Jump && this.own) sound.tone(260, 480, 0.16, 0.2);
  }

  draw(tables: readonly Table[], seconds: number) {
    this.frame++;
    for (const t of tables) for (let r = 0; t.Body && r < t.rows; r++) this.thing(t, r);
    for (const [id, x] of this.things) if (x.frame !== this.frame) this.forget(id, x);
    if (this.own) {
      const { x, y } = this.own.mesh.position, high = view.size[1];
      view.follow(x, Math.max(y, innerHeight > innerWidth ? 0.19 * high : Math.max(EYES, high / 2 - 130)), 0, seconds);
      arrow.position.set(x, y + 48 + 4 * Math.sin(performance.now() / 200), 0);
      hud.message('');
    }
    arrow.visible = this.own !== undefined;
    if (this.frame % 15 === 0) this.scores();
    sparks.step(seconds);
    view.render();
  }

  end() {
    this.things.forEach((x, id) => this.forget(id, x));
    arrow.visible = false;
  }

  /** Shows the points of all balls. */
  private scores() {
    const self = this.game.stats.Client, balls = [...this.things.values()].filter((x) => x.client);
    showScores(balls.map((x) => ({ client: x.client, name: x.client === self ? 'You' : called(x.client), value: x.points, colour: css(hexOf(x.client, x.client === self)), own: x.client === self })));
    if (this.own) hud.count(this.own.points, 'points', css(hexOf(self, true)));
  }

  private thing(t: Table, r: number) {
    const { Body, Owner, Score } = t, id = t.id(r), client = Owner?.Client(r) ?? 0;
    let x = this.things.get(id);
    if (!x) {
      const own = client !== 0 && client === this.game.stats.Client;
      x = new Thing(new three.Mesh(client ? ballShape : crateShape, client ? ballOf(hexOf(client, own)) : of.crate), client);
      x.mesh.castShadow = x.mesh.receiveShadow = true;
      if (own) this.own = x;
      scene.add(x.mesh);
      this.things.set(id, x);
    }
    x.frame = this.frame;
    const points = Score?.Points(r) ?? 0;
    if (x === this.own && points > x.points) sound.tune([784, 1047], 0.2);
    x.points = points;
    x.mesh.position.set(Body!.X(r), HEIGHT - Body!.Y(r), 0);
    x.mesh.rotation.z = -Body!.Angle(r);
    if (client && x !== this.own) x.tag = relabel(scene, x.tag, called(client), tint.setHex(hexOf(client, false)), 20);
    x.tag?.position.set(Body!.X(r), HEIGHT - Body!.Y(r) + 40, 0);
    const vx = Body!.VX(r), vy = Body!.VY(r), bump = Math.hypot(vx - x.vx, vy - x.vy);
    if (bump > 140) {
      const loud = Math.min(bump / 900, 0.6) * (this.own ? near(Math.abs(this.own.mesh.position.x - x.mesh.position.x), 250) : 1);
      sound.hiss(client ? 500 : 900, 0.14, loud);
      if (bump > 300) sparks.burst(x.mesh.position.x, Math.max(x.mesh.position.y - RADIUS, 3), 20, 5, 70, 0.4, dust);
    }
    x.vx = vx;
    x.vy = vy;
  }

  private forget(id: number, x: Thing) {
    scene.remove(x.mesh);
    if (x.tag) unlabel(x.tag);
    this.things.delete(id);
    if (x === this.own) this.own = undefined;
  }
}

/** Returns the material of a beach ball. */
function ballOf(hex: number): three.Material {
  let m = balls.get(hex);
  if (m) return m;
  const map = painted(256, (g) => {
    for (let i = 0; i < 6; i++) {
      g.fillStyle = i % 2 ? '#ffffff' : css(hex);
      g.fillRect(i * 256 / 6, 0, 256 / 6 + 1, 256);
    }
    g.fillStyle = css(hex);
    g.fillRect(0, 0, 256, 26);
    g.fillRect(0, 230, 256, 26);
  });
  balls.set(hex, (m = new three.MeshStandardMaterial({ map, roughness: 0.45 })));
  return m;
}

function lawn(): three.Texture {
  const map = painted(512, (g, random) => {
    g.fillStyle = '#7cb04a';
    g.fillRect(0, 0, 512, 512);
    for (let i = 0; i < 2200; i++) {
      g.fillStyle = `hsl(${80 + random() * 25} 42% ${38 + random() * 20}%)`;
      g.fillRect(random() * 512, random() * 512, 2, 3 + random() * 6);
    }
  });
  map.repeat.set(9, 6);
  return map;
}

/** Makes what is behind the yard: hills, trees, clouds. */
function hills(): three.Object3D[] {
  const all: three.Object3D[] = [], add = (shape: three.BufferGeometry, color: number, x: number, y: number, z: number) => {
    const m = new three.Mesh(shape, new three.MeshLambertMaterial({ color }));
    m.position.set(x, y, z);
    all.push(m);
  };
  for (let i = 0; i < 9; i++) add(new three.SphereGeometry(260 + (i * 53) % 120, 24, 12).scale(1.5, 0.7, 0.5), [0x86bf6a, 0x79b45f, 0x94c878][i % 3]!, -900 + i * 330, -30, -520 - (i % 3) * 90);
  for (let i = 0; i < 14; i++) {
    const x = -420 + i * 137, z = -200 - (i * 61) % 130, high = 60 + (i * 29) % 40;
    add(new three.CylinderGeometry(6, 8, high, 7), 0x7a5638, x, high / 2, z);
    add(new three.IcosahedronGeometry(34 + (i * 17) % 16, 1), [0x4e9a51, 0x5fab5c, 0x438b49][i % 3]!, x, high + 22, z);
  }
  for (let i = 0; i < 8; i++) for (const [dx, size] of [[-40, 34], [0, 48], [44, 36]] as const) add(new three.SphereGeometry(size, 14, 10).scale(1.3, 0.6, 0.6), 0xffffff, -600 + i * 300 + dx, 440 + (i * 97) % 330, -640);
  return all;
}

void play(world, controls);
