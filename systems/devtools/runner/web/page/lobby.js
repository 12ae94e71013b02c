"use strict";
// The lobby lists rooms and joins them. /rooms/openapi.json describes its requests.
window.lobby = ({ at, say, loaded, query }) => {
  const card = at("card"), status = at("status"), play = at("play"), list = at("rooms"), room = at("room"), code = at("code");
  const buttons = [play, at("create").querySelector("button"), at("bycode").querySelector("button")];
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  // The player and the seat of this tab, which survive a reload.
  const kept = (key, value) => {
    try {
      if (value === undefined) return JSON.parse(sessionStorage.getItem(key));
      if (value === null) sessionStorage.removeItem(key); else sessionStorage.setItem(key, JSON.stringify(value));
    } catch { }
    return null;
  };
  const player = kept("player") || String(1 + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1)));
  kept("player", player);

  const linked = () => decodeURIComponent(location.hash.slice(1)).trim().toLowerCase();
  const unlink = () => history.replaceState(null, "", location.pathname + location.search);

  // Texts for players, by the error codes of the server.
  const words = {
    full: "That room is full. Join another one, or create one.",
    no_room: "There is no such room, or it has ended.",
    ended: "That room has ended.",
    no_seat: "Your seat in that room is no longer yours. Join it again, or another one.",
    locked: "That room takes nobody new now. Join another one.",
    banned: "You are banned from that room. Join another one.",
    draining: "That room is about to end, or the server is. Join another one, or try again.",
    busy: "There is no place for another room now. Join one that is open, or try again.",
    limited: "You ask too often. Wait a little.",
    outdated: "There is a newer version of the game. Reload the page.",
    superseded: "You look for a match in another tab.",
    unavailable: "The servers cannot reach each other now. Try again in a moment.",
  };
  // refuse shows why there is no seat: a sentence of the game unchanged, or the text for an error code.
  const refuse = (e) => {
    status.className = "no";
    if (typeof e !== "string") console.warn(e);
    say(typeof e === "string" ? e : words[e.code] || e.code === "forbidden" && e.message ||
      (e.code ? "The server cannot give you a seat now. Try again later." : "The server is not responding. Check your network, and try again."));
  };

  // ask requests a seat. If the server refuses, it throws the server's sentence.
  async function ask(path, body, signal) {
    const r = await fetch(path, { method: "POST", signal, headers: { "Content-Type": "application/json", Player: player }, body: JSON.stringify(client.settings.schema ? { ...body, schema: client.settings.schema } : body) });
    const answer = await r.json();
    if (!r.ok) throw Object.assign(new Error(answer.message), { code: answer.code, retry: Number(r.headers.get("Retry-After")) });
    return { ...answer, waits: r.status === 202 };
  }

  let client, busy = false, stop;

  // enter requests a seat and plays on it.
  async function enter(what, get) {
    if (busy || !client) return;
    busy = true;
    buttons.forEach((b) => { b.disabled = b !== play; });
    play.textContent = "Cancel";
    status.className = "";
    say(what);
    const cancel = new AbortController();
    stop = () => cancel.abort();
    try {
      const seat = await get(cancel.signal);
      if (cancel.signal.aborted) throw new DOMException("", "AbortError");
      sit(seat);
    } catch (e) {
      busy = false;
      idle();
      if (e.name === "AbortError") say(""); else refuse(e);
      throw e;
    }
  }
  const idle = () => {
    buttons.forEach((b) => { b.disabled = false; });
    play.textContent = "Quick match";
    show(rooms);
  };

  // quick repeats the request while the queue has no seat.
  async function quick(signal) {
    for (;;) {
      const answer = await ask("/rooms/queue", { kind: client.settings.kind }, signal);
      if (!answer.waits) return answer;
      say(answer.queued > 1 ? `waiting with ${answer.queued - 1} more …` : "waiting for others …");
    }
  }

  // sit runs the client on a seat. After the end of the session, a reload returns to the seat or to the lobby.
  function sit(seat) {
    kept("seat", { room: seat.room, code: seat.code, since: Date.now(), again: (kept("seat") || {}).again || 0 });
    history.replaceState(null, "", `${location.pathname}${location.search}#${seat.code}`);
    at("share").querySelector("b").textContent = seat.code;
    at("seat").hidden = false;
    say("");
    client.run("-connect", seat.endpoints.ws, "-token", seat.token).then(() => ended(), ended);
  }

  let leaving = false;
  async function ended(why) {
    if (ended.done) return;
    ended.done = true;
    const seat = kept("seat");
    if (why && why.text) {
      if (!why.again && !leaving) { // replaced, removed or banned: do not request the seat again
        kept("why", why.text);
        kept("seat", null);
        kept("left", true);
        unlink();
        return reload();
      }
      why = why.text;
    } else if (why) console.error(why);
    if (leaving || !seat) {
      kept("seat", null);
      kept("left", true);
      unlink();
    } else {
      // Continue after a session that lasted, but not if sessions repeatedly end at once.
      const again = Date.now() - seat.since > 10000 ? 1 : seat.again + 1;
      kept("why", typeof why === "string" ? why : "The game has ended. Play again.");
      kept("seat", again > 3 ? null : { ...seat, again });
    }
    await reload();
  }
  async function reload() {
    await wait(250); // time to send the close packets
    await answers();
    location.reload();
  }
  // answers waits until the server is reachable. A reload before would show an empty page.
  async function answers() {
    for (; ; await wait(1000)) {
      try {
        if ((await fetch("/rooms?limit=1", { signal: AbortSignal.timeout(5000) })).ok) return;
      } catch { }
      card.hidden = false;
      at("seat").hidden = true;
      card.classList.remove("gone");
      refuse("The server does not answer. This goes on as soon as it does.");
    }
  }
  document.addEventListener("ended", (e) => ended(e.detail));
  // A token serves one session, which has ended when the page returns from the browser's cache.
  addEventListener("pageshow", (e) => { if (e.persisted && kept("seat")) location.reload(); });
  let players = "";
  const crowd = () => { at("share").querySelector("span").textContent = players === "" ? "" : players === "1" ? "you alone" : `${players} players`; };
  document.addEventListener("players", (e) => { players = e.detail; crowd(); });

  at("leave").addEventListener("click", () => {
    leaving = true;
    kept("seat", null);
    document.dispatchEvent(new CustomEvent("leave"));
    void wait(1500).then(ended);
  });
  at("share").addEventListener("click", async () => {
    const told = at("share").querySelector("span"), link = `${location.origin}${location.pathname}#${kept("seat")?.code || ""}`;
    try {
      await navigator.clipboard.writeText(link);
      told.textContent = "link copied";
    } catch {
      told.textContent = "not copied";
    }
    document.querySelector("canvas")?.focus();
    await wait(2000);
    crowd();
  });

  const seatIn = (name) => (signal) => ask(`/rooms/${encodeURIComponent(name)}/join`, {}, signal).catch((e) => {
    if (e.code === "seated") return ask(`/rooms/${encodeURIComponent(name)}/reconnect`, {}, signal);
    throw e;
  });
  const ignore = () => { };
  const into = (name) => enter("joining …", seatIn(name)).catch(ignore);

  at("join").addEventListener("submit", () => {
    if (busy) stop(); else enter("looking for a match …", quick).catch(ignore);
  });
  at("create").addEventListener("submit", (e) => {
    e.preventDefault();
    const options = room.value.trim() ? { name: room.value.trim() } : {};
    enter("making a room …", (signal) => ask("/rooms/create", { kind: client.settings.kind, options, private: at("private").checked }, signal)).catch(ignore);
  });
  at("bycode").addEventListener("submit", (e) => {
    e.preventDefault();
    const name = code.value.trim().toLowerCase();
    if (name) into(name); else code.focus();
  });

  // Refresh the list of rooms every two seconds.
  const items = new Map();
  let rooms = [];
  function show(all) {
    rooms = all;
    at("none").hidden = rooms.length > 0;
    for (const [id, item] of items) {
      if (!rooms.some((r) => r.id === id)) { item.li.remove(); items.delete(id); }
    }
    for (const r of rooms) {
      let item = items.get(r.id);
      if (!item) {
        const li = document.createElement("li"), name = document.createElement("b"), small = document.createElement("small"), button = document.createElement("button");
        button.type = "button";
        button.addEventListener("click", () => into(r.id));
        li.append(name, small, button);
        item = { li, name, small, button };
        items.set(r.id, item);
        list.append(li);
      }
      const open = r.state === "open" || r.state === "running";
      item.name.textContent = typeof r.options.name === "string" && r.options.name || r.code;
      item.small.textContent = `${r.capacity - r.free} of ${r.capacity} players`;
      const ours = !client?.settings.schema || client.settings.schema === r.schema;
      item.button.textContent = !open ? r.state : r.free === 0 ? "full" : ours ? "Join" : "other version";
      item.button.disabled = !client || busy || !open || r.free === 0 || !ours;
      item.button.ariaLabel = `join ${item.name.textContent}`;
    }
    // Rooms with free seats first, the oldest first. The focused room keeps its place if the order allows it.
    const order = [...all].sort((a, b) => (b.free > 0) - (a.free > 0) || a.created.localeCompare(b.created)).map((r) => items.get(r.id).li);
    if (order.some((li, i) => list.children[i] !== li)) list.append(...order);
  }
  async function follow() {
    for (; ; await wait(2000)) {
      if (document.hidden || card.classList.contains("gone")) continue;
      try {
        const r = await fetch("/rooms?limit=100");
        const answer = await r.json();
        if (r.ok) show(answer.rooms);
      } catch { }
    }
  }
  void follow();

  // A link to a room, which may also be opened while the page is open.
  const follows = () => {
    if (!linked() || busy) return;
    code.value = linked();
    if (client) into(code.value);
  };
  addEventListener("hashchange", follows);
  code.value = linked();

  // Ready: return to the seat from before a reload, join the room of a link, or show the lobby.
  loaded.then(async (c) => {
    client = c;
    idle();
    const seat = kept("seat"), why = kept("why"), left = kept("left");
    kept("why", null);
    kept("left", null);
    if (seat && (!linked() || linked() === seat.code)) {
      try {
        await enter("back to your seat …", (signal) => ask(`/rooms/${seat.room}/reconnect`, {}, signal));
      } catch (e) {
        kept("seat", null);
        unlink();
        if (why && !e.code) refuse(why);
      }
    } else if (linked()) {
      kept("seat", null);
      if (at("name").type === "hidden" || at("name").value || query.get("name")) await into(linked()); else { say("Say your name, and join."); at("name").focus(); }
    } else {
      if (why) refuse(why);
      else if (query.get("name") && !left) enter("looking for a match …", quick).catch(ignore);
    }
  }, () => { });
};
