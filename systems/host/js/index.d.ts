/** Plays games made with Tactus in a page, a worker or Node. Times are Unix time in milliseconds, with fractions. */

/** Bindings are what a game's `go generate` writes, by package systems/host/bind. */
export interface Bindings<I extends Value = Value, T extends Rows = Rows, S = unknown, N = unknown, K extends string = string> {
  /** The lines of the protocol that they were written for. */
  readonly lines: readonly string[];
  readonly Input: new () => I;
  readonly Table: new (m: Module) => T;
  readonly Singletons: new (m: Module) => S & { set(at: number): unknown };
  readonly Stats: new (m: Module) => N & { set(address: number): unknown };
  /** What a client may send, by name. */
  readonly sent: { readonly [name in K]: { readonly what: 0 | 1 | 2; readonly which: number } };
}

/** A value as it lies in the module's memory. */
export interface Value {
  readonly bytes: Uint8Array;
}

/** Rows are the entities of one archetype. */
export interface Rows {
  /** How many there are. */
  rows: number;
  /** Whether the client simulates them, ahead of the server. */
  simulated: boolean;
  /** Index of their NetIDs in u32; 0 for spawns that the server has not confirmed. */
  ids: number;
  set(at: number): this;
}

/** The game's WebAssembly module. One serves up to 256 games at once. */
export class Module {
  private constructor();
  /** The memory. The arrays are others after a call that let it grow: take them from here each time. */
  readonly u8: Uint8Array;
  readonly i8: Int8Array;
  readonly u16: Uint16Array;
  readonly i16: Int16Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
  readonly u64: BigUint64Array;
  readonly i64: BigInt64Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  /** The lines of the game's protocol. */
  lines(): string[];
  /** What the module exports: beside what the package calls, functions of the game's own main, by go:wasmexport. */
  readonly exports: WebAssembly.Exports;
}

export interface LoadOptions {
  /** Where wasm_exec.js is, from the Go that built the module; in a page or a worker also from where that is. Not needed where
   * globalThis.Go is there already. */
  exec?: string | URL;
  /** Called as the module comes, with bytes loaded and in all; 0 in all where that is not known. */
  onProgress?: (loaded: number, total: number) => void;
  /** Bytes of the module, where the server sends it compressed and so cannot say. */
  size?: number;
}

/** load loads a module, once for each URL; the browser caches it as the server allows. It fails with advice. */
export function load(source: string | URL | Uint8Array | WebAssembly.Module, options?: LoadOptions): Promise<Module>;

/** Where a server is. WebTransport is tried first, for a second where there is a websocket. */
export interface Place {
  /** Such as https://game.example:7779/. */
  webtransport?: string;
  /** Such as wss://game.example/play. */
  websocket?: string;
  /** SHA-256 of certificates that no authority has signed, for webtransport on a development server: bytes, or their base64. */
  hashes?: readonly (BufferSource | string)[];
}

export interface ConnectOptions<B extends Bindings = Bindings> extends LoadOptions, Place {
  module: string | URL | Uint8Array | WebAssembly.Module;
  game: B;
  /** The connect token, or its base64. A function returns one for each session, so that the game can reconnect: a token serves
   * once. Without one a development server is meant, on this machine. */
  token?: Uint8Array | string | (() => Promise<Uint8Array | string> | Uint8Array | string);
  /** What the player asks to be, by its bytes. */
  login?: Uint8Array;
  /** Host and port that stand for the server. Those of the URL, unless given. */
  server?: string;
  /** The player's id of a development server, up to 2^53 - 1; 0: any. Default: in a page, one that the browser keeps for the tab,
   * so that a player who reloads the page is the same; else any. */
  player?: number;
  /** Whether frames show moments between ticks. Default: true. */
  smooth?: boolean;
  /** Plays without looking closely, as many bots do: nothing is predicted, and frames show the newest state. Default: false. */
  thin?: boolean;
  /** Begins another session by itself when one has ended and another may succeed: nobody answered, the server was restarted. It
   * never does after the player was replaced, removed, banned or refused. Default: true, but with a token that is no function. */
  reconnect?: boolean;
  /** Called in frame for each row that is new in it. id is 0 for a spawn that the server has not confirmed. */
  onAdd?: (id: number, table: TableOf<B>, row: number) => void;
  /** Called in frame for each row that is there no more. */
  onRemove?: (id: number) => void;
  /** Lets development mode leave this machine: everybody on the way can then play for you. */
  insecure?: boolean;
  /** The class WebSocket, where there is none, as in Node 20. */
  WebSocket?: new (url: string) => unknown;
  /** Told of the link: 'webtransport', 'websocket', or '' when it is gone, and why. It is opened again by itself. */
  onLink?: (kind: 'webtransport' | 'websocket' | '', why: string) => void;
  /** Told where the server sends the player, where that is a room of another protocol: load its module and bindings, connect
   * there with the token, and close this game. It goes on until then. To rooms of its own protocol a game goes by itself. */
  onTravel?: (ticket: Ticket) => void;
}

/** The way to another room. An address is '' where there is none. */
export interface Ticket {
  readonly kind: string;
  /** Says which protocol is spoken there: the hash of its bindings. */
  readonly schema: string;
  readonly websocket: string;
  readonly webtransport: string;
  /** The connect token, as base64. Whoever has it is the player. */
  readonly token: string;
}

type InputOf<B> = B extends { Input: new () => infer I } ? I : never;
type TableOf<B> = B extends { Table: new (m: Module) => infer T } ? T : never;
type SingletonsOf<B> = B extends { Singletons: new (m: Module) => infer S } ? S : never;
type SentOf<T> = T extends { Value: new () => infer V } ? V : Value;
type StatsOf<B> = B extends { Stats: new (m: Module) => infer N } ? N : never;

