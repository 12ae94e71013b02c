"use strict";
// The pages. Each requests its data from the server once a second. Counters count since
// the start of the server, so rates are differences between two answers.
//
// The page of a process with several servers shows one server with this file, and adds its own tabs in front: around has
// the names of these tabs, the functions that draw them, and the path of the files of the process. With around.alone, the
// page has only its own tabs and no server.
const around = window.around || { names: {}, pages: {}, base: "" };

const every = 1000;
const byId = (id) => document.getElementById(id);
let before = {}; // the previous answers, by name
let round = 0;
let latest = null; // answer of api/status

async function ask(path) {
  const answer = await fetch(path, { cache: "no-store", credentials: "same-origin" });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.json();
}

// since stores an answer. It returns the answer before the last back ones, or the first
// answer, and the seconds between the two.
function since(name, now, back = 1) {
  const all = before[name] || [];
  const last = all[0];
  before[name] = [...all, now].slice(-back);
  return last && last.seconds < now.seconds ? { last, seconds: now.seconds - last.seconds } : { last: now, seconds: 0 };
}
const rate = (a, b, seconds) => seconds > 0 ? Math.max(a - b, 0) / seconds : 0;

const names = around.alone ? around.names : { ...around.names, overview: "Overview", model: "Netcode", clients: "Clients", traffic: "Traffic", entities: "Entities", knows: "Knowledge", blame: "Blame" };
function place() {
  const [name, rest] = location.hash.slice(1).split("?");
  return { name: Object.hasOwn(names, name) ? name : Object.keys(names)[0], q: new URLSearchParams(rest || "") };
}
const go = (name, q) => { location.hash = name + (q ? "?" + new URLSearchParams(q) : ""); };

function glance(s, d) {
  byId("what").textContent = `${s.protocol} · ${s.policies} · ${s.tickRate} ticks, ${s.sendRate} sends a second`;
  byId("tiles").replaceChildren(
    tile("tick", count(s.tick)), tile("clients", count(s.clients)), tile("entities", count(s.entities)),
    tile("median", micros(s.wakeups.medianUs)), tile("p99 wake-up", micros(s.wakeups.p99Us)),
    ...(s.wakeups.lastMinute.maxUs ? [tile("p99.9, a minute", micros(s.wakeups.lastMinute.p999Us)), tile("longest GC pause", micros(s.wakeups.lastMinute.gcPauseUs))] : []),
    tile("load", s.overload.load ? Math.round(100 * s.overload.load) + " %" : "…"),
    tile("gives up", s.overload.givesUp), tile("dropped ticks", count(s.overload.ticksDropped)),
    tile("out", d.seconds ? bytes(rate(s.bytesOut, d.last.bytesOut, d.seconds)) + "/s" : "… B/s"),
    tile("in", d.seconds ? bytes(rate(s.bytesIn, d.last.bytesIn, d.seconds)) + "/s" : "… B/s"));
}

