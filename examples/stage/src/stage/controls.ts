// What the player does: keys, mouse, thumbs and gamepads, as named buttons and directions. x goes right, y goes down, both
// from -1 to 1.
import { make } from './dom';
import { root } from './root';

/** A direction, or 0, 0 for none. */
export interface Direction { x: number; y: number }

/** A button of a world. */
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

/** What a world can be played with. */
export interface Layout {
  /** What the left stick does: "walk". */
  readonly move: string;
  /** The keys of the left stick, for the card. Default: W A S D and arrows in all directions. */
  readonly moveKeys?: readonly string[];
  /** What the right stick and the mouse do: "aim". Without it, there is no right stick. */
  readonly aim?: string;
  /** The button that the right stick presses, too. */
  readonly aimPresses?: string;
  /** Further buttons by name, which says what they do: "jump". */
  readonly buttons?: Readonly<Record<string, Button>>;
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  up: ['KeyW', 'ArrowUp'], down: ['KeyS', 'ArrowDown'], left: ['KeyA', 'ArrowLeft'], right: ['KeyD', 'ArrowRight'],
};
const PAD: Readonly<Record<string, readonly number[]>> = { up: [12], down: [13], left: [14], right: [15] };
const DEAD = 0.25; // of a stick of a gamepad
const REACH = 46; // of a thumb, in CSS pixels

interface State { readonly by: Set<string>; tapped: boolean; pressed: boolean }

/** Controls reads all devices. They do nothing while locked reports true. */
export class Controls {
  /** The left and the right stick. */
  readonly move: Direction = { x: 0, y: 0 };
  readonly aim: Direction = { x: 0, y: 0 };
  /** The mouse on the page; null before it moves and while thumbs or a gamepad play. */
  mouse: Direction | null = null;
  /** How far the mouse moved with its button down since the frame before, in CSS pixels. */
  readonly drag: Direction = { x: 0, y: 0 };
  private readonly states = new Map<string, State>();
  private readonly buttons: ReadonlyMap<string, Button>;
  private readonly thumbs = new Map<number, { left: boolean; x: number; y: number; to: Direction }>();
  private readonly sticks: readonly [Stick, Stick | null];
  private pads = ''; // pressed buttons of gamepads, for changes
  private menuHeld = false;
  private confirmHeld = true;

  constructor(canvas: HTMLElement, layout: Layout, private readonly locked: () => boolean, private readonly menu: () => void) {
    const buttons = new Map<string, Button>(Object.entries(KEYS).map(([name, keys]) => [name, { keys, pad: PAD[name] ?? [] }]));
    for (const [name, b] of Object.entries(layout.buttons ?? {})) buttons.set(name, b);
    this.buttons = buttons;
    for (const name of buttons.keys()) this.states.set(name, { by: new Set(), tapped: false, pressed: false });
    this.sticks = [new Stick('left', layout.move), layout.aim ? new Stick('right', layout.aim) : null];
    const pads = make('div', { id: 'pads' });
    for (const [name, b] of buttons) if (b.touch) pads.append(this.touchButton(name, b.touch));
    pads.classList.toggle('beside', layout.aim !== undefined);
    root.append(...this.sticks.flatMap((s) => (s ? [s.ring] : [])), pads);
    this.listen(canvas, layout.aim !== undefined);
  }

  /** Reports whether a button is down, or was since the tick before. */
  held(name: string): boolean {
    const s = this.states.get(name)!;
    return s.by.size > 0 || s.tapped;
  }

  /** Reports whether a button was pressed since the tick before. */
  pressed(name: string): boolean { return this.states.get(name)!.pressed; }

  /** Returns the left stick in steps: -1, 0 or 1 in both directions. */
  steps(): Direction {
    const step = (v: number) => (v > 0.38 ? 1 : v < -0.38 ? -1 : 0), { x, y } = this.way();
    return { x: step(x), y: step(y) };
  }

  /** Returns the left stick, or the direction keys. */
  way(): Direction {
    const axis = (less: string, more: string) => Number(this.held(more)) - Number(this.held(less));
    const x = axis('left', 'right') || this.move.x, y = axis('up', 'down') || this.move.y;
    return { x, y };
  }

  /** Forgets presses after a tick that had them. */
  ticked() {
    for (const s of this.states.values()) s.tapped = s.pressed = false;
  }

  /** Reads gamepads. Call it once per frame. */
  poll() {
    let pressed = '', move: Direction | null = null, aim: Direction | null = null, menu = false;
    for (const pad of navigator.getGamepads()) {
      if (!pad?.connected) continue;
      pad.buttons.forEach((b, i) => { if (b.pressed) pressed += ` ${i}`; });
      menu ||= pad.buttons[9]?.pressed ?? false;
      move ??= stick(pad.axes[0], pad.axes[1]);
      aim ??= stick(pad.axes[2], pad.axes[3]);
    }
    if (menu && !this.menuHeld) this.menu();
    this.menuHeld = menu;
    if (pressed !== this.pads) {
      this.pads = pressed;
      const down = new Set(pressed.split(' ').filter(Boolean).map(Number));
      for (const [name, b] of this.buttons) this.set(name, 'pad', b.pad?.some((n) => down.has(n)) ?? false);
      document.body.classList.add('pad');
    }
    if (move || aim || pressed) this.mouse = null;
    if (this.thumbs.size === 0) {
      Object.assign(this.move, move ?? NONE);
      Object.assign(this.aim, aim ?? NONE);
    }
    if (this.locked()) this.release();
  }

