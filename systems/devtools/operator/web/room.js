"use strict";
// The page of a room: what it is, who sits there, and what operators do with it. What its server does stands behind the
// other tabs.

// gone is what is left of a room: its log.
async function gone() {
  const id = location.pathname.split("/").at(-2);
  const l = await ask(around.base + "api/log?room=" + encodeURIComponent(id));
  return el("div", { class: "stack", "data-morph": "gone" }, panel("This room has ended, or never was in this process",
    l.entries.length ? entries(l.entries, "../../", false) : el("p", { class: "soft" }, "The log has nothing of it.")));
}

async function room() {
  let a;
  try {
    a = await ask("api/room");
  } catch (e) {
    if (!e.message.startsWith("there is no such room")) throw e;
    return gone();
  }
  const r = a.room;
  standing(a);
  byId("title").textContent = `${r.kind} ${r.code}`;
  document.title = `${r.kind} ${r.code} – Tactus`;
  const name = `room ${r.code}`;
  const id = (label) => ({ name: "player", label, needed: true, most: 20, mode: "numeric", pattern: "[0-9]+" });
  const button = (text, kind, f, off) => el("button", { type: "button", class: kind, disabled: !!off, on: ["click", f] }, text);
  const locked = r.state === "locked";
  const buttons = el("div", { class: "buttons" },
    locked ? button("Unlock", "", () => act("unlock", "Unlocking " + name, {})) : button("Lock", "", () => act("lock", "Locking " + name, {}), r.state === "draining"),
    button("Broadcast …", "", () => act("broadcast", "Telling " + name, {}, { title: "Tell all players in the room", word: "Send", field: { name: "text", label: "message", needed: true, most: 500 } }), !a.broadcast),
    button("Write the flight record", "", () => act("flight", "Writing the flight of " + name, {})),
    button("Ban a player …", "danger", () => act("ban", "Banning from " + name, {}, { title: "Ban a player from this room?", danger: true, word: "Ban", text: "It gets no seat here any more, and is sent away if it has one.", field: id("id of the player") })),
    button("Drain …", "danger", () => act("drain", "Draining " + name, {}, { title: "Drain this room?", danger: true, word: "Drain", text: "Nobody new gets a seat, for good, and it ends when its last player has left." }), r.state === "draining"),
    button("End …", "danger", () => act("end", "Ending " + name, {}, { title: "End this room now?", danger: true, word: "End the room", text: `${r.taken} players are sent away.`, field: { name: "reason", label: "reason, for the log (may be empty)", most: 500 } })));
  const rows = a.taken.map((s) => {
    const row = line([String(s.number), el("td", { class: "text" }, tag(s.state, { taken: "good", waiting: "warn" }[s.state])), s.player, s.party === "0" ? "–" : s.party,
      s.client ? el("td", {}, el("a", { href: "#entities?owner=" + s.client }, "client " + s.client)) : "–", age(a.now, s.since),
      a.acts ? el("td", { class: "acts" },
        el("button", { type: "button", "aria-label": "Kick player " + s.player, on: ["click", () => act("kick", "Kicking player " + s.player, { player: s.player })] }, "Kick"),
        el("button", { type: "button", class: "danger", "aria-label": "Ban player " + s.player, on: ["click", () => act("ban", "Banning player " + s.player, { player: s.player }, {
          title: `Ban player ${s.player} from this room?`, danger: true, word: "Ban", text: "It is sent away, and gets no seat here any more." })] }, "Ban …")) : ""], null);
    row.dataset.key = "s" + s.number;
    return row;
  });
  const fact = (dt, ...dd) => el("div", {}, el("dt", {}, dt), el("dd", {}, ...dd.filter((x) => x)));
  return el("div", { class: "stack", "data-morph": "room" },
    panel(null, el("dl", { class: "axes facts" },
      fact("state", marks(r)), fact("kind", r.kind), fact("code", r.code), fact("id", el("span", { class: "id" }, r.id)), fact("life", age(a.now, r.created)),
      fact("players", `${r.taken} of ${r.capacity}`, r.promised ? el("span", { class: "soft" }, `, ${r.promised} on their way`) : null, r.waiting ? el("span", { class: "soft" }, `, ${r.waiting} waited for`) : null), fact("tick", count(r.tick)),
      fact("tick time", `${nano(r.tick_time)} of ${nano(r.budget)}`), fact("late", nano(r.late)), fact("options", Object.keys(r.options || {}).length ? options(r.options) : "–")),
    a.acts ? buttons : null,
    a.acts && !a.broadcast ? el("p", { class: "legend" }, "Broadcasts are off: give operator.Config a Broadcast.") : null),
    panel(`${a.taken.length} seats that are not free`, rows.length ? table(["seat", "<", "player", "party", "client", "since", ""], rows) : el("p", { class: "soft" }, "Nobody has a seat.")),
    panel("What happened in this room", a.log.length ? entries(a.log, "../../", false) : el("p", { class: "soft" }, "Nothing yet.")));
}

window.around = { base: "../../", names: { room: "Room" }, pages: { room } };
