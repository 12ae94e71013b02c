// What the pages of all worlds share: the way into a match and back into it, keys and thumbs, words, figures of the network.
import { connect, GameError, load, type Bindings, type Game, type Place, type Rows, type Value } from '@tactusgo/client';

/** The element of the page that has an id. */
export const element = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;

/** What the figures are made of: the bindings of every world have them. */
export interface Figures {
  readonly RTT: number; readonly Jitter: number; readonly LossIn: number; readonly LossOut: number; readonly Lead: number; readonly Buffer: number;
  readonly Delay: number; readonly ReceivedRate: number; readonly SentRate: number; readonly CorrectionRate: number; readonly Rows: number; readonly TickRate: number;
}

/** One match, as a page shows it. */
export interface Scene<B extends Bindings> {
  /** Sets the input: before the game goes on. */
  steer(): void;
  /** Follows a tick, or several, that had the input. */
  ticked(): void;
  /** Shows the rows of the newest frame, seconds after the one before. */
  draw(tables: ReturnType<Game<B>['frame']>, seconds: number): void;
  /** Is over. */
  end(): void;
}

type World = Bindings<Value, Rows, unknown, Figures>;

/** Has people join a world, once warm is ready to draw: begin is called with each game that they are in. */
export async function stage<B extends World>(world: string, bindings: B, warm: () => Promise<unknown>, begin: (game: Game<B>, name: string) => Scene<B>): Promise<void> {
  const card = element('card'), bar = element('bar'), play = element<HTMLButtonElement>('play'), name = element<HTMLInputElement>('name');
  const options = {
    module: `${world}.wasm`, exec: new URL('wasm_exec.js', document.baseURI), size: MODULES[world] ?? 0,
    onProgress: (loaded: number, total: number) => bar.style.setProperty('--share', `${total ? Math.min(100 * loaded / total, 100) : 0}%`),
  };
  const asked = new URLSearchParams(location.search).get('name');
  name.value = asked ?? localStorage.getItem('name') ?? '';

  const tell = (text: string, bad = false) => {
    element('status').textContent = text;
    element('status').classList.toggle('bad', bad);
  };
  // over brings the card back with what is to be known: playing again is a button away.
  const over = (why: unknown) => {
    console.info(`the game is over: ${why}`, why instanceof GameError ? why.detail : '');
    const words = why instanceof GameError && why.reason !== 0;
    tell(words ? why.message : 'The game cannot be reached. Check your network, and try again.', true);
    element('link').replaceChildren();
    delete element('link').dataset['said'];
    play.textContent = 'Play again';
    play.disabled = false;
    card.hidden = false;
  };

  async function join() {
    localStorage.setItem('name', name.value);
    play.disabled = true;
    tell('Joining the game…');
    const place: Place = await (await fetch('connect.json', { cache: 'no-store' })).json();
    const game = await connect({
      ...options, ...place, game: bindings,
      onLink: (kind) => { element('link').dataset['kind'] = kind; },
    });
    const scene = begin(game, name.value.trim());
    game.joined.then(() => {
      tell('');
      name.blur();
      card.hidden = true;
    }, () => {}); // over says why
    run(game, scene, over);
  }

  element('join').addEventListener('submit', (e) => {
    e.preventDefault();
    join().catch(over);
  });
  try {
    await Promise.all([load(options.module, options), warm()]);
    card.classList.add('loaded');
    play.disabled = false;
    tell('');
    if (asked !== null) await join();
  } catch (e) {
    over(e);
  }
}

/** Lets a game go on, frame by frame, until it is over. Between slow ones, and while nobody sees the page, it goes on by itself. */
function run<B extends World>(game: Game<B>, scene: Scene<B>, over: (why: unknown) => void) {
  const figures = new Overlay(game.stats);
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    try {
      scene.steer();
      const begun = performance.now();
      if (game.advance() > 0) scene.ticked();
      const tables = game.frame();
      figures.took(performance.now() - begun);
      say(game);
      scene.draw(tables, Math.min((now - last) / 1000, 0.1));
    } catch (e) {
      figures.close();
      scene.end();
      game.close();
      return over(e);
    }
    last = now;
    requestAnimationFrame(frame);
  });
}

/** Says how it goes, and offers to try at once while the game reconnects; nothing while all is well. */
function say(game: { readonly explanation: string; readonly status: string; rejoin(): void }) {
  const link = element('link'), { explanation } = game, waits = game.status === 'reconnecting';
  if (link.dataset['said'] === explanation) return;
  link.dataset['said'] = explanation;
  link.textContent = explanation;
  if (!waits) return;
  const now = text('button', 'Try now') as HTMLButtonElement;
  now.type = 'button';
  now.onclick = () => game.rejoin();
  link.append(now);
}

/** The figures of the network, which F3 and the button show. */
class Overlay {
  private readonly box = element('figures');
  private frames = 0;
  private spent = 0;
  private since = performance.now();

  constructor(private readonly stats: Figures) {
    element('network').onclick = () => { this.box.hidden = !this.box.hidden; };
  }

  /** Takes in how long the netcode took for a frame, in milliseconds. */
  took(ms: number) {
    this.frames++;
    this.spent += ms;
    if (performance.now() - this.since > 250) this.show();
  }

  close() {
    this.box.hidden = true;
    element('network').onclick = null;
  }

