// The duel, seen from the side. Every peer simulates the whole match from the inputs of both fighters.
import { bind, type Game } from '@tactusgo/client';
import * as three from 'three';
import types, { Phase } from '../../bindings/duel.mjs';
import levels from '../../bindings/levels.json';
import { css, hexOf } from '../scene/colours';
import { free } from '../scene/free';
import { box, matt } from '../scene/ground';
import { Sparks } from '../scene/sparks';
import { painted, pen } from '../scene/textures';
import { View } from '../scene/view';
import { make } from '../stage/dom';
import { hud } from '../stage/hud';
import { called } from '../stage/names';
import { controlsOf, play } from '../stage/play';
import { root } from '../stage/root';
import { hideResult, showResult, showScores } from '../stage/scores';
import { sound } from '../stage/sound';
import { growth, type Happening, type Scene, type World } from '../stage/world';
import { Fighter } from './duel/fighter';

const duel = bind(types);

const { Width, Lives } = levels.duel;

type Table = InstanceType<typeof duel.Table>;

const view = new View({ back: 0x2b1733, tilt: 0.1, area: 560, sky: 0xffe9d2, ground: 0x5a3550, ambient: 1.5, sun: 0xffd9a8, sunny: 2.2, fog: false });
const { scene } = view, sparks = new Sparks(new three.BoxGeometry(1, 1, 1), 96);
scene.add(sparks.mesh, ...hall());
const hit = new three.Color(0xffe08a), parry = new three.Color(0xaee6ff);
const hearts = make('div', { id: 'hearts', role: 'group', 'aria-label': 'lives' });
root.append(hearts);

const world: World<typeof duel> = {
  name: 'duel', title: 'Duel', goal: 'Land three blows that the other does not guard.', bindings: duel,
  layout: {
    move: 'step', moveKeys: ['A', 'D'],
    buttons: { strike: { keys: ['Space', 'KeyJ'], pad: [0, 2, 7], click: true, touch: 'strike' }, guard: { keys: ['KeyS', 'KeyK', 'ArrowDown'], pad: [1, 5, 13], touch: 'guard' } },
  },
  login() {
    const login = new duel.Login();
    login.Watch = new URLSearchParams(location.search).has('watch');
    return login.bytes;
  },
  async warm() {
    const f = new Fighter(0xffffff, true);
    f.position.x = Width / 2;
    scene.add(f);
    sparks.burst(Width / 2, 60, 0, 4, 10, 1, hit);
    view.follow(Width / 2, 70, 0, 0);
    await view.warm();
    scene.remove(f);
  },
  happenings() {
    const blows = growth(), rounds = growth();
    return (tables) => {
      const found: Happening[] = [];
      for (const { rows, Fighter: is, Owner } of tables) for (let r = 0; is && Owner && r < rows; r++) {
        const by = Owner.Client(r);
        if (blows(by, is.Hits(r))) found.push({ by, what: 'landed a blow' });
        if (rounds(by, is.Wins(r))) found.push({ by, what: 'won the round' });
      }
      return found;
    };
  },
  begin: (game) => new Match(game),
};
const controls = controlsOf(world);

class Match implements Scene<typeof duel> {
  private readonly fighters = new Map<number, Fighter>(); // by NetID
  private frame = 0;
  private middle = Width / 2;
  private rounds = -1;
  private since = 9; // seconds since the round began
  private waits = false; // for a fighter to leave
  private turn = false; // the player just got that place

  constructor(private readonly game: Game<typeof duel>) { view.reset(); }

  steer() {
    const { input } = this.game;
    input.Move = controls.steps().x;
    input.Guard = controls.held('guard');
    input.Strike = controls.pressed('strike');
  }