let tops = {}; // counters and lists that were opened
function overview(s, d) {
  const wakes = Math.max(s.wakeups.count - d.last.wakeups.count, d.seconds ? 0 : s.wakeups.count) || 1;
  const last = new Map(d.last.systems.map((x) => [x.path.join("/"), x]));
  const lines = s.systems.map((x) => {
    const b = d.seconds ? last.get(x.path.join("/")) : null;
    return { ...x, per: (x.sumUs - (b ? b.sumUs : 0)) / wakes, runsPer: (x.runs - (b ? b.runs : 0)) / wakes };
  });
  const total = Math.max(...lines.map((x) => x.per), 1e-9);
  const rows = [];
  let stage = [];
  for (const x of lines) {
    const above = x.path.slice(0, -1);
    const inner = above.length > 1 && lines.some((y) => y.path.join("/") === above.slice(0, -1).join("/"));
    if (above.join("/") !== stage.join("/")) {
      const sum = lines.filter((y) => y.path.length === above.length + 1 && above.every((n, i) => y.path[i] === n)).reduce((a, y) => a + y.per, 0);
      rows.push(line(["\u2003".repeat(above.length - 1) + above[above.length - 1] + (inner ? " (within)" : ""), micros(sum), "", "", ""], null, "stage"));
      stage = above;
    }
    rows.push(line(["\u2003".repeat(above.length) + x.path[above.length], micros(x.per), few(x.runsPer), micros(x.maxUs), bar(x.per / total)]));
  }
  const shown = s.counters.filter((c) => c.value > 0);
  const counters = el("details", { open: tops.counters, on: ["toggle", (e) => { tops.counters = e.target.open; }] },
    el("summary", {}, `${shown.length} counters that are not 0`),
    table(["<counter", "value", "per second"], shown.map((c) => {
      const b = d.last.counters.find((x) => x.name === c.name);
      return [c.name, count(c.value), d.seconds ? few(rate(c.value, b ? b.value : 0, d.seconds)) : ""];
    })));
  return el("div", { class: "grid" },
    el("div", { class: "stack" },
      panel("Latest wake-ups", timeline(s.wakeups.recentUs, s.wakeups.roomUs),
        el("p", { class: "legend" }, `${s.wakeups.recentUs.length} wake-ups; each has ${micros(s.wakeups.roomUs)}; the longest since the start took ${micros(s.wakeups.maxUs)}`)),
      panel("All wake-ups, by duration", histogram(s.wakeups)),
      panel(null, counters)),
    panel("Stages and systems, per wake-up", table(["<", "time", "runs", "longest", ""], rows),
      el("p", { class: "legend" }, `${s.go.version}, ${s.go.goroutines} goroutines on ${s.go.cpus} CPUs`,
        el("a", { href: around.base + "debug/pprof/" }, "profiles"), el("a", { href: around.base + "metrics" }, "metrics"))));
}

// model draws the netcode model: its options and its figures.
function model(s, d) {
  const m = s.model;
  const old = (title, name) => {
    const part = d.last.model.parts.find((p) => p.title === title);
    return ((part && part.figures) || []).find((f) => f.name === name);
  };
  const moves = (p, f) => {
    const b = d.seconds && !f.level ? old(p.title, f.name) : null;
    return b && f.value > b.value ? few(rate(f.value, b.value, d.seconds)) + " /s" : "";
  };
  const parts = m.parts.filter((p) => p.figures).map((p) => panel(p.title, p.note ? el("p", { class: "soft note" }, p.note) : null,
    table(null, p.figures.map((f) => line([f.name, count(f.value), moves(p, f)], [true], f.value ? "" : "none")))));
  const without = m.parts.filter((p) => !p.figures);
  if (without.length) {
    parts.push(panel("Without figures", el("dl", { class: "list" }, without.map((p) => el("div", {}, el("dt", {}, p.title), el("dd", {}, p.note))))));
  }
  const half = Math.floor(parts.length / 2);
  return el("div", { class: "stack" },
    panel(m.preset || "Custom model",
      el("dl", { class: "axes" }, m.axes.map((a) => el("div", {}, el("dt", {}, a.name), el("dd", {}, a.choice)))),
      el("p", { class: "legend" }, m.snapshots ? "Clients receive states of the world and predict their own entities." :
        "Clients receive the inputs of all players and simulate the whole world.")),
    el("div", { class: "grid" }, el("div", { class: "stack" }, parts.slice(0, half)), el("div", { class: "stack" }, parts.slice(half))));
}

