"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const card = at("card"), bar = at("bar"), fill = bar.firstElementChild, status = at("status"), play = at("play"), name = at("name");
  const query = new URLSearchParams(location.search);
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const say = (text, share) => { status.textContent = text; if (share !== undefined) fill.style.width = 100 * share + "%"; };
  class Advice extends Error { } // its message is for players
  const fail = (e) => {
    console.error(e);
    card.hidden = false;
    card.classList.remove("gone");
    status.className = "bad";
    say(e instanceof Advice ? e.message : "The game does not load. Check your network, and reload the page.");
    play.disabled = true;
  };

  try { name.value = query.get("name") || localStorage.getItem("name") || ""; } catch { }
  if (matchMedia("(pointer: fine)").matches) name.focus();

  // An opaque canvas without antialiasing, which the game does itself.
  const context = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, wanted) {
    const gl = context.call(this, kind, { ...wanted, alpha: false, antialias: false, stencil: false, depth: false });
    if (gl && kind === "webgl2") clearly(gl);
    return gl;
  };

  // Ebitengine clears the screen by drawing an empty texture over it. Without a graphics card, that takes as long as the
  // rest of the frame. Replace this draw call by a clear, in the colour that the client sets.
  const clearly = (gl) => {
    if (gl.clears) return;
    gl.clears = true;
    const { bindFramebuffer, blendFuncSeparate, drawElements } = gl;
    let screen = true, hides = false;
    gl.bindFramebuffer = (target, buffer) => { screen = !buffer; bindFramebuffer.call(gl, target, buffer); };
    gl.blendFuncSeparate = (...f) => { hides = f[0] === gl.ONE && f[1] === gl.ZERO; blendFuncSeparate.apply(gl, f); };
    gl.drawElements = (...what) => { if (screen && hides) gl.clear(gl.COLOR_BUFFER_BIT); else drawElements.apply(gl, what); };
  };

  // More than two pixels per point are slow and hardly visible.
  Object.defineProperty(window, "devicePixelRatio", { value: Math.min(devicePixelRatio, 2) });

  // On devices without a keyboard, the chat uses a text field of the page, which opens the keyboard of a phone. The page
  // dispatches the text to the client.
  const talk = at("talk"), words = at("say"), line = at("line");
  const chat = (open) => {
    words.hidden = !open;
    talk.hidden = open;
    if (open) { line.value = ""; line.focus(); } else document.querySelector("canvas")?.focus();
  };
  let fingers = false, talks = false;
  const offer = () => { if (fingers && talks && words.hidden) talk.hidden = false; };
  document.addEventListener("talks", () => { talks = true; offer(); });
  talk.addEventListener("click", () => chat(true));
  line.addEventListener("blur", () => { if (!words.hidden) chat(false); });
  line.addEventListener("keydown", (e) => { if (e.key === "Escape") line.blur(); });
  words.addEventListener("submit", (e) => {
    e.preventDefault();
    document.dispatchEvent(new CustomEvent("say", { detail: line.value.trim() }));
    line.blur();
  });

  // The client reads the keys once per frame. The end of a shorter tap is delayed until a frame has seen the press.
  const taps = new Map(); // by key: time of the press, and its timer
  const ends = new WeakSet(); // delayed events
  const shortest = 50; // milliseconds: three frames
  addEventListener("keydown", (e) => {
    taps.get(e.code)?.end?.();
    taps.set(e.code, { at: e.timeStamp });
  }, true);
  addEventListener("keyup", (e) => {
    const tap = taps.get(e.code), left = tap ? tap.at + shortest - e.timeStamp : 0;
    if (ends.has(e) || left <= 0) return;
    e.stopImmediatePropagation();
    const up = new KeyboardEvent("keyup", e);
    ends.add(up);
    const timer = setTimeout(() => tap.end(), left);
    tap.end = () => { clearTimeout(timer); tap.end = null; e.target.dispatchEvent(up); };
  }, true);

  // The client lays out in these points.
  const points = () => document.body.style.setProperty("--u", Math.min(Math.max(Math.min(innerWidth, innerHeight) / 720, 0.9), 2));
  addEventListener("resize", points);
  points();

  const script = (src) => new Promise((done, bad) => {
    const s = document.createElement("script");
    s.src = src; s.onload = done; s.onerror = () => bad(new Error(src + " does not load"));
    document.head.append(s);
  });
  const json = async (path) => (await fetch(path)).json();

  async function built() {
    for (;;) {
      const b = await json("/build.json");
      if (b.state === "ready") return;
      if (b.state === "failed") throw new Advice(b.error);
      say(b.of ? `compiling the client, once: ${b.done} of ${b.of} packages` : "looking for the client …", b.of ? 0.9 * b.done / b.of : 0);
      await wait(250);
    }
  }

  // The client is loaded. It can be run once.
  async function load() {
    if (typeof WebAssembly !== "object") throw new Advice("this browser has no WebAssembly, which the game runs on");
    if (!document.createElement("canvas").getContext("webgl2"))
      throw new Advice("this browser has no WebGL 2, which the game is drawn with: switch its graphics acceleration on, or play in a window");
    const settings = await json("/play.json");
    await built();
    say("loading …", 0.93);
    await script("/wasm_exec.js");
    const go = new Go();
    const wasm = await WebAssembly.instantiateStreaming(fetch("/play.wasm"), go.importObject);
    bar.className = "done";
    say("");
    const run = async (...args) => {
      try { localStorage.setItem("name", name.value); } catch { }
      go.argv = ["play", ...settings.args, "-name", name.value.trim(), ...args];
      name.blur();
      card.classList.add("gone");
      card.addEventListener("transitionend", () => { card.hidden = card.classList.contains("gone"); });
      const touched = () => { fingers = true; offer(); };
      if (matchMedia("(pointer: coarse)").matches) touched(); else addEventListener("touchstart", touched, { once: true });
      await go.run(wasm.instance);
    };
    return { settings, run };
  }

  // One match: the player joins after entering a name.
  function join({ settings, run }) {
    const host = location.hostname.includes(":") && !location.hostname.startsWith("[") ? `[${location.hostname}]` : location.hostname;
    let started = false;
    const start = () => {
      if (started) return;
      started = true;
      run("-connect", `ws://${host}:${settings.port}`).catch((e) => e).then((e) => fail(new Advice("The game has ended. Reload the page to play again.", { cause: e })));
    };
    play.disabled = false;
    if (name.type === "hidden") play.focus();
    at("join").addEventListener("submit", (e) => { e.preventDefault(); start(); });
    if (query.get("name")) start();
  }

  at("join").addEventListener("submit", (e) => e.preventDefault());
  const loaded = load();
  if (window.lobby) window.lobby({ at, say, loaded, query }); else loaded.then(join).catch(fail);
  loaded.catch(fail);
})();
