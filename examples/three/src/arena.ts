// The arena, drawn with three.js. Its rules run in arena.wasm, which predicts what the own player does and interpolates everybody else. What is
// left to do here: say which keys are held, and show the rows that a frame has. How things look is in arena-look.ts.
import type { Game } from '@tactusgo/client';
import { Color, Vector3 } from 'three';
import arena, { Buttons } from '../../arena/bindings/arena.mjs';
import { Actor, colourOf, Look, tintOf } from './arena-look';
import { Controls, element, stage, tell, text, type Scene } from './stage';

const RESPAWN = 2.5, RADIUS = 16, SIDE = 2000; // of examples/arena/game: seconds and units
const TURN = 2 * Math.PI / 65536; // of angles
const KEYS = {
  KeyW: Buttons.Up, ArrowUp: Buttons.Up, KeyS: Buttons.Down, ArrowDown: Buttons.Down,
  KeyA: Buttons.Left, ArrowLeft: Buttons.Left, KeyD: Buttons.Right, ArrowRight: Buttons.Right, Space: Buttons.Fire,
};

let match: Match | undefined; // the newest
const look = new Look();
const controls = new Controls(KEYS, Buttons.Fire, (line) => match?.say(line));
void stage('arena', arena, () => look.warm(), (game, name) => (match = new Match(game, name)));

/** One match, from joining to its end. */
class Match implements Scene<typeof arena> {
  private readonly actors = new Map<number, Actor>(); // by NetID
  private readonly told: InstanceType<typeof arena.Told>;
  private own: Actor | undefined;
  private aim = 0; // radians
  private named = -1; // the session in which the server was told the name, by its number of reconnects
  private kills = -1; // that were told; -1: none was yet
  private sinceScores = Infinity; // seconds
  private readonly target = new Vector3();

  constructor(private readonly game: Game<typeof arena>, private readonly name: string) {
    this.told = new arena.Told(game.module);
    look.view.reset();
  }

  /** Says what the player does: the next tick has it. */
  steer() {
    const { left, right, mouse } = controls, { input } = this.game, { own, target } = this;
    input.Buttons = controls.held | walk(left.x, -left.y) | (right.x || right.y ? Buttons.Fire : 0);
    if (right.x || right.y) this.aim = Math.atan2(-right.y, right.x);
    else if (left.x || left.y) this.aim = Math.atan2(-left.y, left.x);
    else if (mouse && own && look.view.pick(mouse.x, mouse.y, RADIUS, target)) this.aim = Math.atan2(target.z - own.y, target.x - own.x);
    input.Aim = Math.round(this.aim / TURN) & 0xffff;
  }

  ticked() { controls.ticked(); }

  /** Shows the newest frame. */
  draw(tables: readonly InstanceType<typeof arena.Table>[], seconds: number) {
    this.heed();
    const scores = this.sinceScores > 0.25, self = this.game.stats.Client;
    let own: Actor | undefined;
    look.clear();
    for (const t of tables) {
      const { Position, Heading, Health, Fighter, Owner, Player } = t;
      if (!Position || !Heading || !Health || !Fighter) continue;
      for (let r = 0; r < t.rows; r++) {
        const a = this.actor(t.id(r), Owner ? Owner.Client(r) : 0, self);
        a.x = Position.X(r);
        a.y = Position.Y(r);
        a.turn = Heading.Angle(r) * TURN;
        this.change(a, Health.Points(r), Fighter.Shots(r), Fighter.Down(r));
        if (Player && scores) {
          a.kills = Player.Kills(r);
          const name = Player.Name(r);
          if (name !== a.name) look.name(a, name);
        }
        if (a.mine) own = a;
        look.show(a, seconds);
      }
    }
    this.own = own;
    if (own) look.view.follow(own.x + 40 * (controls.mouse?.x ?? 0), 0, own.y - 40 * (controls.mouse?.y ?? 0), seconds);
    this.overlay(own);
    this.sinceScores = scores ? this.scores() : this.sinceScores + seconds;
    look.render(seconds);
  }

  /** Says something to everybody. */
  say(line: string) {
    const say = new arena.sent.Say.Value();
    say.Text = line;
    this.game.send('Say', say);
  }

  /** Takes away what it has put on the stage. */
  end() {
    this.actors.forEach((a) => look.forget(a));
    match = undefined;
  }

