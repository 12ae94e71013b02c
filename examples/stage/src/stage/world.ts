// What the stage knows of a world.
import type { Bindings, Game } from '@tactusgo/client';
import type { Explained } from './card';
import type { Beaten } from './killcam';

/** Something that happened in a recorded match: the client by did what, to whom. */
export interface Happening { readonly by: number; readonly what: string; readonly whom?: number }

/** A world: its texts, its controls, and how it draws a match. */
export interface World<B extends Bindings> {
  /** The name of its folder in examples. */
  readonly name: string;
  /** The title and a sentence that says what to do. */
  readonly title: string;
  readonly goal: string;
  /** What players without names are called, before their number. Default: Player. */
  readonly player?: string;
  readonly bindings: B;
  /** Returns the login request, as bytes. Default: none. */
  login?(): Uint8Array;
  readonly layout: Explained;
  /** Switches of the network panel, on at first: what they say, and the export of the module that takes 1 or 0. */
  readonly switches?: readonly { readonly name: string; readonly call: string }[];
  /** How many seconds are kept for Scene.beaten. Default: 0. */
  readonly keep?: number;
  /** Prepares drawing: compiles shaders, with some of everything in sight. */
  warm(): Promise<unknown>;
  /** Returns a function that reads each frame of a recording and returns what has happened since the frame before. */
  happenings?(game: Game<B>): (tables: ReturnType<Game<B>['frame']>) => Happening[];
  /** Starts to show a match. */
  begin(game: Game<B>): Scene<B>;
}

/** One match, as a page shows it. */
export interface Scene<B extends Bindings> {
  /** Sets the input, before the game advances. */
  steer(): void;
  /** Shows the rows of the newest frame, some seconds after the frame before. */
  draw(tables: ReturnType<Game<B>['frame']>, seconds: number): void;
  /** Returns who beat the player, once, for a replay of the last seconds. It draws the scene that begin returns for it. */
  beaten?(): Beaten | null;
  /** Sends a line of chat, in worlds that have a chat. */
  say?(line: string): void;
  /** Removes what the match put on the stage. */
  end(): void;
}

/** Returns a function that reports whether a player's number is greater than in the call before. */
export function growth() {
  const before = new Map<number, number>(); // by client
  return (client: number, n: number): boolean => {
    const was = before.get(client);
    before.set(client, n);
    return was !== undefined && n > was;
  };
}
