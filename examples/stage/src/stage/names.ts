// The names of players, which a world has if its players can be renamed.
import type { Bindings, Game } from '@tactusgo/client';

/** A table of a frame. Players may have names. */
interface Table { readonly rows: number; readonly Owner?: { Client(r: number): number } | null; readonly Named?: { Name(r: number): string } | null }

/** What a client sends of the types in package names. */
interface Sent { readonly Rename?: { readonly Value: new () => { Name: string } } }

const chosen = new Map<number, string>(); // by client
let players = 'Player';

/** Returns the name of a client: the chosen one, or what players without names are called, with a number. */
export const called = (client: number) => chosen.get(client) || `${players} ${client}`;

/** Forgets all names. other is what players without names are called. */
export function forgetNames(other = 'Player') {
  chosen.clear();
  players = other;
}

/** Reads the names in a frame. Players out of sight keep theirs. */
export function readNames(tables: readonly Table[]) {
  for (const { rows, Owner, Named } of tables) for (let r = 0; Owner && Named && r < rows; r++) chosen.set(Owner.Client(r), Named.Name(r));
}

/** Reports whether the players of a world can choose names. */
export const hasNames = ({ sent }: Bindings) => 'Rename' in sent;

/** Returns a function that sends the player's name once in each session. Call it in each frame. */
export function introduce<B extends Bindings>(game: Game<B>, bindings: B, name: string): () => void {
  const { Rename } = bindings.sent as unknown as Sent, to = game as unknown as { send(type: string, value: unknown): void };
  let sent = -1; // the session, by its number of reconnects
  return () => {
    const { Own, Reconnects } = game.stats;
    if (!Rename || !name || !Own || sent === Reconnects || game.replay) return;
    sent = Reconnects;
    const rename = new Rename.Value();
    rename.Name = name;
    to.send('Rename', rename);
  };
}
