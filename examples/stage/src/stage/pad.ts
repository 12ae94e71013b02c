// The card and the menu by a gamepad: its directions move the focus, A presses what has it, B goes back.
import { gamepads } from './controls';

/** What a gamepad reaches now: the box with the buttons and fields, what A presses without a focus, and what B does. */
export interface Reach { readonly box: HTMLElement; readonly main?: HTMLButtonElement; readonly back?: () => void }

const EVERY = 50, WAIT = 400, REPEAT = 150; // ms between two readings; until a held direction repeats, and between two repeats
const DIRECTIONS = [['up', 12, 1, -1], ['down', 13, 1, 1], ['left', 14, 0, -1], ['right', 15, 0, 1]] as const; // buttons, and axes with their signs
const FOCUSABLE = 'button, input, select, a[href]';

/** Lets gamepads use what the function returns; null while there is nothing to use. */
export function navigate(reach: () => Reach | null) {
  let before = new Set<string>(['confirm', 'back']), again = 0;
  setInterval(() => {
    const now = read(), fresh = [...now].filter((name) => !before.has(name)), held = [...now].filter((name) => before.has(name)), time = performance.now();
    before = now;
    const on = reach();
    if (!on) return;
    if (fresh.length > 0) again = time + WAIT;
    else if (time > again) {
      again = time + REPEAT;
      fresh.push(...held.filter((name) => name !== 'confirm' && name !== 'back'));
    }
    if (fresh.length > 0) document.body.classList.add('pad');
    for (const name of fresh) act(name, on);
  }, EVERY);
}

/** Returns what gamepads press. */
function read(): Set<string> {
  const now = new Set<string>();
  for (const pad of gamepads()) {
    for (const [name, button, axis, sign] of DIRECTIONS) if (pad.buttons[button]?.pressed || (pad.axes[axis] ?? 0) * sign > 0.5) now.add(name);
    if (pad.buttons[0]?.pressed) now.add('confirm');
    if (pad.buttons[1]?.pressed) now.add('back');
  }
  return now;
}

function act(name: string, { box, main, back }: Reach) {
  const all = [...box.querySelectorAll<HTMLButtonElement | HTMLInputElement>(FOCUSABLE)].filter((e) => !e.disabled && e.checkVisibility());
  const at = all.indexOf(document.activeElement as HTMLButtonElement), e = all[at];
  if (name === 'back') return back?.();
  if (name === 'confirm') {
    const press = !e ? main : e instanceof HTMLInputElement && e.type !== 'checkbox' ? e.form?.querySelector('button') ?? main : e;
    if (press && !press.disabled) press.click();
    return;
  }
  if (e instanceof HTMLInputElement && e.type === 'range' && (name === 'left' || name === 'right')) {
    if (name === 'left') e.stepDown(); else e.stepUp();
    return void e.dispatchEvent(new Event('input', { bubbles: true }));
  }
  const forward = name === 'down' || name === 'right', next = at < 0 ? (forward ? 0 : all.length - 1) : (at + (forward ? 1 : all.length - 1)) % all.length;
  all[next]?.focus();
  all[next]?.scrollIntoView({ block: 'nearest' });
}
