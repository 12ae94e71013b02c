// What the player does: two axes, jumps, and where the camera looks.
import { Controls, element } from '../stage';

const FORWARD = 1, BACK = 2, LEFT = 4, RIGHT = 8, TURN_LEFT = 16, TURN_RIGHT = 32, DRAG = 64;
const KEYS = {
  KeyW: FORWARD, ArrowUp: FORWARD, KeyS: BACK, ArrowDown: BACK, KeyA: LEFT, ArrowLeft: LEFT, KeyD: RIGHT, ArrowRight: RIGHT, KeyQ: TURN_LEFT, KeyE: TURN_RIGHT,
};

export class Steering {
  /** Where the camera looks, in degrees: 0 east, 90 south; and how far it is above, in radians. */
  yaw = 0;
  pitch = 0.34;
  private readonly controls = new Controls(KEYS, DRAG);
  /** Whether the jump was pressed since the last tick. */
  jump = false;
  private idle = 9; // seconds since the player turned the camera
  private readonly drag = { x: 0, y: 0, on: false };

  constructor() {
    addEventListener('keydown', (e) => {
      if (e.code !== 'Space' || !element('card').hidden) return;
      e.preventDefault();
      if (!e.repeat) this.jump = true;
    });
    element('jump').addEventListener('pointerdown', () => { this.jump = true; });
  }

  get forward() { return this.axis(BACK, FORWARD, this.controls.left.y); }
  get right() { return this.axis(LEFT, RIGHT, this.controls.left.x); }

  ticked() {
    this.jump = false;
    this.controls.ticked();
  }

  /** Turns the camera as mouse, keys and thumb say, and else behind a player who runs. */
  follow(turn: number, speed: number, dt: number) {
    const { controls, drag } = this, { mouse, held, right } = controls, drags = mouse !== null && (held & DRAG) !== 0;
    if (mouse && drags && drag.on) this.turn((mouse.x - drag.x) * 0.15 * innerWidth, (drag.y - mouse.y) * 0.0025 * innerHeight);
    Object.assign(drag, { x: mouse?.x ?? 0, y: mouse?.y ?? 0, on: drags });
    this.turn(this.axis(TURN_LEFT, TURN_RIGHT) * 130 * dt + right.x * 170 * dt, -right.y * 1.4 * dt);
    this.idle += dt;
    const off = ((turn - this.yaw) % 360 + 540) % 360 - 180;
    if (this.idle > 1.2 && speed > 1 && Math.abs(off) < 130) this.yaw += 75 * dt * Math.sin(off * Math.PI / 180);
  }

  private turn(yaw: number, pitch: number) {
    if (!yaw && !pitch) return;
    this.yaw = (this.yaw + yaw) % 360;
    this.pitch = Math.min(Math.max(this.pitch + pitch, -0.25), 1.25);
    this.idle = 0;
  }

  private axis(less: number, more: number, stick = 0) {
    const { held } = this.controls;
    return Math.sign(Number((held & more) !== 0 || stick > 0.4) - Number((held & less) !== 0 || stick < -0.4));
  }
}
