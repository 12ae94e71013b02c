// Seats in rooms: the requests of systems/rooms/web, with the code in the link of the page and the seat that the tab keeps.
import { Reason, tabPlayer } from './game.mjs';
import { storage } from './storage.mjs';

const KEY = 'tactus-seat'; // of the seat in the storage of the tab
const SILENT = 'The server is not responding. Check your network, and try again.';
// Texts for players, by the error codes of the server.
const WORDS = {
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
const TOLD = ['forbidden', 'unauthenticated']; // the server's own text is for the player
const AGAIN = [Reason.Going, Reason.Closing, Reason.TimedOut, Reason.Expired, Reason.RoomClaimed];

export class SeatError extends Error {
  constructor(code, detail) {
    super((TOLD.includes(code) && detail) || WORDS[code] || (code ? 'The server cannot give you a seat now. Try again later.' : SILENT));
    Object.assign(this, { name: 'SeatError', code, detail });
  }
}

export const canReturn = (reason) => AGAIN.includes(reason);

const linked = () => (globalThis.location?.hash.slice(1) ?? '').trim().toLowerCase();
const show = (hash) => globalThis.history?.replaceState(history.state, '', location.pathname + location.search + hash);

export async function keptSeat() {
  try {
    const { player, ...kept } = JSON.parse(storage.session.getItem(KEY) ?? '{}');
    return kept.room && player === await tabPlayer() ? kept : null; // a duplicate of a tab has the seat of the other one
  } catch {
    return null; // something else has the key
  }
}

export function leaveSeat() {
  storage.session.removeItem(KEY);
  show('');
}

// request asks the server. It throws a SeatError if the server refuses or does not answer.
async function request(url, signal, init) {
  try {
    const r = await fetch(url, { signal, ...init }), answer = await r.json();
    if (r.ok) return { answer, waits: r.status === 202 };
    throw new SeatError(answer.code || 'failed', answer.message ?? '');
  } catch (e) {
    signal?.throwIfAborted();
    throw e instanceof SeatError ? e : new SeatError('', String(e));
  }
}

export async function seat({ kind = 'game', schema, room, watch, way = 'join', options, private: hidden = false, rooms = 'rooms', headers, omit = ['name', 'watch'], signal, onQueued } = {}) {
  const player = await tabPlayer();
  const post = async (path, body) => {
    const { answer, waits } = await request(`${rooms}/${path}`, signal, {
      method: 'POST', headers: { 'Content-Type': 'application/json', ...(player ? { Player: String(player) } : {}), ...headers }, body: JSON.stringify({ ...body, ...(schema ? { schema } : {}) }),
    });
    if (!waits) return answer;
    onQueued?.(answer.queued);
    return post(path, body);
  };
  const enter = (name, how) => post(`${encodeURIComponent(name)}/${how}`, {});
  // back returns to a seat of the tab, and takes another one in that room if the server has given it away.
  const back = ({ room, watch }) => (watch ? enter(room, 'spectate') : enter(room, 'reconnect').catch((e) => {
    if (e.code !== 'no_seat') throw e;
    return enter(room, 'join');
  }));
  // crowded returns the id of the room with the most players that has a place for a spectator.
  const crowded = async () => {
    const { answer } = await request(`${rooms}?${new URLSearchParams({ kind, limit: 100 })}`, signal, { headers });
    const open = answer.rooms.filter((r) => ['open', 'running'].includes(r.state) && r.spectators < r.max_spectators);
    if (!open.length) throw new SeatError('no_room', 'no listed room can be watched');
    return open.reduce((a, b) => (b.capacity - b.free > a.capacity - a.free ? b : a)).id;
  };

  const name = room ?? linked(), kept = room === undefined ? await keptSeat() : null;
  const got = await (kept && (!name || name === kept.code) && (watch ?? kept.watch) === kept.watch ? back(kept)
    : name || watch ? enter(name || await crowded(), watch ? 'spectate' : 'join')
    : post(way, { kind, ...(options ? { options } : {}), ...(way === 'create' ? { private: hidden } : {}) }));
  const { ws, webtransport } = got.endpoints;
  const place = ws ? {} : (await request('connect.json', signal, { cache: 'no-store' })).answer;
  signal?.throwIfAborted();
  storage.session.setItem(KEY, JSON.stringify({ room: got.room, code: got.code, watch: got.spectator, player }));
  show(`#${got.code}`);
  return { ...place, ...(ws && { websocket: ws }), ...(webtransport && { webtransport }), token: got.token, spectate: got.spectator, room: got.room, code: got.code, link: link(omit) };
}

// link returns the address of the page without some of its parameters.
function link(omit) {
  if (!globalThis.location) return '';
  const url = new URL(location.href);
  for (const name of omit) url.searchParams.delete(name);
  return url.href;
}
