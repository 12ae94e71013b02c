"use strict";
// For custom pages: loads the client and starts it when it is ready.
(async () => {
  const status = document.getElementById("status");
  const say = (text) => { if (status) status.textContent = text; };
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const json = async (path) => (await fetch(path)).json();
  try {
    const settings = await json("/play.json");
    for (;;) {
      const b = await json("/build.json");
      if (b.state === "ready") break;
      if (b.state === "failed") return say(b.error);
      say(b.of ? `compiling the client, once: ${b.done} of ${b.of} packages` : "looking for the client …");
      await wait(250);
    }
    say("loading …");
    await new Promise((done, bad) => {
      const s = document.createElement("script");
      s.src = "/wasm_exec.js"; s.onload = done; s.onerror = () => bad(new Error("/wasm_exec.js does not load"));
      document.head.append(s);
    });
    const go = new Go();
    const wasm = await WebAssembly.instantiateStreaming(fetch("/play.wasm"), go.importObject);
    const host = location.hostname.includes(":") && !location.hostname.startsWith("[") ? `[${location.hostname}]` : location.hostname;
    go.argv = ["play", ...settings.args, "-connect", `ws://${host}:${settings.port}`];
    say("");
    await go.run(wasm.instance);
    say("The game has ended. Reload the page to play again.");
  } catch (e) {
    say("The game does not load. Check your network, and reload the page.");
    throw e;
  }
})();