async function clients() {
  const a = await ask("api/clients");
  const d = since("clients", a);
  const last = new Map(d.last.clients.map((c) => [c.id, c]));
  const rows = a.clients.sort((x, y) => x.id - y.id).map((c) => {
    const b = last.get(c.id) || c;
    const state = [c.joining ? tag("joining", "warn") : null, c.overBudget ? tag("over budget", "warn") : null,
      c.correcting ? tag("correcting", "warn") : null,
      c.malformed ? tag(`${c.malformed} malformed`, "bad") : null, c.flooded ? tag(`${c.flooded} flooded`, "bad") : null,
      c.fast ? tag(`${c.fast} too fast`, "bad") : null];
    if (!state.some((x) => x)) state.push(tag("ok", "good"));
    return [el("a", { href: `#entities?owner=${c.id}` }, String(c.id)), el("td", { class: "text" }, state),
      `${ms(c.rttMs)} ± ${ms(c.jitterMs)}`, `${percent(c.lossIn)} / ${percent(c.lossOut)}`,
      bytes(rate(c.bytesOut, b.bytesOut, d.seconds)), bytes(rate(c.bytesIn, b.bytesIn, d.seconds)),
      a.snapshots ? (c.allowed < c.budget ? `${count(c.allowed)} of ${count(c.budget)}` : count(c.budget)) : null,
      a.clients.length > 1 ? el("td", { title: Object.entries(c.seenMs).map(([name, v]) => `${name} ${v.toFixed(0)}`).join(" + ") },
        Object.values(c.seenMs).reduce((sum, v) => sum + v, 0).toFixed(0)) : "–",
      `${c.waiting} (${c.meanDepth.toFixed(1)})`, a.snapshots ? String(c.lead) : null,
      `${count(c.missing)} / ${count(c.late)}`, a.rewinds ? count(c.rewrote) : null, count(c.refused + c.rejected),
      a.lagComp ? `${count(c.views)} / ${count(c.viewsClamped)}` : null, c.address].filter((x) => x !== null);
  });
  const heads = ["client", "<", "RTT ± jitter ms", "loss in / out", "out /s", "in /s", a.snapshots ? "budget" : null,
    "seen after ms", "waiting (mean)", a.snapshots ? "lead" : null, "missing / late", a.rewinds ? "rewrote" : null, "refused",
    a.lagComp ? "views / clamped" : null, "address"].filter((x) => x !== null);
  const notes = ["Waiting, missing, late and refused count inputs.", "Seen after: from an input to the screens of others, by its parts " +
    "(point at it); others are assumed to draw one interval of snapshots and a tick in the past, and frames are left out."];
  notes.push(a.snapshots ? "Budget: bytes of a snapshot. Lead: ticks by which the client's clock leads the server." :
    "There are no budgets and leads: all inputs are relayed to all clients.");
  if (a.rewinds) notes.push("Rewrote: late inputs that made the server simulate ticks again.");
  if (!a.lagComp) notes.push("There are no views: see lag compensation under Netcode.");
  return panel(`${a.clients.length} clients`, a.clients.length === 0 ? el("p", { class: "soft" }, "No clients.") :
    [table(heads, rows), el("p", { class: "legend" }, notes.join(" "))]);
}

