/** Plays games made with Tactus in a page, a worker or Node. Times are Unix times in milliseconds, with fractions. */

/** Bindings are the types of a game: see bind, and package systems/host/bind. */
export interface Bindings<I extends Value = Value, T extends Rows = Rows, S = unknown, K extends string = string> {
  /** The lines of the protocol. */
  readonly lines: readonly string[];
  readonly Input: new () => I;
  readonly Table: new (m: Module) => T;
  readonly Singletons: new (m: Module) => S & { set(at: number): unknown };
  /** The types that a client can send, by name. */
  readonly sent: { readonly [name in K]: { readonly what: 0 | 1 | 2; readonly which: number } };
}

/** Makes the classes of a game's types of the layout that go generate wrote, the default export of its file. */
export function bind<B>(layout: { readonly bindings?: B }): B;

/** A value with its bytes in memory layout. */
export interface Value {
  readonly bytes: Uint8Array;
}

/** Rows are the entities of one archetype. */
export interface Rows {
  /** The number of rows. */
  rows: number;
  /** Whether the client simulates these entities ahead of the server. */
  simulated: boolean;
  /** Index of the NetIDs in u32; 0 for spawns that the server has not confirmed. */
  ids: number;
  set(at: number): this;
}

/** The game's WebAssembly module. One serves up to 256 games at once. */
export class Module {
  private constructor();
  /** The memory. A call that grows it replaces the arrays: read them from here each time. */
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
  /** The exports of the module, including functions that the game's main package exports with go:wasmexport. */
  readonly exports: WebAssembly.Exports;
}

export interface LoadOptions {
  /** URL of wasm_exec.js, from the Go version that built the module. In a page or a worker it can be relative. Not needed if
   * globalThis.Go exists. */
  exec?: string | URL;
  /** Called while the module loads, with the loaded bytes and the total; 0 if the total is unknown. */
  onProgress?: (loaded: number, total: number) => void;
  /** Size of the module in bytes, for a server that sends it compressed and so does not report it. */
  size?: number;
}

/** load loads a module, once per URL. The browser caches it as the server allows. The error says what to do. */
export function load(source: string | URL | Uint8Array | WebAssembly.Module, options?: LoadOptions): Promise<Module>;

/** The addresses of a server. WebTransport is tried first, for one second if websocket is set too. */
export interface Place {
  /** Example: https://game.example:7779/. */
  webtransport?: string;
  /** Example: wss://game.example/play. */
  websocket?: string;
  /** SHA-256 hashes of self-signed certificates, for webtransport to a development server: bytes or base64. */
  hashes?: readonly (BufferSource | string)[];
}

export interface ConnectOptions<B extends Bindings = Bindings> extends LoadOptions, Place {
  module: string | URL | Uint8Array | WebAssembly.Module;
  game: B;
  /** The bytes of a recording, to play it instead of connecting: see Game.replay. The options of connections have no effect then. */
  recording?: Uint8Array;
  /** The connect token, as bytes or base64. A token serves one session: pass a function that returns tokens to let the game
   * reconnect. Without a token the game connects to a development server on this machine. */
  token?: Uint8Array | string | (() => Promise<Uint8Array | string> | Uint8Array | string);
  /** The bytes of the login request. */
  login?: Uint8Array;
  /** Host and port of the server. Default: those of the URL. */
  server?: string;
  /** The player's id on a development server, up to 2^53 - 1; 0: random. Default: that of {@link tabPlayer}. */
  player?: number;
  /** How many seconds of what the game receives are kept for last, up to 300. Each half of that time the server sends all entities in
   * sight again, except under Rollback and Lockstep. Default: 0. */
  keep?: number;
  /** Whether frames show states between ticks. Default: true. */
  smooth?: boolean;
  /** Disables prediction and interpolation, for bots: frames show the newest state. Default: false. */
  thin?: boolean;
  /** At most so many snapshots a second, for less traffic, computing and battery; others are then drawn later. A hidden page asks for 10.
   * Default (0): as many as the server sends. */
  sendRate?: number;
  /** Connects as a spectator, who has no player and whose input and sent values have no effect. The server must allow it. Default: false. */
  spectate?: boolean;
  /** Starts a new session automatically after a timeout or a restart of the server. It never does after the player was
   * replaced, removed or banned, or refused for another reason than a full, busy or stopping server. Default: true, except
   * with a token that is not a function. */
  reconnect?: boolean;
  /** Called by frame for each new row. id is 0 for a spawn that the server has not confirmed. */
  onAdd?: (id: number, table: TableOf<B>, row: number) => void;
  /** Called by frame for each row that has disappeared. */
  onRemove?: (id: number) => void;
  /** Lets development mode connect to other machines. Anyone on the network path can then play in your place. */
  insecure?: boolean;
  /** The class WebSocket, for environments without one, such as Node 20. */
  WebSocket?: new (url: string) => unknown;
  /** Called when the link opens, with 'webtransport' or 'websocket', and when it breaks, with '' and the reason. The game opens it
   * again automatically. */
  onLink?: (kind: 'webtransport' | 'websocket' | '', why: string) => void;
  /** Called when the server sends the player to a room with another protocol: load its module and bindings, connect with the
   * token, and close this game, which continues until then. The game moves to rooms with the same protocol automatically. */
  onTravel?: (ticket: Ticket) => void;
}

