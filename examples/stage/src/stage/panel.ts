// The network panel: figures, graphs of the last 20 seconds, and sliders that make the link worse.
import { load, type Bindings, type Stats } from '@tactusgo/client';
import { badLink } from './badlink';
import { make } from './dom';
import { root } from './root';
import type { World } from './world';

const SAMPLES = 80, EVERY = 250; // samples, and milliseconds between them

const graphs = [
  { name: 'round trip', unit: 'ms', of: (s: Stats) => s.RTT, least: 50 },
  { name: 'received', unit: 'kB/s', of: (s: Stats) => s.ReceivedRate / 1000, least: 5 },
  { name: 'corrections', unit: 'a second', of: (s: Stats) => s.CorrectionRate, least: 4 },
] as const;
const sliders = [
  { name: 'added round trip', unit: 'ms', most: 500, step: 10, set: (v: number) => { badLink.roundTrip = v; } },
  { name: 'added jitter', unit: 'ms', most: 200, step: 5, set: (v: number) => { badLink.jitter = v; } },
  { name: 'added loss', unit: '%', most: 30, step: 1, set: (v: number) => { badLink.loss = v / 100; } },
  { name: 'stalls, as of WiFi', unit: '%', most: 20, step: 1, set: (v: number) => { badLink.stalled = v / 100; } },
] as const;

/** The panel of a page. It shows the figures of one match at a time. */
export class Panel {
  readonly box = make('aside', { id: 'panel', hidden: true, 'aria-label': 'network' });
  private readonly figures = make('dl');
  private readonly pictures = graphs.map(() => make('canvas', { width: '240', height: '44', role: 'img' }));
  private readonly values: number[][] = graphs.map(() => []);
  private readonly inputs: HTMLInputElement[];
  private frames = 0;
  private spent = 0;
  private since = performance.now();

  constructor(private readonly kind: () => string, switches: World<Bindings>['switches'] = []) {
    this.inputs = sliders.map((s) => make('input', { type: 'range', min: '0', max: String(s.most), step: String(s.step), value: '0' }));
    const rows = sliders.map((s, i) => {
      const said = make('output', {}, `0 ${s.unit}`), input = this.inputs[i]!;
      input.addEventListener('input', () => {
        s.set(Number(input.value));
        said.textContent = `${input.value} ${s.unit}`;
      });
      return make('label', {}, make('span', {}, s.name), input, said);
    });
    const drawing = switches.map(({ name, call }) => {
      const box = make('input', { type: 'checkbox', checked: true });
      box.onchange = async () => ((await load('play.wasm')).exports[call] as (on: number) => void)(Number(box.checked));
      return make('label', {}, box, name);
    });
    const close = make('button', { type: 'button', class: 'quiet' }, 'Close');
    close.onclick = () => this.toggle();
    this.box.append(make('h2', {}, 'Network'), this.figures, ...this.pictures, make('h2', {}, 'Make the link worse'), ...rows, ...drawing, close);
    root.append(this.box);
    if (new URLSearchParams(location.search).get('link') === 'bad') this.set([150, 30, 5]);
  }

  toggle() {
    this.box.hidden = !this.box.hidden;
    document.body.classList.toggle('paneled', !this.box.hidden);
  }

  /** Sets the sliders. */
  set(values: readonly number[]) {
    this.inputs.forEach((input, i) => {
      input.value = String(values[i] ?? 0);
      input.dispatchEvent(new Event('input'));
    });
  }

  /** Notes a frame and how long the netcode took for it, in milliseconds. */
  frame(s: Stats, ms: number) {
    this.frames++;
    this.spent += ms;
    const now = performance.now(), passed = now - this.since;
    if (passed < EVERY) return;
    graphs.forEach((g, i) => {
      const v = this.values[i]!;
      v.push(g.of(s));
      if (v.length > SAMPLES) v.shift();
    });
    if (!this.box.hidden) this.show(s, 1000 * this.frames / passed, this.spent / this.frames);
    this.frames = this.spent = 0;
    this.since = now;
  }

  private show(s: Stats, rate: number, netcode: number) {
    const percent = (x: number) => `${(100 * x).toFixed(1)} %`, kB = (x: number) => `${(x / 1000).toFixed(1)} kB/s`, ms = (x: number) => `${x.toFixed(0)} ms`;
    const seen = seenAfter(s);
    const rows: [string, string][] = [
      ['link', this.kind() || 'none'], ['round trip', `${ms(s.RTT)} ± ${ms(s.Jitter)}`], ['lost', `${percent(s.LossIn)} in, ${percent(s.LossOut)} out`],
      ['traffic', `${kB(s.ReceivedRate)} in, ${kB(s.SentRate)} out`], ['ahead by', `${s.Lead.toFixed(0)} ticks of ${ms(1000 / (s.TickRate || 1))}`],
      ['inputs waiting', s.Buffer.toFixed(1)], ['others shown', `${ms(s.Delay)} ago`],
      ['others like you see you after', `about ${ms(seen.reduce((sum, [, v]) => sum + v, 0))}: ${seen.map(([name, v]) => `${name} ${v.toFixed(0)}`).join(', ')}`],
      ['corrections', `${s.CorrectionRate.toFixed(1)} a second`],
      ['entities', s.Rows.toFixed(0)], ['frames', `${rate.toFixed(0)} a second`], ['netcode', `${netcode.toFixed(2)} ms a frame`],
    ];
    this.figures.replaceChildren(...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
    this.pictures.forEach((c, i) => draw(c, this.values[i]!, graphs[i]!));
  }
}

/** The parts of the time, in milliseconds, from an input of this player to another player's screen, if the others' links and screens are
 * like this one's. */
function seenAfter(s: Stats): [string, number][] {
  return [['up', s.Up], ['waiting', s.Waiting], ['tick', s.HalfTick], ['send', s.Sending], ['down', s.Down], ['drawn', s.Delay], ['frame', s.FrameTime]];
}

/** Draws a graph with its name and its newest value. */
function draw(canvas: HTMLCanvasElement, values: readonly number[], g: (typeof graphs)[number]) {
  const c = canvas.getContext('2d')!, { width: w, height: h } = canvas, most = Math.max(g.least, ...values), last = values.at(-1) ?? 0;
  c.clearRect(0, 0, w, h);
  c.beginPath();
  values.forEach((v, i) => c.lineTo(w - (values.length - 1 - i) * w / (SAMPLES - 1), h - 2 - (h - 16) * v / most));
  c.strokeStyle = '#4fe3ff';
  c.lineWidth = 2;
  c.stroke();
  c.font = '12px system-ui, sans-serif';
  c.fillStyle = '#cfdcff';
  const text = `${g.name} ${last.toFixed(last < 10 ? 1 : 0)} ${g.unit}`;
  c.fillText(text, 0, 11);
  canvas.ariaLabel = text;
}
