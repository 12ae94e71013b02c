// What three.js needs for a world that is seen from above: a camera, a sun, crowds of bodies, names.
import * as three from 'three';
import { Quality } from './quality';

/** A scene with a camera that looks down at a place, and a sun whose shadows go along with it. */
export class View {
  readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(32, 1, 50, 6000);
  private readonly sun = new three.DirectionalLight(0xfff1dd, 3);
  private readonly quality = new Quality(this.scene, this.camera, this.sun);
  private readonly at = new three.Vector3();
  private placed = false;

  /** tilt is how steeply the camera looks down, in radians; area is the side of a square that is as large as what it sees, shade how far shadows go. */
  constructor(background: number, private readonly tilt: number, private readonly area: number, shade: number) {
    this.quality.renderer.toneMapping = three.NeutralToneMapping;
    this.scene.background = new three.Color(background);
    this.scene.fog = new three.Fog(background, area * 2, area * 4.5);
    this.scene.add(new three.HemisphereLight(0xe4e9ff, 0x4a5590, 1.7), this.sun, this.sun.target);
    const s = this.sun.shadow;
    s.mapSize.set(1024, 1024);
    Object.assign(s.camera, { left: -shade, right: shade, top: shade, bottom: -shade, near: 100, far: 2500 });
    s.bias = -0.002;
  }

  /** Moves the camera after a place, seconds further; it begins there, and is there soon after a jump. */
  follow(x: number, y: number, z: number, seconds: number) {
    const jump = Math.hypot(x - this.at.x, z - this.at.z) > 150;
    const near = this.placed ? 1 - Math.exp(-seconds * (jump ? 6 : 14)) : 1;
    this.placed = true;
    this.at.set(this.at.x + (x - this.at.x) * near, this.at.y + (y - this.at.y) * near, this.at.z + (z - this.at.z) * near);
  }

  /** Has the camera begin anew where it is told next. */
  reset() {
    this.placed = false;
  }

  /** Gets ready to draw, and finds out how finely. */
  warm() {
    this.look();
    return this.quality.warm();
  }

  /** Draws. */
  render() {
    this.look();
    this.quality.draw();
  }

  private look() {
    const { at, camera, sun, tilt } = this, far = this.distance;
    camera.position.set(at.x, at.y + far * Math.sin(tilt), at.z + far * Math.cos(tilt));
    camera.lookAt(at);
    const step = 8; // shadows do not swim when the light moves in steps
    sun.target.position.set(Math.round(at.x / step) * step, 0, Math.round(at.z / step) * step);
    sun.position.copy(sun.target.position).add(LIGHT);
  }

  /** Where a place of the screen, -1 to 1, is in the world at some height; false where it is in the sky. */
  pick(x: number, y: number, height: number, to: three.Vector3): boolean {
    to.set(x, y, 0.5).unproject(this.camera).sub(this.camera.position);
    const times = (height - this.camera.position.y) / to.y;
    to.multiplyScalar(times).add(this.camera.position);
    return times > 0;
  }

  private get distance() {
    return this.area / Math.sqrt(this.camera.aspect) / (2 * Math.tan(three.MathUtils.degToRad(this.camera.fov / 2)));
  }
}

const LIGHT = new three.Vector3(-380, 900, -300);

/** Many bodies of one shape, which is drawn once for all of them. Fill it anew in each frame: empty, put, put, … */
export class Crowd extends three.InstancedMesh {
  private readonly most: number;

  constructor(scene: three.Scene, shape: three.BufferGeometry, material: three.Material, most: number, shadow = false) {
    super(shape, material, most);
    this.most = most;
    this.frustumCulled = false;
    this.castShadow = shadow;
    this.instanceMatrix.setUsage(three.DynamicDrawUsage);
    this.instanceColor = new three.InstancedBufferAttribute(new Float32Array(3 * most), 3).setUsage(three.DynamicDrawUsage);
    this.count = 0;
    scene.add(this);
  }

  empty() {
    this.count = 0;
    this.instanceMatrix.needsUpdate = this.instanceColor!.needsUpdate = true;
  }

  /** Puts one at a place, turned by an angle that goes from x to z, in radians, and stretched along that. */
  put(x: number, y: number, z: number, turn: number, size: number, colour: three.Color, stretch = 1) {
    if (this.count === this.most) return;
    const m = this.instanceMatrix.array, o = 16 * this.count, cos = Math.cos(turn) * size, sin = Math.sin(turn) * size;
    m[o] = cos * stretch; m[o + 1] = 0; m[o + 2] = sin * stretch; m[o + 3] = 0;
    m[o + 4] = 0; m[o + 5] = size; m[o + 6] = 0; m[o + 7] = 0;
    m[o + 8] = -sin; m[o + 9] = 0; m[o + 10] = cos; m[o + 11] = 0;
    m[o + 12] = x; m[o + 13] = y; m[o + 14] = z; m[o + 15] = 1;
    colour.toArray(this.instanceColor!.array, 3 * this.count++);
  }
}

/** A name to float over somebody. */
export function label(name: string, colour: three.Color, high: number): three.Sprite {
  const canvas = document.createElement('canvas'), c = canvas.getContext('2d')!;
  [canvas.width, canvas.height] = [512, 96];
  c.font = '600 52px system-ui, sans-serif';
  c.textAlign = 'center';
  c.lineWidth = 10;
  c.strokeStyle = '#060912c0';
  c.strokeText(name, 256, 66, 500);
  c.fillStyle = colour.clone().lerp(WHITE, 0.45).getStyle();
  c.fillText(name, 256, 66, 500);
  const map = new three.CanvasTexture(canvas);
  map.colorSpace = three.SRGBColorSpace;
  const sprite = new three.Sprite(new three.SpriteMaterial({ map, depthTest: false, transparent: true, fog: false, toneMapped: false }));
  sprite.scale.set(high * 512 / 96, high, 1);
  sprite.renderOrder = 10;
  return sprite;
}

/** Takes away what label made. */
export function unlabel(sprite: three.Sprite) {
  sprite.removeFromParent();
  sprite.material.map?.dispose();
  sprite.material.dispose();
}

const WHITE = new three.Color(0xffffff);
