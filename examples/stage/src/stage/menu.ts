// The menu: sound, full screen, network, controls, and the way out. The match goes on behind it.
import { howTo, type Explained } from './card';
import { make } from './dom';
import { sound } from './sound';
import type { Reach } from './pad';
import { root } from './root';

/** What the menu does with the page. */
export interface Deeds { readonly leave: () => void; readonly network: () => void; readonly talk: (() => void) | null }

export class Menu {
  private readonly dialog = make('dialog', { id: 'menu', 'aria-label': 'menu' });
  private readonly opener = make('button', { id: 'open', type: 'button', 'aria-label': 'menu', title: 'menu (Esc)' }, make('span', { 'aria-hidden': 'true' }, '☰'));

  constructor(title: string, layout: Explained, deeds: Deeds) {
    const volume = make('input', { type: 'range', min: '0', max: '1', step: '0.05', value: String(sound.volume) });
    const mute = make('input', { type: 'checkbox', ...(sound.muted ? { checked: true } : {}) });
    const change = () => {
      sound.set(Number(volume.value), mute.checked);
      sound.tone(660, 880, 0.12, 0.2);
    };
    volume.addEventListener('input', change);
    mute.addEventListener('input', change);
    const button = (text: string, act: () => void, kind = 'quiet') => {
      const b = make('button', { type: 'button', class: kind }, text);
      b.onclick = () => {
        this.close();
        act();
      };
      return b;
    };
    const full = document.fullscreenEnabled ? [button('Full screen (F)', fullScreen)] : [];
    this.dialog.append(make('h2', {}, title), make('p', { class: 'small' }, 'The match goes on.'), button('Resume', () => {}, ''),
      make('label', {}, make('span', {}, 'Volume'), volume), make('label', { class: 'check' }, mute, make('span', {}, 'Mute')),
      ...full, ...(deeds.talk ? [button('Chat (Enter)', deeds.talk)] : []), button('Network (F3)', deeds.network), howTo(layout), button('Leave the match', deeds.leave));
    this.opener.onclick = () => this.toggle();
    root.append(this.opener, this.dialog);
    addEventListener('keydown', (e) => {
      if (e.target instanceof HTMLInputElement && e.target.type === 'text') return;
      if (e.key === 'Escape') {
        e.preventDefault();
        this.toggle();
      } else if (e.key === 'f' && !e.repeat) fullScreen();
      else if (e.key === 'F3') {
        e.preventDefault();
        deeds.network();
      } else if (e.key === 'Enter' && !this.dialog.open && deeds.talk && !(e.target instanceof HTMLButtonElement) && document.body.classList.contains('playing')) {
        e.preventDefault(); // else the line gets the key, too
        deeds.talk();
      }
    });
  }

  get open() { return this.dialog.open; }

  /** What a gamepad reaches in the menu. */
  get reach(): Reach { return { box: this.dialog, back: () => this.close() }; }

  toggle() {
    if (this.dialog.open) this.close();
    else this.dialog.showModal();
  }

  close() { this.dialog.close(); }
}

function fullScreen() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {}); // the browser may refuse
}