/** A ticket to another room. A missing address is ''. */
export interface Ticket {
  readonly kind: string;
  /** The protocol of the room: the hash of its bindings. */
  readonly schema: string;
  readonly websocket: string;
  readonly webtransport: string;
  /** The connect token as base64. It is secret: anyone with it can join as the player. */
  readonly token: string;
}

type InputOf<B> = B extends { Input: new () => infer I } ? I : never;
type TableOf<B> = B extends { Table: new (m: Module) => infer T } ? T : never;
type SingletonsOf<B> = B extends { Singletons: new (m: Module) => infer S } ? S : never;
type SentOf<T> = T extends { Value: new () => infer V } ? V : Value;

/** Figures of the connection and the prediction, in the newest frame. */
export interface Stats {
  /** The number that the server gave this client; entities name their owner with it. 0 before the client is connected. */
  readonly Client: number;
  /** The NetID of the client's first own entity in the view, or 0. */
  readonly Own: number;
  /** 1 once the whole initial state has arrived, 0 before. */
  readonly Joined: number;
  /** Ticks per second; 0 before the client is connected. */
  readonly TickRate: number;
  /** The tick that the client simulates next. */
  readonly Tick: number;
  /** The newest tick whose state has arrived. */
  readonly ServerTick: number;
  /** The tick at which the view shows interpolated entities, with a fraction. */
  readonly DrawnTick: number;
  /** The sequence number of the newest input. */
  readonly Input: number;
  /** The smoothed round trip, in milliseconds. */
  readonly RTT: number;
  /** The shortest round trip of the last ten seconds, in milliseconds. */
  readonly MinRTT: number;
  /** The mean deviation of the round trip, in milliseconds. */
  readonly Jitter: number;
  /** The share of the server's packets that did not arrive in the last ten seconds, 0 to 1. */
  readonly LossIn: number;
  /** The share of this client's packets that the server did not acknowledge in the last ten seconds, 0 to 1. */
  readonly LossOut: number;
  /** The number of inputs that waited on the server, as of the newest state. */
  readonly Buffer: number;
  /** The number of ticks by which the client is ahead of the newest state. */
  readonly Lead: number;
  /** The time in milliseconds by which interpolated entities are behind the newest state. */
  readonly Delay: number;
  /** Up, Waiting, HalfTick, Sending, Down and FrameTime are, with Delay, the parts of the time in milliseconds from the frame in which an
   * input is gathered to the frame in which another player sees it. Down, Delay and FrameTime assume that others are like this client.
   * This one is half the round trip. */
  readonly Up: number;
  /** In the server's input buffer. */
  readonly Waiting: number;
  /** Until the tick that uses the input. */
  readonly HalfTick: number;
  /** Until the next snapshot; a mean. */
  readonly Sending: number;
  /** Half the round trip. */
  readonly Down: number;
  /** The time between two frames. */
  readonly FrameTime: number;
  /** Bytes received per second, over the last second. */
  readonly ReceivedRate: number;
  /** Bytes sent per second, over the last second. */
  readonly SentRate: number;
  /** Corrections of the prediction per second, over the last second. */
  readonly CorrectionRate: number;
  /** Total bytes received. */
  readonly Received: number;
  /** Total bytes sent. */
  readonly Sent: number;
  /** Total ticks simulated, without resimulated ticks. */
  readonly Ticks: number;
  /** Ticks that were due but skipped because the machine was too slow. */
  readonly TicksDropped: number;
  /** Inputs gathered. */
  readonly Inputs: number;
  /** Inputs in all messages: an input is repeated until the server acknowledges it. */
  readonly InputsSent: number;
  /** Packets whose states were applied. */
  readonly Snapshots: number;
  /** States of the server that agreed with the prediction. */
  readonly Confirmed: number;
  /** States of the server that did not agree with the prediction. */
  readonly Corrections: number;
  /** Ticks resimulated because of corrections. */
  readonly Resimulated: number;
  /** The most ticks resimulated at once. */
  readonly LongestReplay: number;
  /** Number of times that the server was ahead of this client's inputs. */
  readonly Jumps: number;
  /** Frames without a newer state to interpolate toward. */
  readonly Stalls: number;
  /** Number of times that the view was more than a second behind and jumped. */
  readonly Snaps: number;
  /** Number of times that a baseline was missing and the client requested full states. */
  readonly Renewals: number;
  /** Inputs, changes and commands that the server did not accept. */
  readonly Refusals: number;
  /** Messages of the server that could not be read. */
  readonly Malformed: number;
  /** Rows of the view. */
  readonly Rows: number;
  /** Frames in which columns moved, or rows came or went. */
  readonly Generation: number;
  /** Milliseconds since the last packet of the server. */
  readonly Silence: number;
  /** The Reason of the lost session while the client reconnects, 0 otherwise. */
  readonly Lost: number;
  /** Number of sessions after the first. */
  readonly Reconnects: number;
  /** News items beyond the limits of host.Config. */
  readonly NewsLost: number;
}

