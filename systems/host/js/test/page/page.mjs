// Plays in the page, then in a worker, which replays a recording, too. What comes of it is posted.
import { play, tell } from './play.mjs';

const worker = () => new Promise((ok, bad) => {
  const w = new Worker('worker.mjs', { type: 'module' });
  w.onmessage = ({ data }) => ok(data);
  w.onerror = (e) => bad(new Error(`the worker: ${e.message}`));
});

const got = [];
tell(async () => {
  got.push(await play('page'));
  got.push(...(await worker()));
  return got;
});