  /** Heeds what has happened since the frame before. */
  private heed() {
    const { news, one: { Feed }, stats } = this.game;
    for (let i = 0; i < news.count; i++) {
      const n = news.get(i), told = this.told.read(n);
      if (told?.type === 'Said') tell(told.Name, told.Text, colourOf(told.Client, stats.Client).getStyle());
      if (n.kind !== 'gone') continue;
      const gone = this.actors.get(n.id);
      if (gone) look.forget(gone);
      this.actors.delete(n.id);
    }
    if (Feed && Feed.Total !== this.kills) {
      const { Kills } = Feed, fresh = this.kills < 0 ? 0 : Math.min((Feed.Total - this.kills) & 0xffff, Kills.length);
      for (let i = Kills.length - fresh; i < Kills.length; i++) {
        const { By, Whom } = Kills.get(i), by = this.called(By), whom = this.called(Whom);
        if (by && whom) tell(by, `shot down ${whom}`, colourOf(By, stats.Client).getStyle());
      }
      this.kills = Feed.Total;
    }
    if (stats.Own && this.named !== stats.Reconnects) {
      this.named = stats.Reconnects;
      const rename = new arena.sent.Rename.Value();
      rename.Name = this.name;
      if (this.name) this.game.send('Rename', rename);
    }
  }

  /** What is remembered of an entity, or of one that has just come into sight. */
  private actor(id: number, client: number, self: number): Actor {
    let a = this.actors.get(id);
    if (!a) this.actors.set(id, (a = new Actor()));
    a.client = client;
    a.colour = colourOf(client, self);
    a.mine = client !== 0 && client === self;
    return a;
  }

  /** Takes in how somebody is, and shows what has happened since the frame before: rows say how things are, and not how they came to be so. */
  private change(a: Actor, health: number, shots: number, down: boolean) {
    const hurt = health < a.health - 1, fired = shots !== a.shots, fell = down && !a.down, rose = !down && a.down;
    a.health = health;
    a.shots = shots;
    a.down = down;
    if (a.fresh) {
      a.fresh = false; // what happened before it came into sight is over
      a.shown = health;
      return;
    }
    if (hurt) look.hit(a);
    if (fell) look.fell(a);
    if (rose) look.rose(a);
    if (fired && !down) look.fired(a, this.actors.values());
    if (hurt && a.mine) element('hurt').animate([{ opacity: 0.8 }, { opacity: 0 }], 400);
  }

  /** Draws where everybody is. */
  private map() {
    const scale = map.canvas.width / SIDE;
    map.clearRect(0, 0, map.canvas.width, map.canvas.height);
    for (const a of this.actors.values()) {
      const size = a.down ? 0 : a.mine ? 14 : a.client ? 10 : 4;
      map.fillStyle = a.colour.getStyle();
      map.fillRect(a.x * scale - size / 2, a.y * scale - size / 2, size, size);
    }
  }

  private called(client: number) {
    for (const a of this.actors.values()) if (a.client === client) return a.name;
    return '';
  }

  /** Writes the own health, or when the player is back. */
  private overlay(own: Actor | undefined) {
    const health = element('health'), down = element('down');
    health.hidden = !own || own.down;
    down.hidden = !own?.down;
    if (own?.down) write(down, `shot down: back in ${Math.max(RESPAWN - own.downFor, 0).toFixed(1)} s`);
    else if (own && write(element('points'), String(own.health))) {
      health.style.setProperty('--share', `${own.health}%`);
      health.style.setProperty('--tint', tintOf(own.health / 100, tint).getStyle());
    }
  }

  /** Writes the best players, and the own one; returns the seconds since then. */
  private scores() {
    const all = [...this.actors.values()].filter((a) => a.client).sort((a, b) => b.kills - a.kills);
    const best = all.slice(0, 6);
    if (this.own && !best.includes(this.own)) best[best.length - 1] = this.own;
    element('scores').replaceChildren(...best.map((a) => {
      const line = text('li', a.name, a.colour.getStyle());
      line.append(text('b', String(a.kills)));
      line.classList.toggle('own', a.mine);
      return line;
    }));
    this.map();
    return 0;
  }
}

const tint = new Color(), map = element<HTMLCanvasElement>('map').getContext('2d')!;

/** The keys that would walk where a thumb points. */
function walk(x: number, y: number): number {
  const some = 0.38; // of the thumb's way, so that there are eight ways to walk
  return (x > some ? Buttons.Right : x < -some ? Buttons.Left : 0) | (y > some ? Buttons.Down : y < -some ? Buttons.Up : 0);
}

/** Writes a text where it has changed, and says whether it has. */
function write(e: HTMLElement, what: string): boolean {
  if (e.textContent === what) return false;
  e.textContent = what;
  return true;
}