/** connect loads the module, connects and starts to join. It rejects with a {@link GameError}, or with an error that says what to do. */
export function connect<B extends Bindings>(options: ConnectOptions<B>): Promise<Game<B>>;

/** Returns a player id for this tab, up to 2^53 - 1. The browser keeps it for the tab under the key, by default tactus-player, so the
 * player stays the same after a reload. A duplicate of the tab gets another id, if the page is secure (HTTPS, or of this machine).
 * Where the browser forbids storage, the id lasts until the page is closed. Returns 0 outside pages. */
export function tabPlayer(key?: string): Promise<number>;

/** A request for a seat: see {@link seat}. */
export interface SeatOptions {
  /** The kind of the room. Default: game. */
  kind?: string;
  /** The protocol of this page, the SchemaOf of package rooms: the server then refuses a page of another version. Default: any. */
  schema?: string;
  /** The id or the code of the room to enter; '' ignores the link and the seat of the tab. Default: the code in the hash of the page. */
  room?: string;
  /** Enters as a spectator: without a room, the one with the most players. Default: as before in that room, otherwise as a player. */
  watch?: boolean;
  /** The request without a room: join an open one or a new one, create one, or wait in the queue of matches. Default: join. */
  way?: 'join' | 'create' | 'queue';
  /** The options of a room that is joined, created or waited for. Default: none. */
  options?: Readonly<Record<string, string | number | boolean>>;
  /** Creates a room that is not listed: others need the link or the code. Default: false. */
  private?: boolean;
  /** The URL of the rooms, relative to the page. Default: rooms. */
  rooms?: string;
  /** Further headers of the requests, such as the Authorization of a login. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Parameters of the page's address that the link leaves out. Default: name and watch. */
  omit?: readonly string[];
  /** Ends the request. The promise then rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Called while the request waits in the queue, with the number of waiting players. */
  onQueued?: (players: number) => void;
}

/** A seat, or the place of a spectator. Pass it to {@link connect}. */
export interface Seat extends Place {
  /** The connect token as base64. It is secret: anyone with it can join as the player. */
  readonly token: string;
  readonly spectate: boolean;
  /** The id of the room. */
  readonly room: string;
  /** The code of the room, for players to type. */
  readonly code: string;
  /** The address of this page with the code: who opens it gets into this room. '' outside pages. */
  readonly link: string;
}