  /** Reports whether a gamepad's first button was pressed since the call before: it presses the main button of card and menu. */
  confirms(): boolean {
    const was = this.confirmHeld;
    this.confirmHeld = navigator.getGamepads().some((pad) => pad?.connected && pad.buttons[0]?.pressed);
    return this.confirmHeld && !was;
  }

  /** Forgets the drag of this frame. */
  drawn() { Object.assign(this.drag, NONE); }

  private release() {
    for (const s of this.states.values()) {
      s.by.clear();
      s.tapped = s.pressed = false;
    }
    Object.assign(this.move, NONE);
    Object.assign(this.aim, NONE);
    this.thumbs.clear();
    for (const s of this.sticks) s?.rest();
  }

  private set(name: string, by: string, down: boolean) {
    const s = this.states.get(name);
    if (!s || s.by.has(by) === down) return;
    if (!down) return void s.by.delete(by);
    s.pressed ||= s.by.size === 0;
    s.tapped = true;
    s.by.add(by);
  }

  private touchButton(name: string, text: string) {
    const b = make('button', { type: 'button', class: 'touch', 'aria-label': name, tabindex: '-1' }, text);
    b.addEventListener('pointerdown', (e) => {
      e.preventDefault();
      b.setPointerCapture(e.pointerId);
      this.set(name, 'touch', true);
    });
    for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) b.addEventListener(kind, () => this.set(name, 'touch', false));
    b.addEventListener('contextmenu', (e) => e.preventDefault());
    return b;
  }

  private listen(canvas: HTMLElement, aims: boolean) {
    const names = new Map<string, string[]>();
    for (const [name, b] of this.buttons) for (const key of b.keys) names.set(key, [...(names.get(key) ?? []), name]);
    const clicked = [...this.buttons].filter(([, b]) => b.click).map(([name]) => name);
    addEventListener('keydown', (e) => {
      const all = names.get(e.code);
      if (!all || e.ctrlKey || e.metaKey || e.altKey || this.locked() || e.target instanceof HTMLInputElement) return;
      e.preventDefault();
      if (!e.repeat) for (const name of all) this.set(name, e.code, true);
    });
    addEventListener('keyup', (e) => { for (const name of names.get(e.code) ?? []) this.set(name, e.code, false); });
    addEventListener('blur', () => this.release());

    const point = (e: PointerEvent) => { this.mouse = { x: 2 * e.clientX / innerWidth - 1, y: 2 * e.clientY / innerHeight - 1 }; };
    canvas.addEventListener('pointerdown', (e) => {
      if (this.locked()) return;
      canvas.setPointerCapture(e.pointerId);
      if (e.pointerType !== 'touch') {
        point(e);
        if (e.button === 0) for (const name of clicked) this.set(name, 'click', true);
        return;
      }
      this.mouse = null;
      document.body.classList.remove('pad');
      const left = !aims || e.clientX < innerWidth / 2;
      this.thumbs.set(e.pointerId, { left, x: e.clientX, y: e.clientY, to: left ? this.move : this.aim });
      this.sticks[left ? 0 : 1]?.put(e.clientX, e.clientY);
    });
    canvas.addEventListener('pointermove', (e) => {
      const thumb = this.thumbs.get(e.pointerId);
      if (thumb) {
        const x = (e.clientX - thumb.x) / REACH, y = (e.clientY - thumb.y) / REACH, far = Math.max(Math.hypot(x, y), 1);
        Object.assign(thumb.to, { x: x / far, y: y / far });
        this.sticks[thumb.left ? 0 : 1]?.lean(thumb.to);
      } else if (e.pointerType !== 'touch') {
        point(e);
        if (e.buttons & 1) Object.assign(this.drag, { x: this.drag.x + e.movementX, y: this.drag.y + e.movementY });
      }
    });
    for (const kind of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(kind, (e) => {
      const thumb = this.thumbs.get(e.pointerId);
      this.thumbs.delete(e.pointerId);
      if (thumb) {
        Object.assign(thumb.to, NONE);
        this.sticks[thumb.left ? 0 : 1]?.rest();
      } else for (const name of clicked) this.set(name, 'click', false);
    });
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
  }
}

const NONE: Readonly<Direction> = { x: 0, y: 0 };

/** Returns the direction of a gamepad's stick, or null while nobody pushes it. */
function stick(x = 0, y = 0): Direction | null {
  const far = Math.hypot(x, y);
  return far < DEAD ? null : { x: x / Math.max(far, 1), y: y / Math.max(far, 1) };
}

/** A stick on a touch screen: it goes where the thumb comes down. */
class Stick {
  private readonly knob = make('i');
  readonly ring: HTMLElement;

  constructor(side: string, does: string) { this.ring = make('div', { class: `stick ${side}`, 'aria-hidden': 'true' }, this.knob, make('span', {}, does)); }

  put(x: number, y: number) {
    Object.assign(this.ring.style, { left: `${x - 62}px`, top: `${y - 62}px`, right: 'auto', bottom: 'auto' });
    this.ring.classList.add('used', 'down');
  }

  lean({ x, y }: Direction) { this.knob.style.translate = `${34 * x}px ${34 * y}px`; }

  rest() {
    this.ring.removeAttribute('style');
    this.ring.classList.remove('down');
    this.knob.style.translate = '';
  }
}
