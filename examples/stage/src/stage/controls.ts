// What the player does: keys, mouse, touch sticks and gamepads, as directions and named buttons. x goes right, y goes down, both from -1
// to 1. This module and its style sheet need nothing else of the page.
//
//	const controls = new Controls(canvas, { move: 'walk', buttons: { jump: { keys: ['Space'], pad: [0], touch: 'jump' } } });
//
// Each frame, call poll, and read steps, held and pressed. Call ticked after a tick of the game. While a gamepad plays, the page's body has
// the class pad.
import './controls.css';

/** A direction, or 0, 0 for none. */
export interface Direction { x: number; y: number }

/** A button of a game. */
export interface Button {
  /** Keys, as KeyboardEvent.code. */
  readonly keys: readonly string[];
  /** Buttons of a gamepad with the standard layout. */
  readonly pad?: readonly number[];
  /** The left mouse button presses it, too. */
  readonly click?: boolean;
  /** The text of the button on touch screens. Without it there is none. */
  readonly touch?: string;
}

/** The sticks and buttons of a game. */
export interface Layout {
  /** What the left stick does: "walk". */
  readonly move: string;
  /** What the right stick and the mouse do: "aim". Without it, there is no right stick. */
  readonly aim?: string;
  /** Further buttons by name, which says what they do: "jump". */
  readonly buttons?: Readonly<Record<string, Button>>;
}

const WAYS: Readonly<Record<string, Button>> = {
  up: { keys: ['KeyW', 'ArrowUp'], pad: [12] }, down: { keys: ['KeyS', 'ArrowDown'], pad: [13] },
  left: { keys: ['KeyA', 'ArrowLeft'], pad: [14] }, right: { keys: ['KeyD', 'ArrowRight'], pad: [15] },
};
const NONE: Readonly<Direction> = { x: 0, y: 0 };
const DEAD = 0.25; // of a stick of a gamepad
const REACH = 46; // of a thumb, in CSS pixels

/** Controls reads all devices. They do nothing while locked reports true. */
export class Controls {
  /** The left and the right stick. */
  readonly move: Direction = { ...NONE };
  readonly aim: Direction = { ...NONE };
  /** The mouse on the page; null before it moves and while thumbs or a gamepad play. */
  mouse: Direction | null = null;
  /** How far the mouse moved with its button down, in CSS pixels, between the last two calls of poll. */
  readonly drag: Direction = { ...NONE };
  private readonly dragged: Direction = { ...NONE }; // since the last call
  private readonly buttons = new Map<string, Button & { readonly by: Set<string>; tapped: boolean; pressed: boolean }>();
  private readonly sticks: readonly Stick[];
  private readonly thumbs = new Map<number, Stick>();

  /** The sticks and buttons for thumbs appear beside the canvas, on touch screens. */
  constructor(canvas: HTMLElement, layout: Layout, private readonly locked = () => false) {
    for (const [name, b] of Object.entries({ ...WAYS, ...layout.buttons })) this.buttons.set(name, { ...b, by: new Set(), tapped: false, pressed: false });
    this.sticks = [new Stick('left', layout.move, this.move), ...(layout.aim ? [new Stick('right', layout.aim, this.aim)] : [])];
    const buttons = element('div', layout.aim ? 'buttons beside' : 'buttons'), touch = element('div');
    for (const [name, b] of this.buttons) if (b.touch) buttons.append(this.touchButton(name, b.touch));
    touch.id = 'controls';
    touch.append(...this.sticks.map((s) => s.ring), buttons);
    canvas.parentElement!.append(touch);
    this.listen(canvas);
  }

  /** Reports whether a button is down, or was since the tick before. */
  held(name: string): boolean {
    const b = this.buttons.get(name)!;
    return b.by.size > 0 || b.tapped;
  }

  /** Reports whether a button was pressed since the tick before. */
  pressed(name: string): boolean { return this.buttons.get(name)!.pressed; }

  /** Returns the left stick in steps: -1, 0 or 1 in both directions. */
  steps(): Direction {
    const step = (v: number) => (v > 0.38 ? 1 : v < -0.38 ? -1 : 0), { x, y } = this.way();
    return { x: step(x), y: step(y) };
  }

  /** Returns the left stick, or the direction keys. */
  way(): Direction {
    const axis = (less: string, more: string) => Number(this.held(more)) - Number(this.held(less));
    return { x: axis('left', 'right') || this.move.x, y: axis('up', 'down') || this.move.y };
  }

  /** Forgets presses after a tick that had them. */
  ticked() {
    for (const b of this.buttons.values()) b.tapped = b.pressed = false;
  }

  /** Reads gamepads and the drag of the mouse. */
  poll() {
    const down = new Set<number>();
    let move = NONE, aim = NONE;
    for (const pad of gamepads()) {
      pad.buttons.forEach((b, i) => { if (b.pressed) down.add(i); });
      if (move === NONE) move = lean(pad.axes[0], pad.axes[1]);
      if (aim === NONE) aim = lean(pad.axes[2], pad.axes[3]);
    }
    for (const [name, b] of this.buttons) this.set(name, 'pad', b.pad?.some((n) => down.has(n)) ?? false);
    if (down.size > 0 || move !== NONE || aim !== NONE) {
      this.mouse = null;
      document.body.classList.add('pad');
    }
    if (this.thumbs.size === 0) {
      Object.assign(this.move, move);
      Object.assign(this.aim, aim);
    }
    Object.assign(this.drag, this.dragged);
    Object.assign(this.dragged, NONE);
    if (this.locked()) this.release();
  }

