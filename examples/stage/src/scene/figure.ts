// Characters and their animation.
import * as three from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { hexOf } from './colours';
import { pen } from './textures';

const round = (r: number, long: number) => new three.CapsuleGeometry(r, long, 5, 12), ball = (r: number) => new three.SphereGeometry(r, 18, 12);
const cloth = new three.MeshStandardMaterial({ vertexColors: true, roughness: 0.65 });
const SHIRT = -1, SKIN = 0xf5c9a4, EYES = 0x241f2c, SHOES = 0x4a3440, BAG = 0x8a5a35, TROUSERS = 0x35446b;
const disc = new three.CircleGeometry(0.36, 24);
const spot = new three.MeshBasicMaterial({ color: 0x0a1430, transparent: true, opacity: 0.3, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 });

/** Colours a shape and moves it to its place. */
function part(shape: three.BufferGeometry, colour: number, at: [number, number, number], size: [number, number, number] = [1, 1, 1], lean = 0) {
  shape.scale(...size).rotateZ(lean).translate(...at);
  const c = new three.Color(colour), colours = new Float32Array(3 * shape.attributes['position']!.count);
  for (let i = 0; i < colours.length; i += 3) colours.set(colour === SHIRT ? [-1, 0, 0] : [c.r, c.g, c.b], i);
  return shape.setAttribute('color', new three.BufferAttribute(colours, 3));
}

/** Returns a shape whose parts with the colour SHIRT have another one. It shares the rest with the shape. */
function dyed(shape: three.BufferGeometry, shirt: number) {
  const c = new three.Color(shirt), colours = (shape.attributes['color']!.array as Float32Array).slice(), all = new three.BufferGeometry();
  for (let i = 0; i < colours.length; i += 3) if (colours[i]! < 0) colours.set([c.r, c.g, c.b], i);
  Object.assign(all.attributes, shape.attributes);
  return all.setIndex(shape.index).setAttribute('color', new three.BufferAttribute(colours, 3));
}

/** The parts of a character: trunk and head, a leg, an arm. Characters look along x. */
function cut() {
  return {
    trunk: mergeGeometries([
      part(round(0.22, 0.2), SHIRT, [0, 0.58, 0], [0.9, 1, 1.1]), part(round(0.13, 0.14), BAG, [-0.23, 0.62, 0], [0.8, 1, 1.2]),
      part(ball(0.27), SKIN, [0, 1.1, 0], [1, 0.95, 1]), part(new three.SphereGeometry(0.285, 24, 10, 0, 7, 0, 1.45), SHIRT, [-0.01, 1.12, 0], [1, 1, 1], 0.18),
      part(new three.CylinderGeometry(0.2, 0.2, 0.04, 20), SHIRT, [0.22, 1.17, 0], [1, 1, 1], -0.1),
      ...[-0.1, 0.1].map((z) => part(ball(0.045), EYES, [0.25, 1.05, z], [0.5, 1.3, 0.85])),
    ]),
    leg: mergeGeometries([part(round(0.085, 0.14), TROUSERS, [0, -0.16, 0]), part(ball(0.11), SHOES, [0.04, -0.32, 0], [1.4, 0.75, 0.95])]),
    arm: mergeGeometries([part(round(0.07, 0.2), SHIRT, [0, -0.14, 0]), part(ball(0.085), SKIN, [0, -0.31, 0])]),
  };
}
let pattern: ReturnType<typeof cut> | undefined;
const wardrobe = new Map<number, ReturnType<typeof cut>>();

/** Returns the parts of a character with a shirt of a colour. */
function dress(shirt: number) {
  const { trunk, leg, arm } = (pattern ??= cut()), all = wardrobe.get(shirt) ?? { trunk: dyed(trunk, shirt), leg, arm: dyed(arm, shirt) };
  wardrobe.set(shirt, all);
  return all;
}

/** Returns the share by which a value approaches its target in dt seconds, at a rate per second. */
export const softly = (rate: number, dt: number) => 1 - Math.exp(-rate * dt);

export class Figure extends three.Group {
  seen = 0; // the newest frame with this character
  private told = '';
  speed = 0;
  turn = 0; // degrees
  air = 0; // 0 on the ground to 1 above it
  landed = 0; // how much it is squashed
  readonly spot = new three.Mesh(disc, spot);
  private readonly limbs: three.Mesh[] = [];
  private readonly all = new three.Group();
  private readonly face = new three.CanvasTexture(document.createElement('canvas'));
  private readonly label = new three.Sprite(new three.SpriteMaterial({ map: this.face, depthWrite: false, fog: false, toneMapped: false }));
  private stride = 0;
  private fresh = true;

