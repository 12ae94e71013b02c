// The platformer, drawn with three.js. Its rules run in the WebAssembly client, which predicts walking and jumping and knows
// where platforms are. This file sets the input and shows the rows of a frame. How things look is in the folder platformer.
import { bind, type Game } from '@tactusgo/client';
import * as three from 'three';
import types, { Ground } from '../../../platformer/bindings/platformer.mjs';
import { css, hexOf } from '../scene/colours';
import { free } from '../scene/free';
import { Figure, softly } from '../scene/figure';
import { Marker } from '../scene/marker';
import { Quality } from '../scene/quality';
import { hud } from '../stage/hud';
import { tell } from '../stage/lines';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { showScores } from '../stage/scores';
import { near, sound } from '../stage/sound';
import type { Happening, Scene, World } from '../stage/world';
import { layout, Steering } from './platformer/controls';
import { Level, level } from './platformer/level';
import { Sparks } from './platformer/sparks';

const platformer = bind(types);

const scene = new three.Scene(), camera = new three.PerspectiveCamera(58, 1, 0.1, 400), sun = new three.DirectionalLight(0xffeccd, 2.7);
const quality = new Quality(scene, camera, sun);
quality.renderer.toneMapping = three.ACESFilmicToneMapping;
const scenery = new Level(scene, sun, quality), sparks = new Sparks(scene), marker = new Marker(scene, 0.48);
const world: World<typeof platformer> = {
  name: 'platformer', title: 'Platformer', goal: 'Climb up, and collect more coins than the others.', bindings: platformer, layout,
  switches: [{ name: 'Others on curves, under LocalSync', call: 'platformer_curves' }],
  warm,
  happenings(game) {
    const told = new platformer.Told(game.module);
    return () => {
      const found: Happening[] = [];
      for (let i = 0; i < game.news.count; i++) {
        const v = told.read(game.news.get(i));
        if (v?.type === 'Taken' && v.Coin === 0) found.push({ by: v.By, what: 'rings the bell' });
      }
      return found;
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world), steering = new Steering(controls);
const eye = { target: new three.Vector3(4, 1, 0), way: new three.Vector3(), want: new three.Vector3(), far: 26 };

/** One match, from joining to its end. */
class Match implements Scene<typeof platformer> {
  private readonly figures = new Map<number, Figure>(); // by client
  private readonly told: InstanceType<typeof platformer.Told>;
  // The module of the game exports the rule that moves platforms.
  private readonly below: (on: number, axis: number, seconds: number) => number;
  private readonly middle: [number, number, number] = [0, 0, 0];
  private own: Figure | null = null;
  private seconds = 0; // of the level that is drawn
  private frames = 0;
  private flew = false;
  private readonly coins = new Map<number, number>(); // by client

  constructor(private readonly game: Game<typeof platformer>) {
    this.told = new platformer.Told(game.module);
    this.below = game.module.exports['platformer_below'] as typeof this.below;
  }

  steer() {
    const { input } = this.game;
    input.Forward = steering.forward;
    input.Right = steering.right;
    input.Yaw = (Math.round(steering.yaw) % 360 + 360) % 360;
    input.Jump = steering.jump;
  }

  /** Shows the newest frame. */
  draw(tables: readonly InstanceType<typeof platformer.Table>[], dt: number) {
    const { stats, news } = this.game, { figures } = this;
    this.frames++;
    this.pass(dt);
    for (const [i, p] of scenery.platforms.entries()) {
      p.position.set(...this.at(Ground.OnPlatform + i));
      p.visible = true;
    }
    for (const { rows, Body, Owner, Coin } of tables) {
      for (let r = 0; Coin && r < rows; r++) {
        const coin = scenery.coins[Coin.Number(r)];
        if (coin) coin.visible = Coin.BackAt(r) <= stats.ServerTick;
      }
      for (let r = 0; Body && Owner && r < rows; r++) {
        const f = this.figure(Owner.Client(r)), on = Body.On(r), [x, y, z] = this.at(on);
        f.move(x + Body.At.X(r), y + Body.At.Y(r), z + Body.At.Z(r), Math.hypot(Body.Vel.X(r), Body.Vel.Z(r)), Body.Turn(r), on === Ground.InAir, dt);
        if (f.landed > 0.75) sparks.puff(f.position);
        f.cast(scenery.ground(f.position));
        if (f.tell(called(f.client), String(Body.Coins(r)))) this.coins.set(f.client, Body.Coins(r));
        if (f.own) this.ownSounds(f, on === Ground.InAir);
        f.seen = this.frames;
      }
    }
    for (const f of figures.values()) if (f.seen !== this.frames) this.forget(f);
    for (let i = 0; i < news.count; i++) {
      const v = this.told.read(news.get(i)), at = v?.type === 'Taken' ? level.Coins[v.Coin] : undefined;
      if (!v || !at) continue;
      sparks.burst(at.X, at.Y, at.Z, v.Coin ? 14 : 40);
      const own = v.By === stats.Client, bell = v.Coin === 0, loud = own ? 0.35 : 0.2 * near(this.own ? Math.hypot(this.own.position.x - at.X, this.own.position.z - at.Z) : 99, 8);
      if (bell) tell(own ? 'You' : called(v.By), own ? 'ring the bell' : 'rings the bell', css(hexOf(v.By, own)));
      sound.tune(bell ? [523, 784, 1047] : [988, 1319], loud);
    }
    this.scores();
    if (this.own) marker.show(this.own.position.x, scenery.ground(this.own.position) + 0.04, this.own.position.z, dt);
    else marker.visible = false;
    show(this.own, this.seconds, dt);
  }

  /** Removes what the match put on the stage. */
  end() {
    this.figures.forEach((f) => this.forget(f));
    marker.visible = false;
  }

  /** Returns the figure of a client, and makes it if it is new. */
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
    this.coins.delete(f.client);
    if (f === this.own) this.own = null;
  }

  /** Shows the own coins and the best players. */
  private scores() {
    const own = this.game.stats.Client;
    if (this.own) hud.count(this.coins.get(own) ?? 0, 'coins', 'radial-gradient(circle at 35% 30%, #fff6c4, #ffc93a 45%, #c98a12)');
    showScores([...this.coins].map(([client, value]) => ({ client, name: client === own ? 'You' : called(client), value, colour: css(hexOf(client, client === own)), own: client === own })));
  }

  /** Lets the own jump and landing be heard. */
  private ownSounds(f: Figure, air: boolean) {
    if (air && !this.flew) sound.tone(280, 520, 0.16, 0.16);
    if (f.landed > 0.95) sound.hiss(500, 0.12, 0.3);
    this.flew = air;
  }

  /** Returns the middle of what a player stands on, in the same array each time. */
  private at(on: number) {
    for (let axis = 0; axis < 3; axis++) this.middle[axis] = this.below(on, axis, this.seconds);
    return this.middle;
  }

  /** Advances the time at which the level is drawn, which follows that of the own player smoothly. */
  private pass(dt: number) {
    const { TickRate, Tick } = this.game.stats;
    this.seconds += dt;
    if (!TickRate) return;
    const off = (Tick + 1) / TickRate - this.seconds;
    this.seconds += Math.abs(off) > 0.2 ? off : off * Math.min(4 * dt, 1);
  }
}

void play(world, controls);

/** Compiles shaders, with some of everything in sight. */
async function warm() {
  const f = new Figure(0, false);
  scene.add(f, f.spot);
  place(null, 0, 0);
  await quality.warm();
  scene.remove(f, f.spot); // without dispose: the shaders of its label stay compiled as long as it has them
}

/** Draws a frame. */
function show(own: Figure | null, seconds: number, dt: number) {
  place(own, seconds, dt);
  sparks.update(dt);
  quality.draw();
}

/** Places everything. The camera is behind a character, in front of what would hide it. */
function place(own: Figure | null, seconds: number, dt: number) {
  const tall = innerWidth < innerHeight, roams = free.on && !own;
  steering.follow(own?.turn ?? steering.yaw + 12, own ? own.speed : roams ? 0 : 2, dt);
  const yaw = steering.yaw * Math.PI / 180, { pitch } = steering;
  if (!roams) eye.want.set(4, 1, 0);
  else {
    eye.want.x += 14 * (-Math.cos(yaw) * free.y - Math.sin(yaw) * free.x);
    eye.want.z += 14 * (-Math.sin(yaw) * free.y + Math.cos(yaw) * free.x);
  }
  if (own) eye.want.copy(own.position).y += 1.25;
  eye.target.x += (eye.want.x - eye.target.x) * softly(22, dt);
  eye.target.z += (eye.want.z - eye.target.z) * softly(22, dt);
  eye.target.y += (eye.want.y - eye.target.y) * softly(9, dt);
  eye.way.set(-Math.cos(yaw) * Math.cos(pitch), Math.sin(pitch), -Math.sin(yaw) * Math.cos(pitch));
  const far = own ? scenery.sight(eye.target, eye.way, tall ? 9 : 7.2) : roams ? 14 * free.zoom : 26;
  eye.far += (far - eye.far) * softly(far < eye.far && own ? 12 : 3, dt);
  camera.position.copy(eye.target).addScaledVector(eye.way, eye.far);
  camera.lookAt(eye.target);
  camera.fov = tall ? 68 : 56;
  camera.updateProjectionMatrix();
  scenery.update(seconds, eye.target);
}