/** connect loads the module, opens a link and begins to join. It fails with advice: see {@link GameError}. */
export function connect<B extends Bindings>(options: ConnectOptions<B>): Promise<Game<B>>;

export class Game<B extends Bindings = Bindings> {
  private constructor();
  readonly module: Module;
  /** What the player does: set its fields, and the next tick has it. */
  readonly input: InputOf<B>;
  /** Components that the world has once. */
  readonly one: SingletonsOf<B>;
  readonly stats: StatsOf<B>;
  readonly news: News;
  /** Resolves with the first frame in which all of the state is there with which the game begins; fails with a {@link GameError}
   * where the game is over before. */
  readonly joined: Promise<void>;
  /** Resolves when the game is over, with why: also after close. It never fails. */
  readonly left: Promise<GameError>;
  /** How it goes, as of the newest frame. silent: the server has not been heard of for 1.5 s; reconnecting: the session has ended,
   * and the game begins another one by itself. */
  readonly status: 'joining' | 'playing' | 'silent' | 'reconnecting' | 'over';
  /** A sentence for players about the status; '' while they play. */
  readonly explanation: string;
  /** A sentence for players about a reason. */
  explain(reason: Reason): string;
  /** Why it is over; null while it goes on. */
  readonly ended: GameError | null;
  /** Goes up when columns have moved. */
  readonly generation: number;
  /** The socket that it plays by: another one after a room that it was sent to. */
  readonly socket: { readonly dropped: number; readonly redials: number };
  /** Lets time pass: inputs are taken, what is due is simulated, datagrams leave. Returns how many ticks ran; throws when
   * the game is over. Call it for each frame. Where the newest call, without a time, is 100 ms ago, as frames take long or
   * nobody sees the page, datagrams that come let time pass too, with the input of that call. */
  advance(now?: number): number;
  /** Makes what is drawn at a moment. The tables, and what they give, are the same objects in each frame. */
  frame(now?: number): TableOf<B>[];
  /** Sends a message, an event or a command. */
  send<K extends keyof B['sent'] & string>(type: K, value: SentOf<B['sent'][K]>): void;
  /** Says that the player is away and may come back, and lets nothing happen until rejoin. A page does so by itself when it is closed
   * or loaded again, and rejoins when it comes back from the browser's cache. The server waits as its ReconnectWindow says. */
  leave(): void;
  /** Begins another session after leave, or after one has ended for good, as when the player wants to play here and not in another window;
   * while it is reconnecting, tries now and not after a pause. */
  rejoin(): void;
  /** Says goodbye. Twice is harmless; nothing else can be done with the game afterwards. */
  close(): void;
}

/** What happened since the frame before. */
export interface News {
  readonly count: number;
  /** The i-th; one object, again and again. */
  get(i: number): NewsItem;
}

export interface NewsItem {
  /** gone, came: rows of the view; left, entered: the world, which is ahead of it; which is why. */
  readonly kind: 'gone' | 'came' | 'left' | 'entered' | 'loaded' | 'message' | 'event' | 'began' | 'committed' | 'cancelled' | 'refused';
  /** The entity's NetID, 0 for none. */
  readonly id: number;
  readonly tick: number;
  readonly number: number;
  readonly which: number;
  /** Where its value lies in the module's memory, and how long it is. */
  readonly at: number;
  readonly size: number;
}

/** Why a game is over, as numbers. The game's own begin at Application: the server's netsys.ReasonApplication and above. */
export declare const Reason: {
  /** It goes on. */
  readonly Going: 0;
  /** This end left. */
  readonly Left: 1;
  /** The server stops. */
  readonly Closing: 2;
  /** The server removed the player. */
  readonly Kicked: 3;
  /** The player came with another session, as in another window. */
  readonly Replaced: 4;
  /** One end sent what an honest one cannot. */
  readonly Protocol: 5;
  /** This client sent too much. */
  readonly Flood: 6;
  /** Nobody answered. */
  readonly TimedOut: 7;
  /** The token is for other servers. */
  readonly Elsewhere: 8;
  /** The token has expired. */
  readonly Expired: 9;
  /** The server has another protocol. */
  readonly OtherSchema: 10;
  /** The server speaks another version of the wire format. */
  readonly OtherVersion: 11;
  /** All places are taken. */
  readonly Full: 12;
  /** The server has no time. */
  readonly Busy: 13;
  /** The server refused the login. The message has its words. */
  readonly LoginRefused: 14;
  /** The server closed the session and said nothing more. */
  readonly Closed: 15;
  /** See the detail of the error. */
  readonly Other: 16;
  /** This end was away. */
  readonly Away: 17;
  /** The room has ended. */
  readonly RoomEnded: 64;
  /** The room has failed and ended. */
  readonly RoomFailed: 65;
  /** The player is banned from the room. */
  readonly RoomBanned: 66;
  /** The seat was given away. */
  readonly RoomUnseated: 67;
  /** Another process has made the room anew: ask for a seat there. */
  readonly RoomClaimed: 68;
  /** The player has gone on in another room. */
  readonly RoomTravelled: 69;
  /** The first of the game's own. */
  readonly Application: 128;
};
export type Reason = number;

/** A reason of the game or its server. Its message is a sentence for players where reason is not 0; else it says what to do. */
export class GameError extends Error {
  constructor(message: string, reason?: Reason, detail?: string);
  /** Why the game is over; 0: it goes on. */
  readonly reason: Reason;
  /** The error as the client has it, for logs. */
  readonly detail: string;
}
