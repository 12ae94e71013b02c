// The bar of a replay: seek, pause, speed, whose view, and what happened.
import { connect, type Bindings, type Game } from '@tactusgo/client';
import { Fingers, free, zoom } from '../scene/free';
import type { Controls } from './controls';
import { element, make, write } from './dom';
import { hud } from './hud';
import { called, readNames } from './names';
import { root } from './root';
import { finalScores, hideResult, showScores } from './scores';
import { sound } from './sound';
import type { Happening, Scene, World } from './world';

const RATES = [0.25, 0.5, 1, 2, 4, 8];
const STEP = 5000, LEAD = 1500, SCAN = 100; // ms that an arrow key skips, that a jump shows before an event, and between scanned frames
const NEAR = 400; // ms within which two events are one place to jump to
const SLICE = 5; // ms that looking for events takes at once
const FIRST = 1000; // ms from the beginning: who is there then did not join later
export const ARRIVE = 2; // seconds that pass in the first frame after a cut, so that the camera arrives

/** An event, and its line in the list. */
interface Mark extends Happening { readonly at: number; readonly line: HTMLElement }

/** A table of a frame. */
interface Table { readonly rows: number; readonly Owner?: { Client(r: number): number } | null }

const clock = (ms: number) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;
const button = (text: string, id: string, label: string, act: () => void) => {
  const b = make('button', { type: 'button', id, 'aria-label': label, title: label }, text);
  b.onclick = act;
  return b;
};

export class Replayer<B extends Bindings> {
  private readonly replay;
  private readonly seek = make('input', { type: 'range', id: 'seek', min: '0', step: '10', value: '0', 'aria-label': 'time' });
  private readonly ticks = make('div', { id: 'ticks' });
  private readonly pause = button('', 'pause', '', () => this.toggle());
  private readonly time = make('output', { id: 'time' });
  private readonly speed = make('select', { id: 'rate', 'aria-label': 'speed', title: 'speed (↑ ↓)' }, ...RATES.map((r) => make('option', { value: String(r) }, `${{ 0.25: '¼', 0.5: '½' }[r] ?? r}×`)));
  private readonly who = make('select', { id: 'follow', 'aria-label': 'view', title: 'view (, .)' }, make('option', { value: '0' }, 'Free camera'));
  private readonly list = make('ol', { id: 'happened', hidden: true, 'aria-label': 'events' });
  private readonly events = button('Events', 'events', 'events (E)', () => this.show(this.list.hidden !== false));
  private readonly bar = make('div', { id: 'replay', role: 'group', 'aria-label': 'replay' }, this.ticks, this.seek, make('div', { class: 'row' },
    button('|◂', 'previous', 'previous event (Shift ←)', () => this.jump(-1)), this.pause, button('▸|', 'next', 'next event (Shift →)', () => this.jump(1)),
    this.time, this.speed, this.who, this.events));
  private readonly ended = new AbortController();
  private readonly fingers = new Fingers(element('view'), this.ended.signal);
  private readonly marks: Mark[] = [];
  private rate = 1;
  private playing = true;
  private target: number | null = null; // where to seek in the next frame
  private cut = false; // the next frame shows another place or time

  constructor(game: Game<B>, private readonly world: World<B>, recording: Uint8Array, private readonly controls: Controls, private readonly begin: () => Scene<B>) {
    this.replay = game.replay!;
    this.seek.max = String(Math.ceil(this.replay.duration));
    this.seek.oninput = () => this.go(Number(this.seek.value));
    this.speed.onchange = () => this.pace(Number(this.speed.value));
    this.who.onchange = () => this.follow(Number(this.who.value));
    this.pace(1);
    this.toggle(true);
    const { signal } = this.ended;
    addEventListener('keydown', (e) => this.key(e), { capture: true, signal });
    addEventListener('wheel', (e) => zoom(Math.exp(e.deltaY / 900)), { passive: true, signal });
    document.body.classList.add('replay');
    root.append(this.bar, this.list);
    void this.look(recording);
  }

  /** Prepares a frame, some seconds after the one before. Returns the scene to draw it with, which is another one after a cut, and the
   * seconds that pass in it. */
  frame(scene: Scene<B>, seconds: number): [Scene<B>, number] {
    const { replay, controls: { aim, drag }, seek } = this, { x, y } = this.controls.way(), step = seconds * 0.8, fingers = this.fingers.read();
    drag.x += fingers.drag.x;
    drag.y += fingers.drag.y;
    if (this.target !== null) replay.seek(this.target);
    else if (this.playing && replay.ended) this.toggle(false);
    Object.assign(free, { on: !replay.follow, x: fingers.pan.x + step * (x || aim.x), y: fingers.pan.y + step * (y || aim.y), drag: { ...drag } });
    if (!seek.matches(':active')) seek.value = String(replay.position);
    write(this.time, `${clock(replay.position)} / ${clock(replay.duration)}`);
    seek.ariaValueText = this.time.value;
    sound.silent = this.cut || this.target !== null;
    if (!sound.silent) return [scene, this.playing ? seconds * Math.min(this.rate, 4) : 0];
    this.cut = false;
    this.target = null;
    scene.end();
    hud.clear();
    hideResult();
    return [this.begin(), ARRIVE];
  }

