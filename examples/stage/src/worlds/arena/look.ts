// How the arena looks. The field is 2000 by 2000 units. Its y is z here.
import * as three from 'three';
import levels from '../../../bindings/levels.json';
import { colourOf as playerColour } from '../../scene/colours';
import { Crowd } from '../../scene/crowd';
import { label, unlabel } from '../../scene/labels';
import { Marker } from '../../scene/marker';
import { Sparks } from '../../scene/sparks';
import { painted } from '../../scene/textures';
import { View } from '../../scene/view';

const { Size: SIDE, Radius: RADIUS, Range: RANGE, Cover } = levels.arena;
const KICK = 0.09, FLASH = 0.16; // seconds: how long a shot and a hit show
const TILT = 1.02, MOST = 512; // of the camera, in radians; bodies

const colour = (hex: number) => new three.Color(hex);
const drone = colour(0x8d7bd8), white = colour(0xffffff), black = colour(0x04070d), good = colour(0x5fe08c), fair = colour(0xffc85a), bad = colour(0xff5d6c);

/** Returns the colour of a client's player. self is the client of this page. Client 0 owns the drones. */
export const colourOf = (client: number, self: number) => (client === 0 ? drone : playerColour(client, client === self));

/** The colour of health, 0 to 1. */
export const tintOf = (full: number, to: three.Color) => (full > 0.5 ? to.lerpColors(fair, good, 2 * full - 1) : to.lerpColors(bad, fair, 2 * full));

/** A player or a drone: what the page keeps between frames. */
export class Actor {
  client = 0; name = ''; points = 0;
  x = 0; y = 0; turn = 0;
  health = 100; shots = 0; down = false;
  colour = drone; mine = false; fresh = true;
  downFor = 0; // seconds
  shown = 100; kick = 0; flash = 0; grown = 0; // drawn health, which follows; seconds left to show; 0 to 1 since it appeared
  tag: three.Sprite | null = null;
}

