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
