// What stands over the picture: a chip with the own count, a bar, a message in the middle, and a red edge.
import { calm, make, write } from './dom';
import { root } from './root';

const chip = make('div', { id: 'chip', hidden: true }), value = make('b'), label = make('span'), icon = make('i', { 'aria-hidden': 'true' });
chip.append(icon, value, label);
const bar = make('div', { id: 'meter', hidden: true, role: 'meter', 'aria-valuemin': '0', 'aria-valuemax': '100' }), number = make('b'), fill = make('i');
bar.append(number, fill);
const middle = make('p', { id: 'message', role: 'status' }), edge = make('div', { id: 'hurt', 'aria-hidden': 'true' });
root.append(chip, bar, middle, edge);

export const hud = {
  /** Shows a count at the top: coins, length, wins. icon is a CSS background. */
  count(n: number | string, what: string, background: string) {
    chip.hidden = false;
    icon.style.background = background;
    write(label, what);
    if (write(value, String(n)) && !calm()) chip.animate([{ scale: 1 }, { scale: 1.18 }, { scale: 1 }], 300);
  },

  /** Shows a bar at the bottom, such as health. share is 0 to 1. */
  meter(share: number, what: string, text: string, colour: string) {
    bar.hidden = false;
    bar.ariaLabel = what;
    bar.ariaValueNow = String(Math.round(100 * share));
    write(number, text);
    fill.style.background = `linear-gradient(90deg, ${colour} ${100 * share}%, #0009 0)`;
  },

  hideMeter() { bar.hidden = true; },

  /** Shows a message in the middle; '' for none. */
  message(text: string) { write(middle, text); },

  /** Lets the edge of the screen flash: the player was hurt. For players who want less motion, it appears faintly instead. */
  hurt() {
    if (calm()) edge.animate([{ opacity: 0.3 }, { opacity: 0.3 }], 400);
    else edge.animate([{ opacity: 0.8 }, { opacity: 0 }], 400);
  },

  /** Removes everything. */
  clear() {
    chip.hidden = bar.hidden = true;
    write(middle, '');
  },
};
