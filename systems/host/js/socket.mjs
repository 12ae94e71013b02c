// The socket of a game: WebTransport if it connects, otherwise WebSocket. A broken socket is opened again.

const PATIENCE = 1000; // ms until WebSocket is tried instead of WebTransport
const ATTEMPT = 5000; // ms until an attempt fails
const FULL = 8 << 10; // bytes waiting in the browser above which datagrams are dropped
const LONGEST = 1500;
const FIRST = 250; // ms of the first pause before the socket is opened again
const REFUSED = 1000; // ms of the shortest pause after an attempt that failed: a browser does not show the Retry-After of a busy server
const ofSession = (u8) => (u8[0] & 15) === 4 || (u8[0] & 15) === 5; // a keep-alive or a payload of netcode: a server sends them within a session only

export const bytesOf = (given) => (typeof given === 'string' ? Uint8Array.from(atob(given), (c) => c.charCodeAt(0)) : given); // converts base64
const aborted = (signal, url, stop) => new Promise((_, bad) => signal.addEventListener('abort', () => { stop(); bad(new Error(`${url}: no answer`)); }, { once: true }));

const transports = {
  async websocket(url, { WebSocket = globalThis.WebSocket, message, ended, signal }) {
    if (!WebSocket) throw new Error('this environment has no WebSocket: pass a class as WebSocket, such as that of the package ws');
    const s = new WebSocket(url);
    s.binaryType = 'arraybuffer';
    const opened = new Promise((ok, bad) => {
      s.onopen = ok;
      s.onerror = s.onclose = () => bad(new Error(`${url}: no connection`));
    });
    await Promise.race([opened, aborted(signal, url, () => s.close())]);
    s.onmessage = ({ data }) => (data instanceof ArrayBuffer && data.byteLength <= LONGEST ? message(new Uint8Array(data)) : s.close());
    s.onerror = () => {};
    s.onclose = (e) => ended(`closed with code ${e.code} ${e.reason ?? ''}`);
    const views = []; // by size: datagrams are usually at the same address, so sending reuses the view and creates no garbage
    const send = (u8, from, to, v = views[to - from]) =>
      s.send(v?.byteOffset === from && v.buffer === u8.buffer ? v : (views[to - from] = u8.subarray(from, to)));
    return { send, held: () => s.bufferedAmount, close: () => s.close() };
  },

  async webtransport(url, { hashes, message, ended, signal }) {
    if (!globalThis.WebTransport) throw new Error('this environment has no WebTransport');
    const certificates = hashes?.map((h) => ({ algorithm: 'sha-256', value: bytesOf(h) }));
    const s = new WebTransport(url, { congestionControl: 'low-latency', ...(certificates && { serverCertificateHashes: certificates }) });
    s.closed.then(() => ended('closed by the server'), (e) => ended(String(e)));
    await Promise.race([s.ready, aborted(signal, url, () => s.close())]);
    const reader = s.datagrams.readable.getReader();
    const writer = (s.datagrams.createWritable?.() ?? s.datagrams.writable).getWriter();
    const read = async () => {
      for (let r; !(r = await reader.read()).done; ) if (r.value.byteLength <= LONGEST) message(r.value);
    };
    read().catch(() => {}); // s.closed reports the reason
    let held = 0;
    const send = (u8, from, to) => {
      const sent = () => { held -= to - from; };
      held += to - from;
      writer.write(u8.slice(from, to)).then(sent, sent); // the browser keeps the array for a while
    };
    return { send, held: () => held, close: () => s.close() };
  },
};

export class Socket {
  constructor(place, options) { Object.assign(this, { place, options, link: null, dropped: 0, redials: 0, closes: 0, fell: false, wait: FIRST }); }

  // open connects, and reconnects when the link breaks. It rejects if the first attempt fails.
  async open() {
    const ways = [], { closes } = this;
    if (this.place.webtransport && !this.fell) ways.push(['webtransport', this.place.websocket ? PATIENCE : ATTEMPT]);
    if (this.place.websocket) ways.push(['websocket', ATTEMPT]);
    let why = new Error('there is no address of the server: pass webtransport or websocket');
    for (const [kind, patience] of ways) {
      let link, over = '';
      const ended = (reason) => {
        over = reason;
        if (link && this.link === link) this.lost(reason);
      };
      const message = (u8) => {
        if (ofSession(u8)) this.wait = FIRST;
        this.options.message(u8);
      };
      const attempt = new AbortController(), timer = setTimeout(() => attempt.abort(), patience);
      try {
        link = await transports[kind](this.place[kind], { ...this.options, message, hashes: this.place.hashes, ended, signal: attempt.signal });
        if (over) throw new Error(over);
      } catch (e) {
        why = e;
        continue;
      } finally {
        clearTimeout(timer); // the timeout covers the attempt only
      }
      if (this.closes !== closes) return link.close(); // closed or reopened in the meantime
      this.fell = kind === 'websocket';
      this.link = link;
      return this.options.change?.(kind, '');
    }
    throw why;
  }

  lost(reason) {
    this.link = null;
    this.options.change?.('', reason);
    return this.redial(true);
  }

  // redial connects with exponential backoff and jitter, first after a pause if pause is true. Only a session makes the pauses short
  // again, because a busy server may accept sockets and drop them. close and reopen end it; reopen starts a new one.
  async redial(pause) {
    const { closes } = this;
    for (let least = 0; this.closes === closes && !this.link; pause = true) {
      if (pause) {
        const { wait } = this;
        this.wait = Math.min(2 * wait, 5000);
        await new Promise((go) => setTimeout(go, Math.max(wait * (0.5 + Math.random() / 2), least * (1 + Math.random() / 2))));
        if (this.closes !== closes) return;
      }
      this.redials++;
      await this.open().catch(() => { least = REFUSED; });
    }
  }

  // send sends bytes of an array. It drops them without a link or if the link is full, because stale datagrams are useless.
  send(u8, from, to) {
    if (!this.link || this.link.held() > FULL) this.dropped++;
    else this.link.send(u8, from, to);
  }

  // reopen connects after close, or immediately if a redial is waiting.
  reopen() {
    if (this.link) return;
    this.closes++;
    void this.redial();
  }

  close() {
    const { link } = this;
    Object.assign(this, { closes: this.closes + 1, link: null });
    link?.close();
  }
}