async function traffic() {
  const a = await ask("api/traffic?archetypes=1");
  const d = since("traffic", a, 10); // only some blocks are measured, so one second is too short
  const seconds = d.seconds < 2 ? 0 : d.seconds;
  const old = (list, name) => (list || []).find((p) => p.name === name) || { sent: 0 };
  const total = rate(a.snapshots.sent, d.last.snapshots.sent, seconds);
  const parts = a.snapshots.parts.map((p) => {
    const b = old(d.last.snapshots.parts, p.name);
    return { name: p.name, now: rate(p.sent, b.sent, seconds), sent: p.sent,
      parts: (p.parts || []).map((f) => ({ name: f.name, sent: f.sent, now: rate(f.sent, old(b.parts, f.name).sent, seconds) })) };
  }).sort((x, y) => y.sent - x.sent);
  const each = (n) => seconds ? bytes(n) : "…";
  const of = (p) => p.sent / Math.max(a.snapshots.sent, 1);
  const rows = [];
  for (const p of parts.filter((p) => p.sent > 0)) {
    rows.push(line([el("td", { class: "text" }, el("b", {}, p.name)), each(p.now), percent(of(p)), bytes(p.sent), bar(of(p))]));
    for (const f of p.parts.filter((f) => f.sent > 0).sort((x, y) => y.sent - x.sent)) {
      rows.push(line(["\u2003" + (f.name || "value"), each(f.now), percent(of(f)), bytes(f.sent), bar(of(f), "#b18cff")], null, "part"));
    }
  }
  const sum = el("p", { class: "soft note" }, seconds ? `${bytes(total)}/s to all clients; ` +
    `${few(total * seconds / Math.max(a.updates - d.last.updates, 1))} bytes per update; inputs of clients ${bytes(rate(a.inputBytes, d.last.inputBytes, seconds))}/s` :
    "Measuring …");
  if (!a.applies) {
    return el("div", { class: "grid" },
      panel("Sent instead of snapshots",
        sum,
        table(["<", "a second", "share", "in all", ""], rows)),
      panel("Snapshots → component → field", el("p", { class: "soft" }, "Does not apply: every peer simulates everything, and only joining clients receive states.")));
  }
  const most = Math.max(...a.archetypes.map((x) => x.encoded), 1);
  return el("div", { class: "grid" },
    panel("Snapshots → component → field",
      sum,
      table(["<", "a second", "share", "in all", ""], rows),
      el("p", { class: "legend" }, "Per second: in the last ten seconds, estimated from measured blocks. Share: of all bytes since the start of the server. Fields that are encoded together count for the first of them.")),
    panel("Snapshots → archetype", table(["<components", "entities", "bytes", "per entity", ""],
      a.archetypes.map((x) => line([el("td", { class: "text wrap" }, x.components.map((c) => tag(c))), count(x.entities),
        a.measured ? bytes(x.encoded) : "…", a.measured && x.entities ? bytes(x.encoded / x.entities) : "…", bar(x.encoded / most, "#4fd18b")]))),
    el("p", { class: "legend" }, "Bytes of encoded blocks since this page was opened. A block that several clients share counts once. The measurement costs the server a little time and ends when you leave the page.")));
}

function fieldsOf(c) {
  if (c.local) return el("span", { class: "soft" }, "stays on the server");
  return (c.fields || []).map((f) => el("span", {}, f.path ? f.path + " " : "", el("b", {}, f.value)));
}

async function entities(q) {
  if (q.get("id")) return entity(q);
  const p = new URLSearchParams({ limit: 25 });
  for (const k of ["after", "owner", "component"]) if (q.get(k)) p.set(k, q.get(k));
  const a = await ask("api/entities?" + p);
  const ownerField = el("input", { type: "number", min: 0, value: q.get("owner") || "", placeholder: "any", "data-keep": "owner" });
  const idField = el("input", { type: "number", min: 1, placeholder: "any", "data-keep": "id" });
  const choice = el("select", { "data-keep": "component" }, el("option", { value: "" }, "any"),
    a.components.map((c) => el("option", { value: c, selected: c === q.get("component") }, c)));
  const find = (after) => {
    if (idField.value) return go("entities", { id: idField.value });
    const next = {};
    if (ownerField.value !== "") next.owner = ownerField.value;
    if (choice.value) next.component = choice.value;
    if (after) next.after = after;
    go("entities", next);
  };
  const filters = el("form", { class: "filters", on: ["submit", (e) => { e.preventDefault(); find(); }] },
    el("label", {}, "id", idField), el("label", {}, "owner", ownerField), el("label", {}, "with component", choice),
    el("button", { type: "submit" }, "Find"),
    el("button", { type: "button", disabled: !q.get("after"), on: ["click", () => find()] }, "First"),
    el("button", { type: "button", disabled: a.next === 0, on: ["click", () => find(a.next)] }, "Next"));
  return panel(`${count(a.total)} entities at tick ${count(a.tick)}`, filters,
    table(["id", "owner", "<components"], a.entities.map((x) => [
      el("a", { href: "#entities?id=" + x.id }, String(x.id)), x.owner ? String(x.owner) : "–",
      el("td", { class: "text wrap fields" }, x.components.filter((c) => !c.local && c.name !== "Owner").map((c) =>
        el("span", {}, el("span", { class: "comp" }, c.name), fieldsOf(c))))])));
}

