// A camera that follows a place from above or from the side, with a sun whose shadows go along.
import * as three from 'three';
import { free } from './free';
import { Quality } from './quality';

/** How a view looks at its world. */
export interface Look {
  /** The colour of the background and of the fog. */
  readonly back: number;
  /** How steeply the camera looks down, in radians: 0 from the side, π/2 from above. */
  readonly tilt: number;
  /** The side of a square that is as large as what the camera sees, in units. */
  readonly area: number;
  /** What the camera keeps inside, if it fits: x, z, width, depth. */
  readonly field?: readonly [number, number, number, number];
  /** Colours of the light from above and from the ground, and of the sun, with their strength. */
  readonly sky?: number; readonly ground?: number; readonly ambient?: number; readonly sun?: number; readonly sunny?: number;
  /** Without fog, the background is the same at all distances. */
  readonly fog?: boolean;
}

const LIGHT = new three.Vector3(-380, 900, 300);

export class View {
  readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(32, 1, 50, 8000);
  readonly quality: Quality;
  /** As in Look; a world may change it to zoom. */
  area: number;
  private readonly sun: three.DirectionalLight;
  private readonly at = new three.Vector3();
  private placed = false;

  constructor(private readonly look: Look) {
    const { back, area, sky = 0xe4e9ff, ground = 0x4a5590, ambient = 1.7, sun = 0xfff1dd, sunny = 3, fog = true } = look;
    this.area = area;
    this.sun = new three.DirectionalLight(sun, sunny);
    this.quality = new Quality(this.scene, this.camera, this.sun);
    this.quality.renderer.toneMapping = three.NeutralToneMapping;
    this.scene.background = new three.Color(back);
    if (fog) this.scene.fog = new three.Fog(back, area * 2.2, area * 5);
    this.scene.add(new three.HemisphereLight(sky, ground, ambient), this.sun, this.sun.target);
    const s = this.sun.shadow, far = area * 0.9;
    s.mapSize.set(1024, 1024);
    Object.assign(s.camera, { left: -far, right: far, top: far, bottom: -far, near: 100, far: 2500 });
    s.bias = -0.002;
    s.normalBias = 1;
  }

  /** Moves the camera after a place. It starts there, and catches up soon after a jump. */
  follow(x: number, y: number, z: number, seconds: number) {
    if (free.on && this.placed) return;
    [x, z] = this.inside(x, z);
    const jump = Math.hypot(x - this.at.x, z - this.at.z) > 150;
    const share = this.placed ? 1 - Math.exp(-seconds * (jump ? 6 : 14)) : 1;
    this.placed = true;
    this.at.set(this.at.x + (x - this.at.x) * share, this.at.y + (y - this.at.y) * share, this.at.z + (z - this.at.z) * share);
  }

  /** Lets the camera start again at the next place. */
  reset() { this.placed = false; }

  /** Compiles shaders, and finds out how finely to draw. */
  warm() {
    this.place();
    return this.quality.warm();
  }

  render() {
    this.place();
    this.quality.draw();
  }

  /** Finds where a place of the screen, -1 to 1, is in the world at some height. Returns false for the sky. */
  pick(x: number, y: number, height: number, to: three.Vector3): boolean {
    to.set(x, -y, 0.5).unproject(this.camera).sub(this.camera.position);
    const times = (height - this.camera.position.y) / to.y;
    to.multiplyScalar(times).add(this.camera.position);
    return times > 0;
  }

  /** What the camera sees, in units: width and height of the screen in the distance of its target. */
  get size(): readonly [number, number] {
    const root = Math.sqrt(this.camera.aspect), area = this.area * (free.on ? free.zoom : free.far);
    return [area * root, area / root];
  }

  private place() {
    if (free.on) this.roam();
    const { at, camera, sun } = this, { tilt } = this.look, far = this.size[1] / (2 * Math.tan(three.MathUtils.degToRad(camera.fov / 2)));
    camera.position.set(at.x, at.y + far * Math.sin(tilt), at.z + far * Math.cos(tilt));
    camera.lookAt(at);
    const step = 8; // the light moves in steps, so that edges of shadows do not swim
    sun.target.position.set(Math.round(at.x / step) * step, 0, Math.round(at.z / step) * step);
    sun.position.copy(sun.target.position).add(LIGHT);
  }

  /** Moves the camera as the viewer of a replay does. */
  private roam() {
    const [w] = this.size, { x, y, drag } = free, down = Math.max(Math.sin(this.look.tilt), 0.5);
    const [ax, az] = this.inside(this.at.x + w * (x - drag.x / innerWidth), this.at.z + w * (y - drag.y / innerWidth / down));
    this.at.set(ax, this.at.y, az);
  }

  /** Moves a place so that the camera sees little beyond the field, but what is at its edges is not below the scores. */
  private inside(x: number, z: number): [number, number] {
    const { field, tilt } = this.look;
    if (!field) return [x, z];
    const [w, h] = this.size, [fx, fz, fw, fd] = field, half = 0.5 - 0.15;
    return [clamp(x, fx, fw, half * w), tilt > 0.3 ? clamp(z, fz, fd, half * h / Math.sin(tilt)) : z];
  }
}

/** Keeps v at least half away from both ends of an interval, or in its middle if that does not fit. */
function clamp(v: number, from: number, long: number, half: number): number {
  return 2 * half >= long ? from + long / 2 : Math.min(Math.max(v, from + half), from + long - half);
}