  draw(tables: readonly Table[], seconds: number) {
    this.frame++;
    this.since += seconds;
    let left = Width, right = 0, n = 0, own: Fighter | undefined, other: Fighter | undefined;
    for (const t of tables) for (let r = 0; t.Fighter && t.Position && t.Owner && r < t.rows; r++) {
      const f = this.fighter(t.id(r), t.Owner.Client(r)), x = t.Position.X(r), { Fighter: is } = t;
      this.happened(f, is.Phase(r));
      f.show(x, is.Right(r), is.Phase(r), is.Guard(r), seconds);
      Object.assign(f, { frame: this.frame, lives: is.Lives(r), wins: is.Wins(r), bot: is.Bot(r) });
      [left, right, n] = [Math.min(left, x), Math.max(right, x), n + 1];
      if (f.own) own = f; else other = f;
    }
    for (const [id, f] of this.fighters) if (f.frame !== this.frame) {
      scene.remove(f);
      this.fighters.delete(id);
    }
    if (n) document.body.classList.toggle('watching', !own);
    this.board(own, other);
    const share = 1 - Math.exp(-3 * seconds), tall = innerHeight > innerWidth, wide = Math.max(right - left, 220) + (tall ? 110 : 260);
    if (n) this.middle += ((left + right) / 2 - this.middle) * share;
    view.area += (wide / Math.sqrt(innerWidth / innerHeight) - view.area) * (this.frame < 5 ? 1 : share);
    view.follow(this.middle, tall ? 0.16 * view.size[1] : Math.max(view.size[1] / 2 - 46, 70), 0, seconds);
    sparks.step(seconds);
    view.render();
  }

  end() {
    this.fighters.forEach((f) => scene.remove(f));
    this.fighters.clear();
    hearts.replaceChildren();
  }

  private fighter(id: number, client: number): Fighter {
    let f = this.fighters.get(id);
    const own = client === this.game.stats.Client;
    if (f && f.client === client) return f;
    if (f) scene.remove(f); // a player took the place of a bot
    f = new Fighter(hexOf(client, own), own);
    f.client = client;
    this.fighters.set(id, f);
    scene.add(f);
    return f;
  }

  /** Shows blows since the frame before. */
  private happened(f: Fighter, phase: Phase) {
    if (phase === f.phase) return;
    const way = f.right ? 1 : -1;
    if (phase === Phase.Windup) sound.hiss(2500, 0.1, 0.2);
    if (phase === Phase.Staggered || phase === Phase.Fallen) {
      sparks.burst(f.position.x + 16 * way, 88, 20, phase === Phase.Fallen ? 30 : 16, 260, 0.4, hit);
      sound.hiss(700, 0.2, 0.8);
      if (phase === Phase.Fallen) sound.tone(220, 55, 0.6, 0.5, 'sawtooth');
      if (f.own) hud.hurt();
    }
    for (const o of this.fighters.values()) if (o !== f && phase === Phase.Recovery && f.phase === Phase.Strike && o.guards && Math.abs(o.position.x - f.position.x) < levels.duel.Reach + 6) {
      sparks.burst((o.position.x + f.position.x) / 2, 84, 20, 10, 200, 0.3, parry);
      sound.tune([1568], 0.2, 'square');
    }
  }

  /** Shows lives, wins and the end of a round. */
  private board(own: Fighter | undefined, other: Fighter | undefined) {
    const ring = this.game.one.Ring, all = [own, other].filter((f): f is Fighter => f !== undefined);
    const name = (f: Fighter) => (f.own ? 'You' : f.bot ? 'Bot' : called(f.client));
    if (ring && ring.Rounds !== this.rounds) {
      if (this.rounds >= 0) sound.tune([392, 523], 0.25);
      this.since = this.game.replay && this.rounds < 0 ? 9 : 0; // a seek begins no round
      this.rounds = ring.Rounds;
    }
    let place = (ring?.Line.length ?? 0) - 1;
    while (place >= 0 && ring!.Line.get(place) !== this.game.stats.Client) place--;
    if (own && this.waits) {
      sound.tune([523, 659, 784], 0.3);
      this.since = 0;
    }
    this.turn = own !== undefined && this.since < 1.4 && (this.turn || this.waits);
    this.waits = place >= 0;
    const text = all.map((f) => `${name(f)} ${f.lives}`).join();
    if (hearts.dataset['text'] !== text || hearts.childElementCount !== all.length) {
      hearts.dataset['text'] = text;
      hearts.replaceChildren(...all.map((f) => {
        const row = make('p', {}, make('b', {}, name(f)), ' ', '♥'.repeat(f.lives), make('s', {}, '♥'.repeat(Lives - f.lives)));
        row.style.color = css(f.colour);
        return row;
      }));
    }
    const down = all.filter((f) => f.phase === Phase.Fallen), up = all.find((f) => f.phase !== Phase.Fallen), scores = all.map((f) => ({ client: f.client, name: name(f), value: f.wins + Number(f === up && down.length > 0), colour: css(f.colour), own: f.own }));
    if (down.length > 0) showResult(!up ? 'Both are down' : up.own ? 'You won the round!' : own ? 'You lost the round' : `${name(up)} won the round`, `Round ${this.rounds + 2} follows`, scores);
    else hideResult();
    hud.message(down.length > 0 ? '' : !own && all.length && !free.on ? (place < 0 ? 'You are watching' : `You fight ${place ? `after ${place} more` : 'next'},\nwhen a fighter leaves`) : this.turn ? 'Your turn: fight!' : this.since < 1.4 ? `Round ${this.rounds + 1}` : '');
    if (this.frame % 15 === 0) showScores(scores);
  }
}

