// The lobby: it lists rooms, creates them, and requests seats. /rooms/openapi.json describes its requests.
import { Reason, tabPlayer } from '@tactusgo/client';
import type { Card } from './card';
import { keepInTab as keep, keptInTab as kept, make, onSubmit, write } from './dom';
import type { Invite } from './invite';
import { leave, type Door, type Rooms, type Seat } from './play';

/** A room, as the server lists it. */
interface Room { readonly id: string; readonly state: string; readonly free: number; readonly capacity: number; readonly spectators: number; readonly max_spectators: number; readonly code: string; readonly created: string; readonly schema: string; readonly options: { readonly name?: unknown } }

/** A seat or a place of a spectator, as the server gives it; queued is the number of waiting players while there is none. */
interface Answer { readonly room: string; readonly code: string; readonly token: string; readonly spectator: boolean; readonly endpoints: { readonly ws: string }; readonly waits: boolean; readonly queued: number }

/** What the tab keeps of a seat, or of a room that the player watches. */
interface Kept { readonly room: string; readonly code: string; readonly watches: boolean }

/** A refusal of the server. */
class Refusal extends Error {
  constructor(message: string, readonly code: string) { super(message); }
}

/** Texts for players, by the error codes of the server. */
const WORDS: Readonly<Record<string, string>> = {
  full: 'That room is full. Join another one, or create one.',
  no_room: 'There is no such room, or it has ended.',
  ended: 'That room has ended.',
  no_seat: 'Your seat in that room is no longer yours. Join it again, or another one.',
  seated: 'You have a seat in that room. Join it instead.',
  spectators: 'That room has no place for another spectator. Try again later, or watch another one.',
  no_spectators: 'That room cannot be watched.',
  locked: 'That room is not accepting new players. Join another room.',
  banned: 'You are banned from that room. Join another one.',
  draining: 'That room is about to end, or the server is. Join another one, or try again.',
  busy: 'There is no place for another room now. Join one that is open, or try again.',
  limited: 'You ask too often. Wait a little.',
  outdated: 'There is a newer version of the game. Reload the page.',
  superseded: 'You look for a match in another tab.',
  unavailable: 'The servers cannot reach each other now. Try again in a moment.',
};
// Reasons after which the seat is requested again, with a new token. 0 is no answer.
const AGAIN: readonly number[] = [0, Reason.Closing, Reason.TimedOut, Reason.Expired, Reason.RoomClaimed];
const wait = (ms: number) => new Promise((go) => setTimeout(go, ms));

/** Returns the lobby as the way into the matches of a server. */
export function lobby(rooms: Rooms, invite: Invite): Door { return new Lobby(rooms, invite); }