  /** shirt is the colour of the clothes; by default that of the client. */
  constructor(readonly client: number, readonly own: boolean, shirt?: number) {
    super();
    const wears = dress(shirt ?? hexOf(client, own));
    const add = (shape: three.BufferGeometry, y: number, z: number) => {
      const mesh = new three.Mesh(shape, cloth);
      mesh.position.set(0, y, z);
      mesh.castShadow = true;
      this.all.add(mesh);
      return mesh;
    };
    add(wears.trunk, 0, 0);
    for (const side of [-1, 1]) this.limbs.push(add(wears.leg, 0.4, 0.12 * side), add(wears.arm, 0.76, 0.28 * side));
    this.spot.rotation.x = -Math.PI / 2;
    this.face.colorSpace = three.SRGBColorSpace;
    this.face.image.width = 256;
    this.face.image.height = 64;
    this.label.scale.set(1.5, 0.375, 1);
    this.label.position.y = 1.75;
    this.add(this.all);
    if (!own) this.add(this.label);
  }

  /** Moves the character to the place of its body. Small steps up and down are smoothed. */
  move(x: number, y: number, z: number, speed: number, turn: number, air: boolean, dt: number) {
    let up = y - this.position.y;
    if (!air && !this.fresh && Math.abs(up) < 0.5) up *= softly(20, dt);
    this.position.set(x, this.position.y + up, z);
    this.turn += ((((turn - this.turn) % 360) + 540) % 360 - 180) * softly(16, dt);
    this.rotation.y = -this.turn * Math.PI / 180;
    this.speed = speed;
    this.landed *= 1 - softly(9, dt);
    if (!air && this.air > 0.6) this.landed = 1;
    this.air += ((air ? 1 : 0) - this.air) * softly(14, dt);
    if (!air) this.stride += speed * dt * 2.6;
    this.fresh = false;
    this.pose();
  }

  /** Casts a spot on the ground below the character, which shows where it will land. */
  cast(ground: number) {
    this.spot.position.set(this.position.x, ground + 0.02, this.position.z);
    this.spot.scale.setScalar(1 / (1 + 0.3 * (this.position.y - ground)));
  }

  /** Makes the label larger, for cameras that are far away. */
  enlarge(times: number) { this.label.scale.multiplyScalar(times); }

  /** Frees the label. */
  dispose() {
    this.face.dispose();
    this.label.material.dispose();
  }

  /** Writes the label: a name and a number. Reports whether it has changed. */
  tell(name: string, number: string): boolean {
    const text = `${name} ${number}`;
    if (text === this.told) return false;
    this.told = text;
    const g = pen(this.face.image as HTMLCanvasElement);
    g.clearRect(0, 0, 256, 64);
    g.font = '600 28px system-ui, sans-serif';
    const gap = number ? 12 : 0, nameWide = g.measureText(name).width, wide = nameWide + gap + g.measureText(number).width + 32, left = (256 - wide) / 2;
    g.fillStyle = '#101d3ad0';
    g.beginPath();
    g.roundRect(left, 8, wide, 46, 23);
    g.fill();
    g.fillStyle = '#fff';
    g.fillText(name, left + 16, 41);
    g.fillStyle = '#ffd24a';
    g.fillText(number, left + 16 + nameWide + gap, 41);
    this.face.needsUpdate = true;
    return true;
  }

  private pose() {
    const go = Math.min(this.speed / 5, 1) * (1 - this.air), swing = Math.sin(this.stride) * 0.85 * go;
    for (const [i, limb] of this.limbs.entries()) {
      const side = i < 2 ? -1 : 1, leg = i % 2 === 0;
      limb.rotation.z = leg ? side * swing + this.air * (side > 0 ? 0.7 : -0.35) : -side * swing + this.air * 0.5;
      limb.rotation.x = leg ? 0 : side * -(0.16 + 1.5 * this.air);
    }
    const squash = 0.16 * this.landed;
    this.all.scale.set(1 + squash * 0.7, 1 - squash + 0.06 * this.air, 1 + squash * 0.7);
    this.all.position.y = Math.abs(Math.cos(this.stride)) * 0.05 * go;
    this.all.rotation.z = -0.14 * go;
  }
}
