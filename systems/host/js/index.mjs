// Plays games made with Tactus. See README.md to start and index.d.ts for reference.
export { load } from './module.mjs';
export { connect, Game, GameError, Reason, tabPlayer } from './game.mjs';
