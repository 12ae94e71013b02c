// Plays games made with Tactus: index.d.ts says what everything is, and README.md how to begin.
export { load } from './module.mjs';
export { connect, Game, GameError, Reason } from './game.mjs';