  /** Removes the bar. */
  end() {
    this.ended.abort();
    this.bar.remove();
    this.list.remove();
    free.on = sound.silent = false;
    showScores([]);
    finalScores(); // nobody played
    document.body.classList.remove('replay', 'listed');
  }

  private toggle(on = !this.playing) {
    if (on && this.replay.ended) this.target = 0;
    this.playing = on;
    this.replay.rate = on ? this.rate : 0;
    write(this.pause, on ? 'II' : '▶');
    this.pause.ariaLabel = this.pause.title = on ? 'pause (space)' : 'play (space)';
  }

  private pace(rate: number) {
    this.rate = rate;
    this.speed.value = String(rate);
    if (this.playing) this.replay.rate = rate;
  }

  private follow(client: number) {
    this.replay.follow = client;
    this.who.value = String(client);
    this.cut = true;
  }

  private go(to: number) { this.target = Math.min(Math.max(to, 0), this.replay.duration); }

  /** Goes to the previous or the next event. */
  private jump(way: number) {
    const now = this.target ?? this.replay.position;
    const places = this.marks.filter((m, i) => i === 0 || m.at - this.marks[i - 1]!.at > NEAR).map((m) => Math.max(m.at - LEAD, 0));
    this.go(way > 0 ? places.find((at) => at > now + 1) ?? now : places.findLast((at) => at < now - NEAR) ?? 0);
  }

  private show(on: boolean) {
    this.list.hidden = !on;
    this.events.ariaExpanded = String(on);
    document.body.classList.toggle('listed', on);
    for (const m of this.marks) write(m.line, this.sentence(m)); // by the names that are known now
  }

  private key(e: KeyboardEvent) {
    const on = e.target as Element, { options } = this.who;
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]') || on.matches?.('select, input:not(#seek)') || e.code === 'Space' && on.matches?.('button')) return;
    const now = this.target ?? this.replay.position, faster = (by: number) => this.pace(RATES[RATES.indexOf(this.rate) + by] ?? this.rate);
    const view = (by: number) => this.follow(Number(options[(this.who.selectedIndex + by + options.length) % options.length]!.value));
    const acts: Readonly<Record<string, () => void>> = {
      Space: () => this.toggle(), ArrowLeft: () => (e.shiftKey ? this.jump(-1) : this.go(now - STEP)), ArrowRight: () => (e.shiftKey ? this.jump(1) : this.go(now + STEP)),
      ArrowUp: () => faster(1), ArrowDown: () => faster(-1), Comma: () => view(-1), Period: () => view(1), KeyE: () => this.events.click(),
    };
    if (!acts[e.code]) return;
    e.preventDefault();
    e.stopPropagation();
    acts[e.code]!();
  }

  /** Looks for players and events: a second game plays the recording unseen. */
  private async look(recording: Uint8Array) {
    const { world, who, ended: { signal } } = this, game = await connect({ module: 'play.wasm', game: world.bindings, recording }), replay = game.replay!, read = world.happenings?.(game);
    let before = new Set<number>();
    for (let at = performance.timeOrigin + performance.now(), until = 0; !signal.aborted && !replay.ended; at += SCAN) {
      if (performance.now() > until) {
        await new Promise((go) => setTimeout(go)); // the page draws a frame
        until = performance.now() + SLICE;
      }
      const tables = game.frame(at), { position } = replay, here = new Set<number>();
      readNames(tables);
      for (const { rows, Owner } of tables as readonly Table[]) for (let r = 0; Owner && r < rows; r++) {
        const client = Owner.Client(r);
        if (client) here.add(client);
      }
      for (const by of [...here].sort((a, b) => a - b)) {
        let option = who.querySelector<HTMLOptionElement>(`[value="${by}"]`);
        if (!option) who.add((option = make('option', { value: String(by) })), [...who.options].find((o) => Number(o.value) > by) ?? null);
        write(option, called(by));
        if (!before.has(by) && position > FIRST) this.add(position, { by, what: 'joined' });
        if (who.length === 2 && !before.size) this.follow(by);
      }
      for (const by of before) if (!here.has(by)) this.add(position, { by, what: 'left' });
      for (const h of read?.(tables) ?? []) this.add(position, h);
      before = here;
    }
    game.close();
  }

  private add(at: number, h: Happening) {
    const line = make('span', {}, this.sentence(h)), b = make('button', { type: 'button' }, make('b', {}, clock(at)), ' ', line), tick = make('i');
    b.onclick = () => this.go(at - LEAD);
    tick.style.left = `${100 * at / this.replay.duration}%`;
    this.marks.push({ ...h, at, line });
    this.list.append(make('li', {}, b));
    this.ticks.append(tick);
  }

  private sentence({ by, what, whom }: Happening) { return `${called(by)} ${what}${whom ? ` ${called(whom)}` : ''}`; }
}
