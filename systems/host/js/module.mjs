// Loads the WebAssembly module of a game and gives access to its memory.

const ABI = 4; // version of the exports: see package wasm
const VIEWS = { u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array, u64: BigUint64Array, i64: BigInt64Array, f32: Float32Array, f64: Float64Array };
const loading = new Map(); // modules by URL, for several games to share

export function load(source, { exec, onProgress, size = 0 } = {}) {
  const key = source instanceof URL ? source.href : source;
  if (!loading.has(key)) {
    loading.set(key, make(source, exec, onProgress, size));
    loading.get(key).catch(() => loading.delete(key)); // the next call tries again
  }
  return loading.get(key);
}

async function make(source, exec, onProgress, size) {
  const compiling = Promise.resolve(source instanceof WebAssembly.Module ? source : ArrayBuffer.isView(source) ? WebAssembly.compile(source) : download(source, onProgress, size));
  compiling.catch(() => {}); // prevents an unhandled rejection while the Go runtime arrives
  if (exec) await import(/* @vite-ignore */ String(new URL(exec, globalThis.location?.href)));
  if (!globalThis.Go) throw new Error('the Go runtime is missing: pass the URL of wasm_exec.js as exec, from the Go version that built the module');
  const go = new globalThis.Go();
  const instance = await WebAssembly.instantiate(await compiling, go.importObject);
  go.run(instance); // returns at its first wait; main never ends
  const abi = instance.exports.tactus_abi?.();
  if (abi !== ABI) throw new Error(`the module has interface ${abi}, this package needs ${ABI}: use the same version of Tactus for both`);
  return new Module(instance.exports);
}

// download compiles the module while it arrives. The browser caches it as the server allows.
async function download(url, onProgress, size) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  if (!onProgress) return WebAssembly.compileStreaming(answer);
  // Content-Length is the compressed size.
  const total = size || (answer.headers.get('Content-Encoding') ? 0 : Number(answer.headers.get('Content-Length')));
  count(answer.clone().body, (loaded) => onProgress(loaded, total)).catch(() => {}); // compileStreaming reports it
  // A response that is made here would lose the browser's cache of compiled modules.
  return WebAssembly.compileStreaming(answer);
}

// count reports the number of bytes of a stream that have arrived.
async function count(stream, report) {
  let loaded = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return;
    report((loaded += value.byteLength));
  }
}

export class Module {
  constructor(exports) {
    Object.assign(this, { x: exports, decoder: new TextDecoder(), encoder: new TextEncoder() });
    this.refresh();
    // A function of the game may grow the memory, even between two rows of a frame. Rows need views of the new memory then.
    const refreshing = (f) => (...args) => {
      const answer = f(...args);
      this.refresh();
      return answer;
    };
    this.exports = Object.fromEntries(Object.entries(exports).map(([name, e]) => [name, typeof e === 'function' ? refreshing(e) : e]));
  }

  refresh() {
    const { buffer } = this.x.mem;
    if (this.u8?.buffer !== buffer) for (const name in VIEWS) this[name] = new VIEWS[name](buffer);
    return this;
  }

  // put writes bytes to the buffer of the module, without garbage.
  put(bytes) {
    const n = bytes.byteLength, at = this.x.tactus_room(n);
    if (!at) throw new RangeError(`${n} bytes are too many: a module accepts up to 64 MiB per call`);
    this.refresh().u8.set(bytes, at);
    return n;
  }

  text(n = this.x.tactus_text()) {
    const at = this.x.tactus_room(0);
    return this.decoder.decode(this.refresh().u8.subarray(at, at + n));
  }

  lines() { return this.text(this.x.tactus_lines()).split('\n'); }
}