  private release() {
    for (const b of this.buttons.values()) {
      b.by.clear();
      b.tapped = b.pressed = false;
    }
    this.thumbs.clear();
    Object.assign(this.aim, NONE);
    for (const s of this.sticks) s.rest();
  }

  private set(name: string, by: string, down: boolean) {
    const b = this.buttons.get(name)!;
    if (b.by.has(by) === down) return;
    if (!down) return void b.by.delete(by);
    b.pressed ||= b.by.size === 0;
    b.tapped = true;
    b.by.add(by);
  }

  private touchButton(name: string, text: string) {
    const b = element('button');
    Object.assign(b, { type: 'button', tabIndex: -1, ariaLabel: name, textContent: text });
    b.addEventListener('pointerdown', (e) => {
      e.preventDefault();
      b.setPointerCapture(e.pointerId);
      this.set(name, `touch ${e.pointerId}`, true);
    });
    for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) b.addEventListener(kind, (e) => this.set(name, `touch ${e.pointerId}`, false));
    b.addEventListener('contextmenu', (e) => e.preventDefault());
    return b;
  }

  private listen(canvas: HTMLElement) {
    const each = (has: (b: Button) => boolean | undefined, by: string, down: boolean) => {
      for (const [name, b] of this.buttons) if (has(b)) this.set(name, by, down);
    };
    addEventListener('keydown', (e) => {
      const has = (b: Button) => b.keys.includes(e.code);
      if (e.ctrlKey || e.metaKey || e.altKey || this.locked() || e.target instanceof HTMLInputElement || ![...this.buttons.values()].some(has)) return;
      e.preventDefault();
      if (!e.repeat) each(has, e.code, true);
    });
    addEventListener('keyup', (e) => each((b) => b.keys.includes(e.code), e.code, false));
    addEventListener('blur', () => this.release());

    const point = (e: PointerEvent) => { this.mouse = { x: 2 * e.clientX / innerWidth - 1, y: 2 * e.clientY / innerHeight - 1 }; };
    canvas.addEventListener('pointerdown', (e) => {
      if (this.locked()) return;
      canvas.setPointerCapture(e.pointerId);
      if (e.pointerType !== 'touch') {
        point(e);
        if (e.button === 0) each((b) => b.click, 'click', true);
        return;
      }
      this.mouse = null;
      document.body.classList.remove('pad');
      const stick = this.sticks[e.clientX < innerWidth / 2 ? 0 : this.sticks.length - 1]!;
      if ([...this.thumbs.values()].includes(stick)) return; // the thumb that came first has it
      this.thumbs.set(e.pointerId, stick);
      stick.put(e.clientX, e.clientY);
    });
    canvas.addEventListener('pointermove', (e) => {
      this.thumbs.get(e.pointerId)?.lean(e.clientX, e.clientY);
      if (e.pointerType === 'touch') return;
      point(e);
      if (e.buttons & 1) Object.assign(this.dragged, { x: this.dragged.x + e.movementX, y: this.dragged.y + e.movementY });
    });
    for (const kind of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(kind, (e) => {
      this.thumbs.get(e.pointerId)?.rest();
      this.thumbs.delete(e.pointerId);
      if (e.pointerType !== 'touch') each((b) => b.click, 'click', false);
    });
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
  }
}

/** Returns the gamepads that are connected: none where the browser, or the page around this frame, denies them. */
export function gamepads(): Gamepad[] {
  try {
    return navigator.getGamepads().filter((pad) => pad?.connected) as Gamepad[];
  } catch {
    return [];
  }
}

/** Returns the direction of a gamepad's stick, or NONE while nobody pushes it. */
function lean(x = 0, y = 0): Readonly<Direction> {
  const far = Math.hypot(x, y);
  return far < DEAD ? NONE : { x: x / Math.max(far, 1), y: y / Math.max(far, 1) };
}

function element<K extends keyof HTMLElementTagNameMap>(kind: K, className = ''): HTMLElementTagNameMap[K] {
  const e = document.createElement(kind);
  e.className = className;
  return e;
}

/** A stick on a touch screen: it goes where the thumb comes down. */
class Stick {
  readonly ring: HTMLElement;
  private readonly knob = element('i');
  private from: Direction = NONE;

  constructor(side: string, does: string, private readonly to: Direction) {
    const text = element('span');
    text.textContent = does;
    this.ring = element('div', `stick ${side}`);
    this.ring.ariaHidden = 'true';
    this.ring.append(this.knob, text);
  }

  put(x: number, y: number) {
    this.from = { x, y };
    Object.assign(this.ring.style, { left: `${x - 62}px`, top: `${y - 62}px`, right: 'auto', bottom: 'auto' });
    this.ring.classList.add('used', 'down');
  }

  lean(toX: number, toY: number) {
    const x = (toX - this.from.x) / REACH, y = (toY - this.from.y) / REACH, far = Math.max(Math.hypot(x, y), 1);
    Object.assign(this.to, { x: x / far, y: y / far });
    this.knob.style.translate = `${34 * this.to.x}px ${34 * this.to.y}px`;
  }

  rest() {
    Object.assign(this.to, NONE);
    this.ring.removeAttribute('style');
    this.ring.classList.remove('down');
    this.knob.style.translate = '';
  }
}
