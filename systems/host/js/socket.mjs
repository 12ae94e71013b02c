// The socket of a game: WebTransport where it passes, else WebSocket; connected again when it breaks.

const PATIENCE = 1000; // ms for WebTransport before WebSocket is tried
const ATTEMPT = 5000; // ms for one attempt
const FULL = 8 << 10; // bytes that a browser may hold before datagrams are dropped
const LONGEST = 1500;

export const bytesOf = (given) => (typeof given === 'string' ? Uint8Array.from(atob(given), (c) => c.charCodeAt(0)) : given); // or their base64
const aborted = (signal, url, stop) => new Promise((_, bad) => signal.addEventListener('abort', () => { stop(); bad(new Error(`${url}: no answer`)); }, { once: true }));

const transports = {
  async websocket(url, { WebSocket = globalThis.WebSocket, message, ended, signal }) {
    if (!WebSocket) throw new Error('there is no WebSocket here: pass one as WebSocket, such as that of the package ws');
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
    const views = []; // by size: what is sent lies in the same place again and again, so that sending makes no garbage
    const send = (u8, from, to, v = views[to - from]) =>
      s.send(v?.byteOffset === from && v.buffer === u8.buffer ? v : (views[to - from] = u8.subarray(from, to)));
    return { send, held: () => s.bufferedAmount, close: () => s.close() };
  },

  async webtransport(url, { hashes, message, ended, signal }) {
    if (!globalThis.WebTransport) throw new Error('there is no WebTransport here');
    const certificates = hashes?.map((h) => ({ algorithm: 'sha-256', value: bytesOf(h) }));
    const s = new WebTransport(url, { congestionControl: 'low-latency', ...(certificates && { serverCertificateHashes: certificates }) });
    s.closed.then(() => ended('closed by the server'), (e) => ended(String(e)));
    await Promise.race([s.ready, aborted(signal, url, () => s.close())]);
    const reader = s.datagrams.readable.getReader();
    const writer = (s.datagrams.createWritable?.() ?? s.datagrams.writable).getWriter();
    const read = async () => {
      for (let r; !(r = await reader.read()).done; ) if (r.value.byteLength <= LONGEST) message(r.value);
    };
    read().catch(() => {}); // closed tells why
    let held = 0;
    const send = (u8, from, to) => {
      const sent = () => { held -= to - from; };
      held += to - from;
      writer.write(u8.slice(from, to)).then(sent, sent); // it is kept for a while
    };
    return { send, held: () => held, close: () => s.close() };
  },
};

export class Socket {
  constructor(place, options) { Object.assign(this, { place, options, link: null, dropped: 0, redials: 0, closes: 0, fell: false }); }

  // open makes a link, and keeps making one after that; it fails where the first attempt does.
  async open() {
    const ways = [], { closes } = this;
    if (this.place.webtransport && !this.fell) ways.push(['webtransport', this.place.websocket ? PATIENCE : ATTEMPT]);
    if (this.place.websocket) ways.push(['websocket', ATTEMPT]);
    let why = new Error('no way to the server: give webtransport or websocket');
    for (const [kind, patience] of ways) {
      let link, over = '';
      const ended = (reason) => {
        over = reason;
        if (link && this.link === link) this.lost(reason);
      };
      const attempt = new AbortController(), timer = setTimeout(() => attempt.abort(), patience);
      try {
        link = await transports[kind](this.place[kind], { ...this.options, hashes: this.place.hashes, ended, signal: attempt.signal });
        if (over) throw new Error(over);
      } catch (e) {
        why = e;
        continue;
      } finally {
        clearTimeout(timer); // a link that is open has no patience to lose
      }
      if (this.closes !== closes) return link.close(); // what was opened again since then has its own
      this.fell = kind === 'websocket';
      this.link = link;
      return this.options.change?.(kind, '');
    }
    throw why;
  }

  lost(reason) {
    this.link = null;
    this.options.change?.('', reason);
    return this.redial();
  }

  // redial opens the link, after longer and longer pauses, part of which is left to chance. It ends with close and reopen, which has its own.
  async redial() {
    const { closes } = this;
    for (let wait = 250; this.closes === closes && !this.link; wait = Math.min(2 * wait, 5000)) {
      this.redials++;
      await this.open().catch(() => new Promise((go) => setTimeout(go, wait * (0.5 + Math.random() / 2))));
    }
  }

  // send sends bytes of an array, or drops them where there is no link, or a full one: old news is none.
  send(u8, from, to) {
    if (!this.link || this.link.held() > FULL) this.dropped++;
    else this.link.send(u8, from, to);
  }

  // reopen dials after close, or at once where it waits to dial again.
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