/** Requests a seat in a room of the page's server, which serves package systems/rooms/web. Without a room in the options it enters the
 * room whose code is in the hash of the page. If the tab has had a seat in that room, or there is no code, it returns to the seat of the
 * tab. Otherwise it joins an open room. The hash then has the code, and the tab keeps the seat for {@link tabPlayer} until leaveSeat.
 * A token serves one session: request a seat again for the next one. Where the server names no address for browsers, connect.json
 * beside the page does. Rejects with a {@link SeatError}. */
export function seat(options?: SeatOptions): Promise<Seat>;

/** Why there is no seat. The message is a sentence for players. */
export class SeatError extends Error {
  constructor(code: string, detail: string);
  /** The error code of the server, such as full, ended or no_room; '' if it did not answer. The OpenAPI document lists the codes. */
  readonly code: string;
  /** What the server said, for developers. */
  readonly detail: string;
}

/** Returns the seat that the tab keeps, null if there is none. watch is true for the place of a spectator. */
export function keptSeat(): Promise<{ readonly room: string; readonly code: string; readonly watch: boolean } | null>;

/** Forgets the seat of the tab, and removes the code from the address of the page. */
export function leaveSeat(): void;

/** Reports whether {@link seat} may lead back into the room after a game has ended for a reason: the connection or the server was lost. */
export function canReturn(reason: Reason): boolean;

/** The sessionStorage and localStorage of the browser. Where it forbids them, as in a sandboxed frame, the values are in memory and last
 * until the page is closed. */
export const storage: { readonly session: Kept; readonly local: Kept };

/** The methods of {@link storage}. */
export type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export class Game<B extends Bindings = Bindings> {
  private constructor();
  readonly module: Module;
  /** The player's input: set its fields for the next tick. */
  readonly input: InputOf<B>;
  /** The singletons of the world. */
  readonly one: SingletonsOf<B>;
  readonly stats: Stats;
  readonly news: News;
  /** Resolves in the first frame with the whole initial state. It rejects with a {@link GameError} if the game ends before. */
  readonly joined: Promise<void>;
  /** Resolves with the reason when the game ends, also after close. It never rejects. */
  readonly left: Promise<GameError>;
  /** The status in the newest frame. silent: no packet has arrived for 1.5 s. reconnecting: the session has ended and the game is
   * starting a new one. over: the game has ended or is closed. */
  readonly status: 'joining' | 'playing' | 'silent' | 'reconnecting' | 'over';
  /** A sentence for players about the status; '' while the status is playing. */
  readonly explanation: string;
  /** A sentence for players about a reason. */
  explain(reason: Reason): string;
  /** The reason why the game has ended; null before. */
  readonly ended: GameError | null;
  /** Increases when columns move, or rows come or go. */
  readonly generation: number;
  /** The current socket. It changes when the player moves to another room. */
  readonly socket: { readonly dropped: number; readonly redials: number };
  /** Whether the game was connected with spectate. */
  readonly spectator: boolean;
  /** The recording that the game plays; null if it plays with a server. A game with a recording has no socket; its input and what it
   * sends have no effect. */
  readonly replay: Replay | null;
  /** Returns a game that replays the last seconds of this one, such as a player's end: see keep. This game goes on. Close the other one
   * when you have drawn enough of it. Throws if nothing is kept. */
  last(): Game<B>;
  /** Gathers the input, simulates the ticks that are due and sends datagrams. Returns the number of ticks; throws when the game
   * has ended. Call it in each frame. If the previous call had no time and is more than 100 ms ago, because frames take long or
   * the page is hidden, arriving datagrams advance the game too, with the input of that call. */
  advance(now?: number): number;
  /** Updates the tables to the time now and returns them. Tables and columns are the same objects in each frame. */
  frame(now?: number): TableOf<B>[];
  /** Sends a message, an event or a command. */
  send<K extends keyof B['sent'] & string>(type: K, value: SentOf<B['sent'][K]>): void;
  /** Reports the player as away and pauses the game until rejoin. A page does so automatically when it is closed or reloaded, and
   * rejoins when it returns from the browser's cache. The server keeps the player for its ReconnectWindow. */
  leave(): void;
  /** Starts a new session after leave or after the end of a session, for example to play here instead of in another window. While
   * the game is reconnecting, it tries immediately. */
  rejoin(): void;
  /** Leaves the server and frees the game, which cannot be used afterwards. A second call does nothing. */
  close(): void;
}