/** Makes the hall: a floor of planks, posts, paper lamps and the evening outside. */
function hall(): three.Object3D[] {
  const planks = painted(512, (g, random) => {
    for (let i = 0; i < 8; i++) {
      g.fillStyle = `hsl(22 48% ${34 + random() * 8}%)`;
      g.fillRect(0, i * 64, 512, 64);
      g.fillStyle = '#3a1f14';
      g.fillRect(0, i * 64, 512, 3);
      g.fillRect((i * 197) % 512, i * 64, 3, 64);
    }
  });
  planks.repeat.set(6, 1.4);
  const side = matt(0x3a1a16), top = new three.MeshLambertMaterial({ map: planks });
  const floor = box(Width / 2, -500, 20, 2600, 1000, 420, side), all: three.Object3D[] = [floor, box(Width / 2, -6, 232, 2600, 14, 6, matt(0x8a4a2a))];
  floor.material = [side, side, top, side, side, side] as unknown as three.Material;
  const sky = new three.Mesh(new three.PlaneGeometry(3600, 1700), new three.MeshBasicMaterial({ map: evening(), toneMapped: false }));
  sky.position.set(Width / 2, 420, -620);
  all.push(sky);
  const post = matt(0x6b2f2a), beam = matt(0x4a1f22);
  for (let i = -3; i <= 5; i++) all.push(box(i * 220 + 70, 240, -170, 26, 520, 26, post));
  all.push(box(Width / 2, 330, -170, 2600, 24, 30, beam), box(Width / 2, 60, -168, 2600, 12, 12, beam), box(Width / 2, 500, -170, 2600, 24, 30, beam));
  const paper = new three.MeshStandardMaterial({ color: 0xfff0c9, emissive: 0xffb65c, emissiveIntensity: 0.9 });
  for (let i = -3; i <= 5; i++) {
    const lamp = new three.Mesh(new three.SphereGeometry(22, 18, 12).scale(1, 1.25, 1), paper);
    lamp.position.set(i * 220 + 180, 236, -130);
    all.push(lamp, box(i * 220 + 180, 290, -130, 2, 60, 2, beam));
  }
  return all;
}

/** Draws the evening sky with a sun and mountains. */
function evening(): three.CanvasTexture {
  const c = document.createElement('canvas'), g = pen(c);
  [c.width, c.height] = [1024, 512];
  const fade = g.createLinearGradient(0, 0, 0, 512);
  fade.addColorStop(0, '#3b2152');
  fade.addColorStop(0.5, '#c2506a');
  fade.addColorStop(0.72, '#ffb26b');
  g.fillStyle = fade;
  g.fillRect(0, 0, 1024, 512);
  g.fillStyle = '#ffe2a3';
  g.beginPath();
  g.arc(560, 330, 64, 0, 7);
  g.fill();
  for (const [high, tint] of [[330, '#7a3a5c'], [370, '#542846']] as const) {
    g.fillStyle = tint;
    g.beginPath();
    g.moveTo(0, 512);
    for (let x = 0; x <= 1024; x += 64) g.lineTo(x, high - 50 * Math.abs(Math.sin(x * 0.011 + high)));
    g.lineTo(1024, 512);
    g.fill();
  }
  const map = new three.CanvasTexture(c);
  map.colorSpace = three.SRGBColorSpace;
  return map;
}

void play(world, controls);