async function entity(q) {
  const id = q.get("id");
  const [a, c] = await Promise.all([ask("api/entity?id=" + encodeURIComponent(id)), ask("api/clients")]);
  return el("div", { class: "grid" },
    panel(`Entity ${a.id} at tick ${count(a.tick)}`,
      table(["<component", "<field", "value"], a.components.flatMap((x) => {
        if (x.local || !x.fields) return [[x.name, el("td", { class: "text" }, el("span", { class: "soft" }, x.local ? "stays on the server" : "no fields")), ""]];
        return x.fields.map((f, i) => line([i ? "" : x.name, el("td", { class: "text" }, f.path || "value"), f.value], null, i ? "part" : ""));
      }))),
    panel("Owner and clients", el("p", {}, "Owner: ", a.owner ? `client ${a.owner}` : "the server"),
      el("p", { class: "legend" }, "What a client knows of it:"), el("p", {}, c.clients.slice(0, 100).map((k) =>
        el("a", { class: "tag", href: `#knows?client=${k.id}&entity=${a.id}` }, `client ${k.id}`)))));
}

async function knows(q) {
  const c = await ask("api/clients");
  const client = q.get("client") || (c.clients[0] ? String(c.clients[0].id) : "");
  const pick = el("select", { "data-keep": "client" }, c.clients.map((k) => el("option", { value: k.id, selected: String(k.id) === client }, `client ${k.id}`)));
  const which = el("input", { type: "number", min: 1, value: q.get("entity") || "1", "data-keep": "entity" });
  const find = (e) => { e.preventDefault(); go("knows", { client: pick.value, entity: which.value }); };
  const form = el("form", { class: "filters", on: ["submit", find] },
    el("label", {}, "client", pick), el("label", {}, "entity", which), el("button", { type: "submit" }, "Show"));
  if (!client) return panel("What a client knows of an entity", el("p", { class: "soft" }, "No clients."));
  const k = await ask("api/knows?" + new URLSearchParams({ client, entity: q.get("entity") || "1" }));
  const ago = (send) => send ? `send ${count(send)}, ${Math.round(1000 * (k.send - send) / k.sendRate)} ms ago` : "–";
  const states = [k.own ? tag("own entity", "good") : null, k.hidden ? tag("hidden", "bad") : null, k.tooBig ? tag("too big", "bad") : null,
    k.joining ? tag("joining", "warn") : null, k.overBudget ? tag("over budget", "warn") : null, k.exists || k.everywhere ? null : tag("no such entity", "bad")];
  const words = panel("What a client knows of an entity", form, el("ol", { class: "why" }, k.why.map((w) => el("li", {}, w))),
    k.parts ? table(["<part of the interest", "<answer"], k.parts.map((p) => [p.part, el("td", { class: "text wrap" }, p.said)])) : null);
  if (k.everywhere || !k.exists) {
    return el("div", { class: "grid" }, words, panel(`Client ${k.client}, entity ${k.entity}`, el("p", {}, states),
      el("p", { class: "soft note" }, k.everywhere ? "Acknowledged states, baselines and priorities do not apply." : "There is nothing to acknowledge.")));
  }
  return el("div", { class: "grid" },
    words,
    panel(`Client ${k.client}, entity ${k.entity}`, el("p", {}, states),
      table(["<", "at tick " + count(k.tick)], [
        ["newest send", count(k.send)], ["acknowledged", ago(k.held)], ["baseline of the next", k.baseline ? ago(k.baseline) : "in full"],
        ["second baseline", k.second ? "yes" : "no"], ["last sent", ago(k.sent)], ["packets unacknowledged since", count(k.unacknowledged)],
        ["owner state acknowledged", ago(k.ownHeld)], ["owner state sent", ago(k.ownSent)],
        ["priority per send", few(k.priority)], ["gained", few(k.gained)], ["bytes of the next snapshot", `${count(k.allowed)} of ${count(k.budget)}`]]),
      el("p", { class: "legend" }, el("a", { href: "#entities?id=" + k.entity }, "its values"))));
}

