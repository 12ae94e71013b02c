// What the player does: two axes, jumps, and where the camera looks.
import type { Controls, Layout } from '../../stage/controls';

export const layout: Layout = {
  move: 'walk', aim: 'look around',
  buttons: { jump: { keys: ['Space'], pad: [0], touch: 'jump' }, 'turn left': { keys: ['KeyQ'] }, 'turn right': { keys: ['KeyE'] } },
};

export class Steering {
  /** Where the camera looks, in degrees: 0 east, 90 south; and how far it is above, in radians. */
  yaw = 0;
  pitch = 0.34;
  private idle = 9; // seconds since the player turned the camera

  constructor(private readonly controls: Controls) {}

  get jump() { return this.controls.pressed('jump'); }
  get forward() { return -this.controls.steps().y; }
  get right() { return this.controls.steps().x; }

  /** Turns the camera by mouse, keys and thumb, or else behind a player who runs. */
  follow(turn: number, speed: number, dt: number) {
    const { drag, aim } = this.controls, keys = Number(this.controls.held('turn right')) - Number(this.controls.held('turn left'));
    this.turn(0.3 * drag.x + keys * 130 * dt + aim.x * 170 * dt, 0.005 * drag.y + aim.y * 1.4 * dt);
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
}
