// What a page writes, checked by the compiler and never run. What must not compile is marked.
import { bind, canReturn, connect, type Game, GameError, type Module, Reason, seat, SeatError, type Ticket } from '@tactusgo/client';
import types, { Buttons, type PositionColumn } from '../../../../../examples/arena/bindings/arena.mjs';

const arena = bind(types);

declare function draw(id: number, x: number, y: number, name: string): void;
declare function upload(floats: Float32Array): void;

export async function play(canvas: { onkeydown: unknown }): Promise<Game<typeof arena>> {
  const game = await connect({ module: 'arena.wasm', exec: 'wasm_exec.js', game: arena, websocket: 'ws://127.0.0.1:7778' });
  const told = new arena.Told(game.module);
  canvas.onkeydown = () => {
    game.input.Buttons = Buttons.Fire | arena.Buttons.Left;
    game.input.Aim = 16384;
    // @ts-expect-error: no such field
    game.input.Jump = true;
    // @ts-expect-error: a number
    game.input.Aim = 'north';
    // @ts-expect-error: constants do not change
    Buttons.Fire = 3;
  };
  const ticks: number = game.advance();
  for (const t of game.frame()) {
    const p: PositionColumn | null = t.Position;
    // @ts-expect-error: the column may be absent
    t.Position.X(0);
    // @ts-expect-error: no such component
    t.Mana;
    if (!p || !t.Player) continue;
    // @ts-expect-error: no such field
    p.Z(0);
    // @ts-expect-error: of which row
    p.X();
    // @ts-expect-error: not all of it is floats
    t.Player.floats(t.rows);
    for (let r = 0; r < t.rows; r++) draw(t.id(r), p.X(r), p.Y(r), t.Named?.Name(r) ?? '');
    upload(p.floats(t.rows));
    const down: boolean | undefined = t.Fighter?.Down(0);
    if (down && t.Verdict) draw(t.Verdict.Whom(0), t.Verdict.From.X(0), t.Verdict.From.Y(0), '');
  }
  const feed = game.one.Feed;
  for (let i = 0; i < (feed?.Kills.length ?? 0); i++) draw(feed!.Kills.get(i).By, feed!.Kills.get(i).Whom, feed!.Total, '');
  // @ts-expect-error: may be absent
  game.one.Feed.Total;
  // @ts-expect-error: only read
  if (feed) feed.Total = 1;
  for (let i = 0; i < game.news.count; i++) {
    const v = told.read(game.news.get(i));
    if (v?.type === 'Said') draw(v.Client, 0, 0, `${v.Name}: ${v.Text}`);
    // @ts-expect-error: what type it is must be known first
    if (v) draw(0, 0, 0, v.Name);
  }
  const say = new arena.sent.Say.Value();
  say.Text = `at ${game.stats.RTT} ms and tick ${ticks}`;
  game.send('Say', say);
  // @ts-expect-error: not the value of that type
  game.send('Rename', say);
  // @ts-expect-error: no such type
  game.send('Shout', say);
  // @ts-expect-error: no such number
  game.stats.Ping;
  return game;
}

// A bot, which goes along to games of other protocols.
export async function bot(socket: new (url: string) => unknown, other: (t: Ticket) => Promise<unknown>): Promise<void> {
  const onTravel = (t: Ticket) => void other(t).then(() => game.close());
  const game = await connect({ module: new Uint8Array(), exec: new URL('file:///wasm_exec.js'), game: arena, websocket: 'ws://127.0.0.1:1', WebSocket: socket, thin: true, onTravel, token: async () => 'AAAA', onAdd: (id, table, row) => draw(id, table.Position?.X(row) ?? 0, 0, ''), onRemove: (id) => draw(id, 0, 0, '') });
  await game.joined;
  // @ts-expect-error: no such status
  if (game.status === 'gone') game.rejoin();
  void game.left.then(({ message, reason }) => draw(reason, 0, 0, `${message} ${game.explain(Reason.Full)}`));
  try {
    game.advance();
  } catch (e) {
    if (e instanceof GameError && e.reason === Reason.RoomClaimed) await other({ kind: 'arena', schema: arena.hash, websocket: '', webtransport: '', token: '' });
  }
  // @ts-expect-error: a ticket has a token
  await other({ kind: 'arena', schema: '', websocket: '', webtransport: '' });
  // @ts-expect-error: nobody makes a Game but connect
  new Game();
}

export const known: string = arena.hash;
export const readers = (m: Module): [unknown, unknown] => [new arena.Table(m).set(0), new arena.Singletons(m).set(0)];

export async function invite(): Promise<string> {
  try {
    const found = await seat({ kind: 'arena', watch: false, options: { map: 'hill' } });
    const game = await connect({ module: 'arena.wasm', exec: 'wasm_exec.js', game: arena, ...found });
    const { reason } = await game.left;
    return canReturn(reason) ? (await seat()).code : found.link;
  } catch (e) {
    // @ts-expect-error: no such way
    await seat({ way: 'find' });
    return e instanceof SeatError ? e.code : '';
  }
}