class Lobby implements Door {
  private card!: Card;
  private enterMatch!: (seat: () => Promise<Seat>) => Promise<void>;
  private readonly before = kept('player');
  private readonly player = tabPlayer('player').then((id) => {
    if (this.before !== null && Number(this.before) !== id) keep('seat', null); // it belongs to the tab that this one is a copy of
    return id;
  });
  private readonly kind: string;
  private readonly schema: string;
  private loaded = false;
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
      else void this.enter('Looking for a match…', (signal) => this.quick(signal));
    };
    onSubmit(create, () => {
      const name = this.room.value.trim();
      void this.enter('Creating a room…', (signal) => this.ask('rooms/create', { kind: this.kind, options: name ? { name } : {}, private: this.hidden.checked }, signal));
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
    addEventListener('pageshow', (e) => { if (e.persisted && kept('seat')) location.reload(); });
    document.addEventListener('players', (e) => this.crowd((e as CustomEvent<number>).detail));
    this.code.value = this.linked;
    void this.follow();
  }

  ready() {
    void this.player.then(() => {
      this.loaded = true;
      this.idle('');
      const seat = kept<Kept>('seat');
      if (seat && (!this.linked || this.linked === seat.code)) void this.back(seat, '');
      else if (this.linked) {
        keep('seat', null);
        this.into(this.linked);
      } else if (new URLSearchParams(location.search).get('name')) this.card.onPlay();
    });
  }

  over(text: string, reason: number) {
    const seat = kept<Kept>('seat');
    this.invite.end();
    this.idle(text);
    if (seat && AGAIN.includes(reason)) return void this.answers().then(() => this.back(seat, text));
    this.forget();
    if (reason === 1) this.card.say('');
  }

  private get linked() { return decodeURIComponent(location.hash.slice(1)).trim().toLowerCase(); }

  private forget() {
    keep('seat', null);
    history.replaceState(null, '', location.pathname + location.search);
  }

  /** Returns to a seat that the player had, or to a room that it watched. */
  private back({ room, watches }: Kept, why: string) {
    return this.enter(watches ? 'Back to the match…' : 'Back to your seat…', (signal) => this.ask(`rooms/${room}/${watches ? 'spectate' : 'reconnect'}`, {}, signal)).then((seated) => {
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

  /** Requests a seat. Throws a Refusal if the server refuses. */
  private async ask(path: string, body: object, signal: AbortSignal): Promise<Answer> {
    const r = await fetch(path, { method: 'POST', signal, headers: { 'Content-Type': 'application/json', Player: String(await this.player) }, body: JSON.stringify(this.schema ? { ...body, schema: this.schema } : body) });
    const answer = await r.json();
    if (!r.ok) throw new Refusal(answer.message ?? '', answer.code ?? '');
    return { ...answer, waits: r.status === 202 };
  }

  /** Requests a match until the queue has one. */
  private async quick(signal: AbortSignal): Promise<Answer> {
    for (;;) {
      const answer = await this.ask('rooms/queue', { kind: this.kind }, signal);
      if (!answer.waits) return answer;
      this.card.say(answer.queued > 1 ? `Waiting with ${answer.queued - 1} more…` : 'Waiting for others…');
    }
  }

  private into(name: string) {
    void this.enter('Joining…', (signal) => this.ask(`rooms/${encodeURIComponent(name)}/join`, {}, signal));
  }

  /** Requests a seat and plays on it. Reports whether it got one. */
  private async enter(what: string, get: (signal: AbortSignal) => Promise<Answer>): Promise<boolean> {
    if (this.cancel || !this.loaded) return false;
    const { signal } = (this.cancel = new AbortController());
    for (const b of this.buttons) b.disabled = true;
    this.card.play.disabled = false;
    this.card.play.textContent = 'Cancel';
    this.card.say(what);
    this.show(this.rooms);
    let seat: Answer;
    try {
      seat = await get(signal);
      signal.throwIfAborted();
    } catch (e) {
      this.idle('');
      if (!signal.aborted) this.refuse(e);
      return false;
    }
    this.cancel = null;
    keep('seat', { room: seat.room, code: seat.code, watches: seat.spectator } satisfies Kept);
    this.watches = seat.spectator;
    history.replaceState(null, '', `${location.pathname}${location.search}#${seat.code}`);
    this.invite.offer(seat.code);
    await this.enterMatch(async () => ({ websocket: seat.endpoints.ws || (await (await fetch('connect.json', { cache: 'no-store' })).json()).websocket, token: seat.token, spectate: seat.spectator }));
    return true;
  }

  /** Lets the player choose. */
  private idle(text: string) {
    this.cancel = null;
    for (const b of this.buttons) b.disabled = false;
    this.card.ready(text, text !== '', 'Quick match');
    this.show(this.rooms);
  }

  /** Says why there is no seat. */
  private refuse(e: unknown) {
    const code = e instanceof Refusal ? e.code : '', told = WORDS[code] ?? (code === 'forbidden' && e instanceof Refusal ? e.message : '');
    this.card.say(told || (code ? 'The server cannot give you a seat now. Try again later.' : 'The server is not responding. Check your network, and try again.'), true);
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
    watch.onclick = () => void this.enter('Joining as a spectator…', (signal) => this.ask(`rooms/${id}/spectate`, {}, signal));
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
