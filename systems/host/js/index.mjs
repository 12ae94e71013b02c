// Plays games made with Tactus. See README.md to start and index.d.ts for reference.
export { bind } from './bindings.mjs';
export { load } from './module.mjs';
export { connect, Game, GameError, Reason, tabPlayer } from './game.mjs';
export { canReturn, keptSeat, leaveSeat, seat, SeatError } from './seat.mjs';
export { storage } from './storage.mjs';
