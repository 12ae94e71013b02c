// The platformer of examples/platformer in three.js. Its rules run in platformer.wasm: they predict walking and jumping, and say where platforms
// are. What is left to do here: say what the player does, and show the rows that a frame has. How things look is in the folder platformer.
import type { Game } from '@tactusgo/client';
import * as three from 'three';
import platformer, { Ground } from '../../platformer/bindings/platformer.mjs';
import { Steering } from './platformer/controls';
import { Figure, softly } from './platformer/figure';
import { called, score, taken } from './platformer/hud';
import { Level, level } from './platformer/level';
import { Sparks } from './platformer/sparks';
import { Quality } from './quality';
import { element, stage, type Scene } from './stage';

const scene = new three.Scene(), camera = new three.PerspectiveCamera(58, 1, 0.1, 400), sun = new three.DirectionalLight(0xffeccd, 2.7);
const quality = new Quality(scene, camera, sun);
quality.renderer.toneMapping = three.ACESFilmicToneMapping;
const world = new Level(scene, sun, quality), sparks = new Sparks(scene), steering = new Steering();
const eye = { target: new three.Vector3(4, 1, 0), way: new three.Vector3(), want: new three.Vector3(), far: 26 };

/** One match, from joining to its end. */
class Match implements Scene<typeof platformer> {
  private readonly figures = new Map<number, Figure>(); // by client
  private readonly told: InstanceType<typeof platformer.Told>;
  // Where platforms are is a rule of the game, which its module exports beside what the package calls.
  private readonly below: (on: number, axis: number, seconds: number) => number;
  private readonly middle: [number, number, number] = [0, 0, 0];
  private own: Figure | null = null;
  private seconds = 0; // of the level that is drawn
  private frames = 0;

  constructor(private readonly game: Game<typeof platformer>) {
    this.told = new platformer.Told(game.module);
    this.below = game.module.exports['platformer_below'] as typeof this.below;
  }

  /** Says what the player does: the next tick has it. */
  steer() {
    const { input } = this.game;
    input.Forward = steering.forward;
    input.Right = steering.right;
    input.Yaw = (Math.round(steering.yaw) % 360 + 360) % 360;
    input.Jump = steering.jump;
  }

  ticked() { steering.ticked(); }

  /** Shows the newest frame. */
  draw(tables: readonly InstanceType<typeof platformer.Table>[], dt: number) {
    const { stats, news } = this.game, { figures } = this;
    this.frames++;
    this.pass(dt);
    for (const [i, p] of world.platforms.entries()) {
      p.position.set(...this.at(Ground.OnPlatform + i));
      p.visible = true;
    }
    for (const { rows, Body, Owner, Coin } of tables) {
      for (let r = 0; Coin && r < rows; r++) {
        const coin = world.coins[Coin.Number(r)];
        if (coin) coin.visible = Coin.BackAt(r) <= stats.ServerTick;
      }
      for (let r = 0; Body && Owner && r < rows; r++) {
        const f = this.figure(Owner.Client(r)), on = Body.On(r), [x, y, z] = this.at(on);
        f.move(x + Body.At.X(r), y + Body.At.Y(r), z + Body.At.Z(r), Math.hypot(Body.Vel.X(r), Body.Vel.Z(r)), Body.Turn(r), on === Ground.InAir, dt);
        if (f.landed > 0.75) sparks.puff(f.position);
        f.cast(world.ground(f.position));
        if (f.tell(called(f.client), Body.Coins(r))) score(figures, f);
        f.seen = this.frames;
      }
    }
    for (const f of figures.values()) if (f.seen !== this.frames) this.forget(f);
    for (let i = 0; i < news.count; i++) {
      const v = this.told.read(news.get(i)), at = v?.type === 'Taken' ? level.Coins[v.Coin] : undefined;
      if (!v || !at) continue;
      sparks.burst(at.X, at.Y, at.Z, v.Coin ? 14 : 40);
      taken(v.By, v.By === stats.Client, v.Coin === 0);
    }
    show(this.own, this.seconds, dt);
  }

  /** Takes away what it has put on the stage. */
  end() {
    match = null;
    this.figures.forEach((f) => this.forget(f));
    element('coins').hidden = true;
  }

  /** Who plays as a client, or has just come. */
  private figure(client: number) {
    let f = this.figures.get(client);
    if (f) return f;
    this.figures.set(client, (f = new Figure(client, client === this.game.stats.Client)));
    scene.add(f, f.spot);
    if (f.own) this.own = f;
    return f;
  }

  private forget(f: Figure) {
    scene.remove(f, f.spot);
    f.dispose();
    this.figures.delete(f.client);
    if (f === this.own) this.own = null;
    score(this.figures, null);
  }

  /** The middle of what somebody is on; the same array each time. */
  private at(on: number) {
    for (let axis = 0; axis < 3; axis++) this.middle[axis] = this.below(on, axis, this.seconds);
    return this.middle;
  }

  /** Moves on the time that the level is drawn at: that of the own character, softly. */
  private pass(dt: number) {
    const { TickRate, Tick } = this.game.stats;
    this.seconds += dt;
    if (!TickRate) return;
    const off = (Tick + 1) / TickRate - this.seconds;
    this.seconds += Math.abs(off) > 0.2 ? off : off * Math.min(4 * dt, 1);
  }
}

let match: Match | null = null;
void stage('platformer', platformer, warm, (game) => (match = new Match(game)));

/** Gets ready to draw, with some of everything in sight. */
async function warm() {
  const f = new Figure(0, false);
  scene.add(f, f.spot);
  place(null, 0, 0);
  await quality.warm();
  scene.remove(f, f.spot); // without dispose: the shaders of its label stay compiled as long as it has them
  show(null, 0, 0);
  idle();
}

/** Before and after a match the camera goes around, where that costs little: it is behind the card. */
function idle() {
  const seconds = 0.1;
  if (!match && !quality.coarse) show(null, performance.now() / 1000, seconds);
  setTimeout(() => requestAnimationFrame(idle), 1000 * seconds);
}

/** Draws a frame. */
function show(own: Figure | null, seconds: number, dt: number) {
  place(own, seconds, dt);
  sparks.update(dt);
  quality.draw();
}

/** Puts everything in its place; the camera is behind a character, and nothing of the level comes between. */
function place(own: Figure | null, seconds: number, dt: number) {
  const tall = innerWidth < innerHeight;
  steering.follow(own?.turn ?? steering.yaw + 12, own ? own.speed : 2, dt);
  const yaw = steering.yaw * Math.PI / 180, { pitch } = steering;
  eye.want.set(4, 1, 0);
  if (own) eye.want.copy(own.position).y += 1.25;
  eye.target.x += (eye.want.x - eye.target.x) * softly(22, dt);
  eye.target.z += (eye.want.z - eye.target.z) * softly(22, dt);
  eye.target.y += (eye.want.y - eye.target.y) * softly(9, dt);
  eye.way.set(-Math.cos(yaw) * Math.cos(pitch), Math.sin(pitch), -Math.sin(yaw) * Math.cos(pitch));
  const far = own ? world.sight(eye.target, eye.way, tall ? 9 : 7.2) : 26;
  eye.far += (far - eye.far) * softly(far < eye.far && own ? 12 : 3, dt);
  camera.position.copy(eye.target).addScaledVector(eye.way, eye.far);
  camera.lookAt(eye.target);
  camera.fov = tall ? 68 : 56;
  camera.updateProjectionMatrix();
  world.update(seconds, eye.target);
}
