// The lobby: it lists rooms, creates them, and requests seats. /rooms/openapi.json describes its requests.
import { canReturn, keptSeat, leaveSeat, seat, SeatError, type SeatOptions } from '@tactusgo/client';
import type { Card } from './card';
import type { Rooms } from './client';
import { make, onSubmit, write } from './dom';
import type { Invite } from './invite';
import { leave, type Door, type Seat } from './play';

/** A room, as the server lists it. */
interface Room { readonly id: string; readonly state: string; readonly free: number; readonly capacity: number; readonly spectators: number; readonly max_spectators: number; readonly code: string; readonly created: string; readonly schema: string; readonly options: { readonly name?: unknown } }

const wait = (ms: number) => new Promise((go) => setTimeout(go, ms));

/** Returns the lobby as the way into the matches of a server. */
export function lobby(rooms: Rooms, invite: Invite): Door { return new Lobby(rooms, invite); }

class Lobby implements Door {
  private card!: Card;
  private enterMatch!: (seat: () => Promise<Seat>) => Promise<void>;
  private readonly kind: string;
  private readonly schema: string;
  private loaded = false;
  private seated = false;
  private watches = false;
  private cancel: AbortController | null = null; // of the request for a seat
  private rooms: readonly Room[] = [];
  private readonly items = new Map<string, { readonly li: HTMLElement; readonly name: HTMLElement; readonly small: HTMLElement; readonly button: HTMLButtonElement; readonly watch: HTMLButtonElement }>();
  private readonly list = make('ul', { id: 'rooms' });
  private readonly none = make('p', { id: 'none', hidden: true }, 'Nobody plays yet. A quick match opens a room.');
  private readonly room = make('input', { id: 'room', maxlength: '32', placeholder: 'Name', 'aria-label': 'name of the room', autocomplete: 'off', spellcheck: 'false' });
  private readonly hidden = make('input', { id: 'private', type: 'checkbox' });
  private readonly code = make('input', { id: 'code', maxlength: '13', placeholder: 'Code', 'aria-label': 'code of the room', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  private readonly buttons = ['Create', 'Join'].map((text) => make('button', { disabled: true }, text));

  constructor(rooms: Rooms, private readonly invite: Invite) { [this.kind, this.schema] = [rooms.kind, rooms.schema ?? '']; }

  mount(card: Card, enter: (seat: () => Promise<Seat>) => Promise<void>) {
    this.card = card;
    this.enterMatch = enter;
    const create = make('form', { id: 'create' }, make('h2', {}, 'A room of your own'), this.room, make('label', {}, this.hidden, ' private: only with its code'), this.buttons[0]!);
    const byCode = make('form', { id: 'bycode' }, make('h2', {}, 'A room of friends'), this.code, make('p', {}, 'They see the code at the top while they play.'), this.buttons[1]!);
    card.box.insertBefore(make('section', { id: 'lobby' }, create, byCode, make('div', { class: 'open' }, make('h2', {}, 'Open rooms'), this.list, this.none)), card.box.querySelector('.how'));
    const quit = make('button', { id: 'leave', type: 'button', class: 'quiet' }, 'Leave');
    quit.onclick = () => {
      this.forget();
      leave();
    };
    this.invite.box.append(quit);
    card.onPlay = () => {
      if (this.cancel) this.cancel.abort();
      else void this.enter('Looking for a match…', { room: '', way: 'queue', onQueued: (players) => this.card.say(players > 1 ? `Waiting with ${players - 1} more…` : 'Waiting for others…') });
    };
    onSubmit(create, () => {
      const name = this.room.value.trim();
      void this.enter('Creating a room…', { room: '', way: 'create', options: name ? { name } : {}, private: this.hidden.checked });
    });
    onSubmit(byCode, () => {
      const name = this.code.value.trim().toLowerCase();
      if (name) this.into(name); else this.code.focus();
    });
    addEventListener('hashchange', () => {
      if (!this.linked || this.cancel || !this.card.open) return;
      this.code.value = this.linked;
      if (this.loaded) this.into(this.linked);
    });
    // A token serves one session, which has ended when the page returns from the browser's cache.
    addEventListener('pageshow', (e) => { if (e.persisted && this.seated) location.reload(); });
    document.addEventListener('players', (e) => this.crowd((e as CustomEvent<number>).detail));
    this.code.value = this.linked;
    void this.follow();
  }

  ready() {
    void keptSeat().then((kept) => {
      this.loaded = true;
      this.idle('');
      if (kept && (!this.linked || this.linked === kept.code)) void this.back(kept.watch, '');
      else if (this.linked) this.into(this.linked);
      else if (new URLSearchParams(location.search).get('name')) this.card.onPlay();
    });
  }

  over(text: string, reason: number) {
    const returns = this.seated && canReturn(reason);
    this.invite.end();
    this.idle(text);
    if (returns) return void this.answers().then(() => this.back(this.watches, text));
    this.forget();
    if (reason === 1) this.card.say('');
  }

  private get linked() { return decodeURIComponent(location.hash.slice(1)).trim().toLowerCase(); }

  private forget() {
    this.seated = false;
    leaveSeat();
  }

  /** Returns to a seat that the player had, or to a room that it watched. */
  private back(watches: boolean, why: string) {
    return this.enter(watches ? 'Back to the match…' : 'Back to your seat…', {}).then((seated) => {
      if (seated) return;
      this.forget();
      if (why && !this.card.box.querySelector('#status')?.textContent) this.card.say(why, true);
    });
  }

  /** Waits until the server answers again. */
  private async answers() {
    for (; ; await wait(1000)) {
      try {
        if ((await fetch('rooms?limit=1', { signal: AbortSignal.timeout(5000) })).ok) return;
      } catch { /* not yet */ }
      this.card.wait('The server does not answer. This goes on as soon as it does.');
    }
  }

  private into(name: string) {
    void this.enter('Joining…', { room: name, watch: false });
  }

  /** Requests a seat and plays on it. Reports whether it got one. */
  private async enter(what: string, how: SeatOptions): Promise<boolean> {
    if (this.cancel || !this.loaded) return false;
    const { signal } = (this.cancel = new AbortController());
    for (const b of this.buttons) b.disabled = true;
    this.card.play.disabled = false;
    this.card.play.textContent = 'Cancel';
    this.card.say(what);
    this.show(this.rooms);
    try {
      const found = await seat({ kind: this.kind, schema: this.schema, signal, ...how });
      this.cancel = null;
      [this.seated, this.watches] = [true, found.spectate];
      this.invite.offer(found.code);
      await this.enterMatch(async () => found);
      return true;
    } catch (e) {
      this.idle('');
      if (!signal.aborted) this.card.say(e instanceof SeatError ? e.message : String(e), true);
      return false;
    }
  }

  /** Lets the player choose. */
  private idle(text: string) {
    this.cancel = null;
    for (const b of this.buttons) b.disabled = false;
    this.card.ready(text, text !== '', 'Quick match');
    this.show(this.rooms);
  }

  /** Shows the list of rooms: those with free seats first, the oldest first. */
  private show(rooms: readonly Room[]) {
    this.rooms = rooms;
    this.none.hidden = rooms.length > 0;
    for (const [id, item] of this.items) if (!rooms.some((r) => r.id === id)) {
      item.li.remove();
      this.items.delete(id);
    }
    const order = [...rooms].sort((a, b) => Number(b.free > 0) - Number(a.free > 0) || a.created.localeCompare(b.created)).map((r) => {
      const item = this.items.get(r.id) ?? this.item(r.id), open = r.state === 'open' || r.state === 'running', ours = !this.schema || this.schema === r.schema;
      write(item.name, typeof r.options.name === 'string' && r.options.name ? r.options.name : r.code);
      write(item.small, `${r.capacity - r.free} of ${r.capacity} players${r.spectators ? `, ${r.spectators} watching` : ''}`);
      write(item.button, !open ? r.state : r.free === 0 ? 'full' : ours ? 'Join' : 'other version');
      item.button.disabled = !this.loaded || this.cancel !== null || !open || r.free === 0 || !ours;
      item.button.ariaLabel = `join ${item.name.textContent}`;
      item.watch.hidden = r.max_spectators === 0;
      item.watch.disabled = !this.loaded || this.cancel !== null || r.state === 'draining' || r.spectators >= r.max_spectators || !ours;
      item.watch.ariaLabel = `watch ${item.name.textContent}`;
      return item.li;
    });
    if (order.some((li, i) => this.list.children[i] !== li)) this.list.append(...order); // the focused room keeps its focus otherwise
  }

  private item(id: string) {
    const name = make('b'), small = make('small'), button = make('button', { type: 'button', class: 'quiet' }), watch = make('button', { type: 'button', class: 'quiet' }, 'Watch');
    const li = make('li', {}, name, small, watch, button), item = { li, name, small, button, watch };
    button.onclick = () => this.into(id);
    watch.onclick = () => void this.enter('Joining as a spectator…', { room: id, watch: true });
    this.items.set(id, item);
    return item;
  }

  /** Updates the list every two seconds. */
  private async follow() {
    for (; ; await wait(2000)) {
      if (document.hidden || !this.card.open) continue;
      try {
        const r = await fetch('rooms?limit=100');
        if (r.ok) this.show((await r.json()).rooms);
      } catch { /* the next request may succeed */ }
    }
  }

  private crowd(players: number) { this.invite.tell(this.watches ? `watching, ${players} ${players === 1 ? 'player' : 'players'}` : players === 1 ? 'you alone' : `${players} players`); }
}
