// The card before and after a match: what to do, how to play, and the way in.
import type { Layout } from './controls';
import { keep, kept, make, onSubmit } from './dom';
import { finalScores } from './scores';

/** What a card says of its world. */
export interface Words { readonly name: string; readonly title: string; readonly goal: string; readonly layout: Explained }

/** Controls, and what the card says of them. */
export interface Explained extends Layout {
  /** The keys of the left stick. Default: W A S D. */
  readonly moveKeys?: readonly string[];
  /** The button that a push of the right stick presses, too. */
  readonly aimPresses?: string;
}

const KEY_NAMES: Readonly<Record<string, string>> = { Space: 'Space', ArrowUp: '↑', ArrowDown: '↓', ShiftLeft: 'Shift' };
const PAD_NAMES = ['A', 'B', 'X', 'Y', 'LB', 'RB', 'LT', 'RT'];

export class Card {
  readonly box = make('main', { id: 'card' });
  private readonly status = make('p', { id: 'status', role: 'status' }, 'Loading…');
  private readonly bar = make('i');
  private readonly final = make('div');
  readonly play = make('button', { id: 'play', disabled: true }, 'Play');
  private readonly field = make('input', { id: 'name', maxlength: '16', placeholder: 'Your name', 'aria-label': 'Your name', autocomplete: 'off', spellcheck: 'false' });
  /** Called when the player wants to play. */
  onPlay: () => void = () => {};

  constructor(words: Words, named: boolean) {
    const form = make('form', { id: 'join' }, ...(named ? [this.field] : []), this.play);
    this.field.value = new URLSearchParams(location.search).get('name') ?? kept('name', '');
    this.box.append(make('p', { class: 'brand' }, 'Tactus'), make('h1', {}, words.title), make('p', { class: 'goal' }, words.goal), this.final, form,
      make('div', { id: 'bar' }, this.bar), this.status, howTo(words.layout));
    onSubmit(form, () => {
      keep('name', this.field.value);
      this.onPlay();
    });
    const picture = make('img', { src: `pictures/${words.name}.jpg` }), behind = make('canvas', { class: 'behind', width: '160', height: '100', 'aria-hidden': 'true' });
    picture.onload = () => behind.getContext('2d')!.drawImage(picture, 0, 0, 160, 100); // small, because a page without a graphics card takes long to blur
    this.box.prepend(behind);
    document.body.append(this.box);
  }

  get name() { return this.field.value.trim(); }
  get open() { return !this.box.hidden; }

  /** Shows how far the client is loaded, 0 to 1. */
  progress(share: number, text: string) {
    this.bar.style.width = `${100 * share}%`;
    this.say(text);
  }

  say(text: string, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle('bad', bad);
  }

  /** Lets the player play, and shows the scores of the match before. */
  ready(text: string, bad = false, button = 'Play') {
    const scores = finalScores();
    this.final.replaceChildren(...(scores ? [scores] : []));
    this.box.hidden = false;
    this.box.classList.add('loaded');
    this.play.textContent = button;
    this.play.disabled = false;
    this.say(text, bad);
    if (matchMedia('(pointer: fine)').matches) (this.field.isConnected && !this.field.value ? this.field : this.play).focus();
  }

  wait(text: string) {
    this.play.disabled = true;
    this.say(text);
  }

  close() {
    this.say('');
    this.box.hidden = true;
    (document.activeElement as HTMLElement | null)?.blur();
  }
}

/** Describes the controls: keys, a gamepad, or thumbs, whichever the player has. */
export function howTo(layout: Explained): HTMLElement {
  const keys = make('dl', { class: 'keys' }), pad = make('dl', { class: 'pads' }), thumbs = make('dl', { class: 'thumbs' });
  const row = (to: HTMLElement, caps: readonly string[], does: string) => to.append(make('div', {}, make('dt', {}, ...caps.map((c) => make('kbd', {}, c))), make('dd', {}, does)));
  row(keys, layout.moveKeys ?? ['W', 'A', 'S', 'D'], layout.move);
  row(pad, ['left stick'], layout.move);
  row(thumbs, ['left thumb'], layout.move);
  if (layout.aim) {
    row(keys, ['mouse'], layout.aim);
    row(pad, ['right stick'], layout.aim);
    row(thumbs, ['right thumb'], layout.aimPresses ? `${layout.aim} and ${layout.aimPresses}` : layout.aim);
  }
  for (const [does, b] of Object.entries(layout.buttons ?? {})) {
    row(keys, [...(b.click ? ['click'] : []), ...b.keys.map((k) => KEY_NAMES[k] ?? k.replace(/^Key/, ''))].slice(0, 2), does);
    if (b.pad?.length) row(pad, [PAD_NAMES[b.pad[0]!] ?? '…'], does);
    if (b.touch) row(thumbs, [b.touch], b.touch === does ? '' : does);
  }
  return make('div', { class: 'how' }, keys, pad, thumbs);
}