/** The field and all that is on it. */
export class Look {
  readonly view = new View({ back: 0x060912, tilt: TILT, area: 800, field: [0, 0, SIDE, SIDE], ground: 0x4a5590 });
  private readonly marker = new Marker(this.view.scene, 26, 0x4fe3ff);
  private readonly scene = this.view.scene;
  private readonly shiny = new three.MeshStandardMaterial({ roughness: 0.4, metalness: 0.1 });
  private readonly players = new Crowd(this.scene, new three.SphereGeometry(RADIUS, 28, 18), this.shiny, MOST, true);
  private readonly guns = new Crowd(this.scene, new three.BoxGeometry(22, 8, 9).translate(20, 0, 0), this.shiny, MOST, true);
  private readonly drones = new Crowd(this.scene, new three.ConeGeometry(14, 34, 4).rotateX(Math.PI / 4).rotateZ(-Math.PI / 2),
    new three.MeshStandardMaterial({ roughness: 0.6, flatShading: true }), MOST, true);
  private readonly bars = new Crowd(this.scene, new three.PlaneGeometry(1, 5).translate(0.5, 0, 0).rotateX(-TILT), new three.MeshBasicMaterial({ toneMapped: false, fog: false }), 2 * MOST);
  private readonly glows = new Crowd(this.scene, new three.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), glow(), MOST);
  private readonly bolts = new Sparks(new three.BoxGeometry(1, 1, 1), 384);
  private readonly rings = new Sparks(new three.RingGeometry(0.86, 1, 48).rotateX(-Math.PI / 2), 32);
  private readonly tint = new three.Color();

  constructor() {
    this.scene.add(this.bolts.mesh, this.rings.mesh, ...field());
  }

  /** Compiles shaders, with some of everything in sight. */
  async warm() {
    const tag = label('nobody', white, 18), middle = SIDE / 2;
    this.scene.add(tag);
    for (const crowd of [this.players, this.guns, this.drones, this.bars, this.glows]) crowd.put(middle, RADIUS, middle, 0, 1, white);
    this.view.follow(middle, 0, middle, 0);
    await this.view.warm();
    this.clear();
    this.view.render();
    tag.removeFromParent(); // without unlabel: the shaders of names stay compiled as long as it has them
  }

  /** Starts a frame. */
  clear() {
    this.marker.visible = false;
    for (const crowd of [this.players, this.guns, this.drones, this.bars, this.glows]) crowd.empty();
  }

  /** Draws a player or a drone, some seconds after the frame before. */
  show(a: Actor, seconds: number) {
    a.downFor += seconds;
    a.shown += (a.health - a.shown) * (1 - Math.exp(-12 * seconds));
    a.grown = Math.min(a.grown + seconds / 0.3, 1);
    if (a.tag) a.tag.visible = !a.down;
    if (!a.down) this.body(a);
    if (a.mine && !a.down) this.marker.show(a.x, 2, a.y, seconds);
    a.kick = Math.max(a.kick - seconds, 0);
    a.flash = Math.max(a.flash - seconds, 0);
  }

  private body(a: Actor) {
    const { x, y, turn } = a, size = 1 - (1 - a.grown) ** 2, kick = a.kick / KICK, c = this.tint.copy(a.colour).lerp(white, 0.8 * a.flash / FLASH);
    if (a.client) {
      this.players.put(x, RADIUS, y, turn, size, c);
      this.guns.put(x - 4 * kick * Math.cos(turn), RADIUS, y - 4 * kick * Math.sin(turn), turn, size, c.lerp(white, 0.4));
      this.glows.put(x, 1, y, 0, (a.mine ? 130 : 100) + 60 * kick, c.copy(a.colour).multiplyScalar(a.mine ? 0.5 : 0.3));
    } else this.drones.put(x, RADIUS + 2 * Math.sin(performance.now() / 400 + x / 30), y, turn, size, c);
    a.tag?.position.set(x, 2 * RADIUS + 22, y);
    if (a.shown > 99) return;
    const full = Math.max(a.shown / 100, 0);
    this.bars.put(x - 21, 2 * RADIUS + 8, y, 0, 1.3, black, 42 / 1.3);
    this.bars.put(x - 20, 2 * RADIUS + 9, y + 1, 0, 0.8, tintOf(full, c), 40 * full / 0.8);
  }

  /** Shows a hit. */
  hit(a: Actor) {
    a.flash = FLASH;
  }

  /** Shows that a player or a drone was shot down. */
  fell(a: Actor) {
    a.downFor = 0;
    this.rings.add(a.x, 3, a.y, 14, 14, 0, 4, 0.45, a.colour);
    this.bolts.burst(a.x, RADIUS, a.y, 26, 340, 0.7, a.colour);
  }

  /** Shows that a player or a drone is back. */
  rose(a: Actor) {
    a.grown = 0;
    a.shown = a.health;
    this.rings.add(a.x, 3, a.y, 44, 44, 0, -0.8, 0.5, a.colour);
  }

  /** Shows a shot, up to the first body in its way. What it hit is the server's decision, and shows in health. */
  fired(a: Actor, all: Iterable<Actor>) {
    const cos = Math.cos(a.turn), sin = Math.sin(a.turn);
    let reach = free(a.x, a.y, cos, sin), hit: Actor | null = null;
    for (const b of all) {
      const dx = b.x - a.x, dy = b.y - a.y, along = dx * cos + dy * sin;
      if (b !== a && !b.down && along > 0 && along < reach && Math.abs(dy * cos - dx * sin) <= RADIUS) [reach, hit] = [along, b];
    }
    const muzzle = 34, long = Math.max(reach - muzzle, 8), mid = muzzle + long / 2, c = this.tint.copy(a.colour).lerp(white, 0.15);
    a.kick = KICK;
    this.bolts.add(a.x + cos * mid, RADIUS, a.y + sin * mid, long, 3.4, -a.turn, 0, 0.13, c);
    this.bolts.burst(a.x + cos * muzzle, RADIUS, a.y + sin * muzzle, 3, 130, 0.16, c);
    if (hit) this.bolts.burst(a.x + cos * (reach - 10), RADIUS, a.y + sin * (reach - 10), 7, 190, 0.3, c.copy(hit.colour).lerp(white, 0.5));
  }

  /** Puts a name tag over a player. */
  name(a: Actor, name: string) {
    this.forget(a);
    a.name = name;
    if (!a.mine) this.scene.add((a.tag = label(name, a.colour, 18)));
  }

  /** Removes the name tag of a player. */
  forget(a: Actor) {
    if (a.tag) unlabel(a.tag);
    a.tag = null;
  }

  /** Ends a frame. */
  render(seconds: number) {
    this.bolts.step(seconds);
    this.rings.step(seconds);
    this.view.render();
  }
}

