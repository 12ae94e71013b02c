"use strict";
// Loads the client of a page and starts it. Elements that the page may have:
//   #status  shows the progress, and why there is no game
//   #join    a form: the client starts when it is submitted, or at once if the address has ?play. Fields with a name become
//            arguments: -NAME VALUE
// For its styles, the page has body[data-state] (loading, ready, playing or ended) and --loaded (0 to 1).
(async () => {
  const status = document.getElementById("status"), join = document.getElementById("join");
  const show = (state, text, loaded = 1) => {
    document.body.dataset.state = state;
    document.body.style.setProperty("--loaded", loaded);
    if (status) status.textContent = text;
  };
  const submitted = new Promise((done) => {
    join?.addEventListener("submit", (e) => { e.preventDefault(); done(); });
    join?.addEventListener("click", (e) => { // the sandbox of a frame may forbid to submit; Enter in a field clicks the button, too
      if (e.target.closest("button, input")?.type !== "submit") return;
      e.preventDefault();
      if (join.reportValidity()) done();
    });
    if (!join || new URLSearchParams(location.search).has("play")) done();
  });
  const json = async (path) => (await fetch(path)).json();
  try {
    if (typeof WebAssembly !== "object") return show("ended", "This browser has no WebAssembly, which the game needs. Open the page in another browser.");
    const settings = await json("play.json");
    for (;;) {
      const b = await json("build.json");
      if (b.state === "ready") break;
      if (b.state === "failed") return show("ended", b.error);
      show("loading", b.of ? `Compiling the game, once: ${b.done} of ${b.of} packages…` : "Looking for the game…", b.of ? 0.9 * b.done / b.of : 0);
      await new Promise((done) => setTimeout(done, 250));
    }
    show("loading", "Loading…", 0.93);
    await new Promise((done, bad) => {
      const s = document.createElement("script");
      s.src = "wasm_exec.js"; s.onload = done; s.onerror = () => bad(new Error("wasm_exec.js does not load"));
      document.head.append(s);
    });
    const go = new Go();
    const wasm = await WebAssembly.instantiateStreaming(fetch("play.wasm"), go.importObject);
    show("ready", "");
    await submitted;
    const host = location.hostname.includes(":") && !location.hostname.startsWith("[") ? `[${location.hostname}]` : location.hostname;
    const fields = join ? [...new FormData(join)].flatMap(([name, value]) => [`-${name}`, value]) : [];
    go.argv = ["play", ...settings.args, "-connect", `ws://${host}:${settings.port}`, ...fields];
    show("playing", "");
    await go.run(wasm.instance);
    show("ended", status?.textContent || "The game has ended. Reload the page to play again.");
  } catch (e) {
    show("ended", "The game does not load. Check your network, and reload the page.");
    throw e;
  }
})();