/** A recording that a game plays. Times are in milliseconds since its beginning. The next frame shows changes. */
export interface Replay {
  readonly position: number;
  readonly duration: number;
  /** Whether the end is reached, or an error has ended the replay. */
  readonly ended: boolean;
  /** How fast it plays, from 0 to 64: 0 pauses. */
  rate: number;
  /** The client number of the player whose view is shown: stats.Client and stats.Own are those of this player. 0: nobody's. */
  follow: number;
  /** Goes to a position and returns it. Events and outcomes that are skipped are not in the news. */
  seek(to: number): number;
  /** The messages and events in the recording with the names of their types. at is when they arrived. The first call reads the whole
   * recording. */
  moments(): { at: number; kind: 'message' | 'event'; type: string }[];
  /** Plays up to the next frame of the recorded spectator whose hash the recording has. Returns whether the view is the same; null
   * behind the last one. */
  check(): boolean | null;
}

/** The events since the previous frame. */
export interface News {
  readonly count: number;
  /** Returns item i, always in the same object. */
  get(i: number): NewsItem;
}

export interface NewsItem {
  /** gone, came: rows of the view. left, entered: entities of the client's world, which is ahead of the view; which is the reason.
   * See host.Kind for all kinds. */
  readonly kind: 'gone' | 'came' | 'left' | 'entered' | 'loaded' | 'message' | 'event' | 'began' | 'committed' | 'cancelled' | 'refused';
  /** The entity's NetID; 0 for none. */
  readonly id: number;
  readonly tick: number;
  readonly number: number;
  readonly which: number;
  /** Address and size of the item's value in the module's memory. */
  readonly at: number;
  readonly size: number;
}

/** The reasons why a game ends. Reasons of the game itself start at Application, the server's netsys.ReasonApplication. */
export declare const Reason: {
  /** The game continues. */
  readonly Going: 0;
  /** The client closed the session. */
  readonly Left: 1;
  /** The server is shutting down. */
  readonly Closing: 2;
  /** The server removed the player. */
  readonly Kicked: 3;
  /** The player connected with another session, for example in another window. */
  readonly Replaced: 4;
  /** One side received data that violates the protocol. */
  readonly Protocol: 5;
  /** This client sent too much. */
  readonly Flood: 6;
  /** The server did not answer in time. */
  readonly TimedOut: 7;
  /** The token is for other servers. */
  readonly Elsewhere: 8;
  /** The token has expired. */
  readonly Expired: 9;
  /** The server has another protocol. */
  readonly OtherSchema: 10;
  /** The server uses another version of the wire format. */
  readonly OtherVersion: 11;
  /** All places are taken. */
  readonly Full: 12;
  /** The server is overloaded. */
  readonly Busy: 13;
  /** The server refused the login. The message contains the server's text. */
  readonly LoginRefused: 14;
  /** The server closed the session without a reason. */
  readonly Closed: 15;
  /** See the detail of the error. */
  readonly Other: 16;
  /** The client reported the player as away. */
  readonly Away: 17;
  /** The room has ended. */
  readonly RoomEnded: 64;
  /** The room has failed and ended. */
  readonly RoomFailed: 65;
  /** The player is banned from the room. */
  readonly RoomBanned: 66;
  /** The seat was given away. */
  readonly RoomUnseated: 67;
  /** Another process has recreated the room: request a seat there. */
  readonly RoomClaimed: 68;
  /** The first reason of the game itself. */
  readonly Application: 128;
};
export type Reason = number;

/** An error of the game. If reason is not 0, message is a sentence for players; otherwise message tells the programmer what to do. */
export class GameError extends Error {
  constructor(message: string, reason?: Reason, detail?: string);
  /** The reason why the game has ended; 0: it continues. */
  readonly reason: Reason;
  /** The client's error text, for logs. */
  readonly detail: string;
}