  private show() {
    const s = this.stats, now = performance.now(), { frames } = this, seconds = (now - this.since) / 1000;
    if (!this.box.hidden) {
      const percent = (x: number) => `${(100 * x).toFixed(1)} %`, kB = (x: number) => `${(x / 1000).toFixed(1)} kB/s`, ms = (x: number) => `${x.toFixed(0)} ms`;
      const rows: [string, string][] = [
        ['link', { webtransport: 'WebTransport', websocket: 'WebSocket' }[element('link').dataset['kind'] ?? ''] ?? 'none'],
        ['round trip', `${ms(s.RTT)} ± ${ms(s.Jitter)}`], ['lost', `${percent(s.LossIn)} in, ${percent(s.LossOut)} out`],
        ['traffic', `${kB(s.ReceivedRate)} in, ${kB(s.SentRate)} out`], ['ahead by', `${s.Lead.toFixed(0)} ticks of ${ms(1000 / (s.TickRate || 1))}`],
        ['inputs waiting', s.Buffer.toFixed(1)], ['others shown', `${ms(s.Delay)} ago`], ['corrections', `${s.CorrectionRate.toFixed(1)} a second`],
        ['entities', s.Rows.toFixed(0)], ['frames', `${(frames / seconds).toFixed(0)} a second`], ['netcode', `${(this.spent / frames).toFixed(2)} ms a frame`],
      ];
      this.box.replaceChildren(...rows.flatMap(([name, value]) => [text('dt', name), text('dd', value)]));
    }
    this.frames = this.spent = 0;
    this.since = now;
  }
}

/** Makes an element with a text in it. */
export function text(kind: string, what: string, colour?: string): HTMLElement {
  const e = document.createElement(kind);
  e.textContent = what;
  if (colour) e.style.color = colour;
  return e;
}

/** Adds a line to what was said and done, for some seconds. */
export function tell(who: string, what: string, colour: string) {
  const lines = element('lines'), line = text('p', ` ${what}`);
  line.prepend(text('b', who, colour));
  lines.append(line);
  while (lines.childElementCount > 6) lines.firstElementChild?.remove();
  setTimeout(() => line.remove(), 12_000);
}

/** What keys, mouse and thumbs do. Keys that are held down are bits; places are -1 to 1 from the middle, to the right and up. */
export class Controls {
  held = 0;
  private released = 0; // of held: let go since the last tick
  /** The mouse, once there is one. */
  mouse: { x: number; y: number } | null = null;
  /** Thumbs, as far as they are from where they were put down: 0, 0 for none. */
  readonly left = { x: 0, y: 0 };
  readonly right = { x: 0, y: 0 };

  /** keys are buttons by KeyboardEvent.code; click is that of the mouse; say is given what people say, with Enter, on a page with a line for it. */
  constructor(keys: Readonly<Record<string, number>>, click: number, say?: (line: string) => void) {
    const words = element('say') as HTMLElement | null, line = element('line') as HTMLInputElement | null, canvas = element('view');
    const talking = () => document.activeElement instanceof HTMLInputElement;
    addEventListener('keydown', (e) => {
      if (e.key === 'F3') {
        e.preventDefault();
        element('network').click();
      } else if (e.key === 'Enter' && words && line && !talking() && element('card').hidden) {
        e.preventDefault(); // else the line gets it, and is over at once
        words.hidden = false;
        line.focus();
      } else if (e.key === 'Escape') line?.blur();
      else if (!talking() && !e.ctrlKey && !e.metaKey && keys[e.code]) {
        this.press(keys[e.code] ?? 0);
        e.preventDefault();
      }
    });
    addEventListener('keyup', (e) => { this.released |= keys[e.code] ?? 0; });
    addEventListener('blur', () => { this.held = 0; });
    line?.addEventListener('focus', () => { this.held = 0; });
    line?.addEventListener('blur', () => { if (words) words.hidden = true; line.value = ''; });
    words?.addEventListener('submit', (e) => {
      e.preventDefault();
      if (line?.value.trim()) say?.(line.value.trim());
      line?.blur();
    });

    const knobs = new Map([[this.left, document.querySelector<HTMLElement>('.stick.left i')], [this.right, document.querySelector<HTMLElement>('.stick.right i')]]);
    const push = (stick: { x: number; y: number }, x: number, y: number) => {
      Object.assign(stick, { x, y });
      const knob = knobs.get(stick);
      if (knob) knob.style.translate = `${34 * x}px ${-34 * y}px`;
    };
    const thumbs = new Map<number, { stick: { x: number; y: number }; x: number; y: number }>();
    const point = (e: PointerEvent) => { this.mouse = { x: 2 * e.clientX / innerWidth - 1, y: 1 - 2 * e.clientY / innerHeight }; };
    canvas.addEventListener('pointerdown', (e) => {
      canvas.setPointerCapture(e.pointerId);
      if (e.pointerType === 'touch') thumbs.set(e.pointerId, { stick: e.clientX < innerWidth / 2 ? this.left : this.right, x: e.clientX, y: e.clientY });
      else {
        point(e);
        this.press(click);
      }
    });
    canvas.addEventListener('pointermove', (e) => {
      const thumb = thumbs.get(e.pointerId), reach = 50;
      if (thumb) {
        const x = (e.clientX - thumb.x) / reach, y = (thumb.y - e.clientY) / reach, far = Math.max(Math.hypot(x, y), 1);
        push(thumb.stick, x / far, y / far);
      } else if (e.pointerType !== 'touch') point(e);
    });
    for (const kind of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(kind, (e) => {
      const thumb = thumbs.get(e.pointerId);
      if (thumb) push(thumb.stick, 0, 0);
      else this.released |= click;
      thumbs.delete(e.pointerId);
    });
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
  }

  /** Lets go of keys that were released: after a tick, so that a tap between two ticks counts. */
  ticked() {
    this.held &= ~this.released;
    this.released = 0;
  }

  private press(key: number) {
    this.held |= key;
    this.released &= ~key;
  }
}