/** Draws plates, with bolts at their corners. */
function plates(c: CanvasRenderingContext2D) {
  const size = 512;
  c.fillStyle = '#1d2a4d';
  c.fillRect(0, 0, size, size);
  for (const [x, y] of [[0, 0], [1, 1]] as const) {
    c.fillStyle = '#223258';
    c.fillRect(x * size / 2, y * size / 2, size / 2, size / 2);
  }
  c.strokeStyle = '#16203d';
  c.lineWidth = 6;
  for (const x of [0, 1]) for (const y of [0, 1]) {
    c.strokeRect(x * size / 2 + 3, y * size / 2 + 3, size / 2 - 6, size / 2 - 6);
    c.fillStyle = '#3a4f86';
    for (const [u, v] of [[24, 24], [232, 24], [24, 232], [232, 232]] as const) c.fillRect(x * size / 2 + u - 4, y * size / 2 + v - 4, 8, 8);
  }
}

/** The ground, the walls around it, and the cover. */
function field(): three.Object3D[] {
  const map = painted(512, plates);
  map.repeat.set(SIDE / 250, SIDE / 250);
  const ground = new three.Mesh(new three.PlaneGeometry(SIDE, SIDE).rotateX(-Math.PI / 2), new three.MeshLambertMaterial({ map }));
  ground.position.set(SIDE / 2, 0, SIDE / 2);
  ground.receiveShadow = true;
  const wall = new three.MeshStandardMaterial({ color: 0x4d6bd6, emissive: 0x4d6bd6, emissiveIntensity: 0.55, roughness: 0.5 });
  const block = new three.MeshStandardMaterial({ color: 0x8796bf, roughness: 0.8 }), edge = new three.MeshBasicMaterial({ color: 0xffb454, toneMapped: false });
  const box = (x: number, y: number, w: number, d: number, high: number, of: three.Material, from = 0) => {
    const m = new three.Mesh(new three.BoxGeometry(w, high, d), of);
    m.position.set(x + w / 2, from + high / 2, y + d / 2);
    m.castShadow = m.receiveShadow = of !== edge;
    return m;
  };
  const thick = 14;
  const walls = [[-thick, -thick, SIDE + 2 * thick, thick], [-thick, SIDE, SIDE + 2 * thick, thick], [-thick, 0, thick, SIDE], [SIDE, 0, thick, SIDE]] as const;
  return [ground, ...walls.map(([x, y, w, d]) => box(x, y, w, d, 26, wall)),
    ...Cover.flatMap(({ X, Y, W, H }) => [box(X, Y, W, H, 40, block), box(X + 3, Y + 3, W - 6, H - 6, 2, edge, 40), box(X + 6, Y + 6, W - 12, H - 12, 3, block, 40)])];
}

/** Returns how far a shot flies: up to a block, or its range. */
function free(x: number, y: number, cos: number, sin: number): number {
  let far = RANGE;
  for (const b of Cover) {
    const xs = [(b.X - x) / cos, (b.X + b.W - x) / cos], ys = [(b.Y - y) / sin, (b.Y + b.H - y) / sin];
    const enters = Math.max(0, Math.min(...xs), Math.min(...ys)), leaves = Math.min(far, Math.max(...xs), Math.max(...ys));
    if (enters <= leaves) far = enters;
  }
  return far;
}

/** A light on the ground that fades towards its edge. */
function glow(): three.Material {
  const map = painted(128, (c) => {
    const fade = c.createRadialGradient(64, 64, 8, 64, 64, 64);
    for (let i = 0; i <= 8; i++) fade.addColorStop(i / 8, `rgb(${(1 - i / 8) ** 2 * 255} ${(1 - i / 8) ** 2 * 255} ${(1 - i / 8) ** 2 * 255})`);
    c.fillStyle = fade;
    c.fillRect(0, 0, 128, 128);
  });
  return new three.MeshBasicMaterial({ map, blending: three.AdditiveBlending, transparent: true, depthWrite: false, toneMapped: false, fog: false });
}
