// A worker, in which a player plays, and a recording is played again.
import { opening, replay, start } from '/replay.mjs';
import { play } from './play.mjs';

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

const played = await play('worker');
const recording = await bytes('/session');
const x = await start(await WebAssembly.compile(await bytes('/game.wasm')), opening(recording).now);
postMessage([played, { where: 'replay', ...replay(x, recording) }]);
