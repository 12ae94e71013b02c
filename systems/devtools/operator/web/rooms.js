"use strict";
// The pages of a process: its rooms, their kinds, and the audit log.

const stateNames = ["open", "running", "locked", "draining", "ended"];
const sorts = { trouble: "trouble first", load: "tick time of budget", late: "late", players: "players", age: "oldest first", kind: "kind", state: "state", tick: "tick" };

function process(a) {
  standing(a);
  const d = since("process", a, 5);
  const sum = (x, f) => x.kinds.reduce((n, k) => n + f(k), 0);
  const refused = (k) => Object.values(k.refused || {}).reduce((n, v) => n + v, 0);
  const per = (f) => d.seconds ? few(rate(sum(a, f), sum(d.last, f), d.seconds)) + " /s" : "…";
  byId("what").textContent = `process ${a.process}${a.draining ? " · draining" : ""}${a.fenced ? " · fenced: the directory does not answer" : ""}${a.named ? " · not ready: another process has this name" : ""} · ${a.goroutines} goroutines on ${a.cpus} CPUs`;
  morph(byId("tiles"), el("section", { id: "tiles", class: "tiles", "aria-label": "At a glance" },
    tile("rooms", count(a.count)), tile("players", count(a.players) + " of " + count(a.seats)), tile("slow", count(a.slow)), tile("stuck", count(a.stuck)),
    tile("ticks", per((k) => k.ticks)), tile("late turns", per((k) => k.late)), tile("seats given", per((k) => k.given + k.returned)), tile("refused", per(refused))));
  return d;
}

// asked is what a form says, as a part of the address.
function asked(e) {
  e.preventDefault();
  const q = {};
  for (const [k, v] of new FormData(e.target.closest("form"))) if (v && !(k === "sort" && v === "trouble")) q[k] = v;
  go("rooms", q);
}

async function rooms(q) {
  const p = new URLSearchParams();
  for (const k of ["kind", "state", "find", "sort"]) if (q.get(k)) p.set(k, q.get(k));
  const a = await ask("api/rooms?" + p);
  process(a);
  const choice = (name, label, values) => el("label", {}, label, el("select", { name, on: ["change", asked] },
    values.map(([v, text]) => el("option", { value: v, selected: v === (q.get(name) || (name === "sort" ? "trouble" : "")) }, text))));
  const filters = el("form", { class: "filters", on: ["submit", asked] },
    choice("kind", "kind", [["", "any"], ...a.kinds.map((k) => [k.name, k.name])]),
    choice("state", "state", [["", "any"], ...stateNames.map((s) => [s, s])]),
    el("label", {}, "code or id begins with", el("input", { name: "find", value: q.get("find") || "", placeholder: "any", maxlength: 13, autocomplete: "off", spellcheck: "false" })),
    choice("sort", "order", Object.entries(sorts)),
    el("button", { type: "submit" }, "Find"));
  const rows = a.rooms.map((r) => {
    const share = r.tick_time / Math.max(r.budget, 1);
    const color = r.stuck || share > 1 ? "#f4716b" : share > 0.7 ? "#f2b950" : null;
    const row = line([
      el("td", { class: "text" }, el("a", { class: "code", href: `room/${r.id}/` }, r.code), el("div", { class: "id" }, r.id)), r.kind,
      el("td", { class: "text" }, marks(r)),
      el("td", { title: `${r.taken} connected, ${r.promised} on their way, ${r.waiting} waited for` }, `${r.taken} / ${r.capacity}`, r.waiting + r.promised ? el("span", { class: "soft" }, ` + ${r.waiting + r.promised}`) : null),
      count(r.tick), el("td", {}, el("span", { class: "of" }, nano(r.tick_time), el("span", { class: "soft" }, " of " + nano(r.budget)))), bar(share, color),
      nano(r.late), age(a.now, r.created), el("td", { class: "text wrap" }, options(r.options))], [true, true]);
    row.dataset.key = r.id;
    return row;
  });
  const more = a.found > a.rooms.length ? `the first ${count(a.rooms.length)} of ${count(a.found)}` : `${count(a.found)} of ${count(a.count)}`;
  return el("div", { class: "stack", "data-morph": "rooms" },
    panel(`Rooms: ${more}`, filters,
      rows.length ? table(["<room", "<kind", "<state", "players", "tick", "tick time", "", "late", "life", "<options"], rows) :
        el("p", { class: "soft" }, a.count ? "No room is like that." : "There are no rooms."),
      el("p", { class: "legend" }, "Players: connected, of how many seats, and those who are on their way or waited for. Late: by how much the latest tick began late. ",
        el("a", { href: "metrics" }, "metrics"), el("a", { href: "debug/pprof/" }, "profiles"))),
    a.acts ? panel("The process", el("p", { class: "soft note" }, a.draining ? "It drains: it makes no rooms, nobody new gets a seat, and each room ends when its last player has left." :
      "Draining makes no more rooms, gives nobody new a seat, and lets each room end when its last player has left. It cannot be taken back."),
    el("div", { class: "buttons" }, el("button", { type: "button", class: "danger", disabled: a.draining, on: ["click", () => act("drain", "Draining " + a.process, {}, {
      title: "Drain this process?", danger: true, word: "Drain", text: `Write ${a.process} to confirm.`,
      field: { name: "process", label: "process", needed: true, most: 64 } })] }, "Drain the process …"))) : null);
}

async function kinds() {
  const a = await ask("api/rooms?limit=1");
  const d = process(a);
  const old = (k) => d.last.kinds.find((x) => x.name === k.name) || k;
  const of = (o) => Object.entries(o || {}).sort(([x], [y]) => x < y ? -1 : 1).map(([k, v]) => el("span", { class: "option" }, k + " ", el("b", {}, count(v))));
  const rows = a.kinds.map((k) => {
    const b = old(k);
    const row = line([k.name, count(k.ticks), d.seconds ? few(rate(k.ticks, b.ticks, d.seconds)) : "…",
      k.ticks > b.ticks ? micros((k.turnsUs - b.turnsUs) / (k.ticks - b.ticks)) : k.ticks ? micros(k.turnsUs / k.ticks) : "–",
      count(k.late), count(k.given), count(k.returned), el("td", { class: "text wrap" }, of(k.refused)), el("td", { class: "text wrap" }, of(k.events))], [true]);
    row.dataset.key = k.name;
    return row;
  });
  return el("div", { class: "stack", "data-morph": "kinds" }, panel("Kinds of rooms, since the process began",
    table(["<kind", "ticks", "a second", "a tick takes", "late", "seats given", "again", "<refused", "<events"], rows)));
}

async function log(q) {
  const p = new URLSearchParams({ limit: 200 });
  if (q.get("room")) p.set("room", q.get("room"));
  const [a, l] = await Promise.all([ask("api/rooms?limit=1"), ask("api/log?" + p)]);
  process(a);
  return el("div", { class: "stack", "data-morph": "log" }, panel("What operators did, and what rooms told",
    l.entries.length ? entries(l.entries, "", true) : el("p", { class: "soft" }, "Nothing yet.")));
}

window.around = { alone: true, base: "", names: { rooms: "Rooms", kinds: "Kinds", log: "Log" }, pages: { rooms, kinds, log } };