async function blame() {
  const everywhere = latest && !latest.model.snapshots;
  const a = await ask("api/blame");
  if (a.clients.length === 0) {
    return panel("Corrections and their causes", el("p", { class: "soft" }, "No client has reported. Bots of this process report, and so do games that pass Client.Causes to Inspector.Report."));
  }
  if (everywhere && a.corrections === 0) {
    return panel("Corrections and their causes", el("p", { class: "soft" },
      "Does not apply: clients receive no states. Wrong assumptions about inputs make a peer simulate ticks again: see Re-simulation under Netcode."));
  }
  return el("div", { class: "grid" },
    panel(`${count(a.corrections)} corrections and their causes`, a.rows.length === 0 ? el("p", { class: "soft" }, "No prediction was wrong.") :
      table(["<field", "corrections", "share", "mean", "largest", "last tick", ""], a.rows.map((r) =>
        [`${r.component}.${r.field}`, count(r.corrections), percent(r.share), few(r.mean), few(r.largest), count(r.tick), bar(r.share, "#f2b950")]))),
    panel("By client", table(["client", "corrections"], a.clients.map((c) => [String(c.client), count(c.corrections)]))));
}

const pages = { clients, traffic, entities, knows, blame };

// mark highlights the tab of this page and scrolls to it on a phone.
let marked = "";
function mark(name) {
  if (name === marked) return;
  marked = name;
  const tabs = byId("tabs");
  tabs.replaceChildren(...Object.entries(names).map(([k, v]) => el("a", { href: "#" + k, "aria-current": k === name ? "page" : null }, v)));
  const tab = tabs.querySelector("[aria-current]");
  tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
}

async function refresh() {
  const mine = ++round;
  const p = place();
  mark(p.name);
  let trouble = "";
  const own = around.pages[p.name];
  try {
    if (own) {
      const page = await own(p.q);
      if (mine !== round) return;
      show(page, location.hash);
    }
    const s = around.alone ? null : await ask("api/status");
    const d = s && since("status", s);
    latest = s;
    const page = own ? null : p.name === "overview" ? overview(s, d) : p.name === "model" ? model(s, d) : await pages[p.name](p.q).catch((e) => { trouble = e.message; return null; });
    if (mine !== round) return;
    if (s) glance(s, d);
    if (page) show(page, location.hash);
    byId("dot").className = "dot live";
  } catch (e) {
    if (mine !== round) return;
    trouble = e.message;
    byId("dot").className = "dot lost";
  }
  byId("trouble").hidden = !trouble;
  byId("trouble").textContent = trouble;
}

// show replaces the page, unless the user is editing a field or pressing a button.
function show(page, of) {
  if (byId("page").matches(":active")) return;
  const busy = document.activeElement;
  if (busy && busy.dataset && busy.dataset.keep && byId("page").contains(busy)) return;
  if (page.dataset.morph && byId("page").firstElementChild?.dataset.morph === page.dataset.morph) {
    morph(byId("page").firstElementChild, page);
    byId("page").dataset.of = of;
    return;
  }
  const left = [...byId("page").querySelectorAll(".wide")].map((x) => x.scrollLeft);
  byId("page").replaceChildren(page);
  byId("page").dataset.of = of;
  byId("page").querySelectorAll(".wide").forEach((x, i) => { x.scrollLeft = left[i] || 0; });
}

async function run() {
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((done) => setTimeout(done, every));
  }
}
addEventListener("resize", () => { marked = ""; });
addEventListener("hashchange", () => {
  before = { status: before.status };
  if (document.activeElement && !byId("page").querySelector("[data-morph]")) document.activeElement.blur();
  refresh();
});
run();
