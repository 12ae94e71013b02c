"use strict";
// What operators do. Their token stands in what this tab remembers until it is closed, goes out in the header Authorization of what they
// do, and is in no cookie and in no address.

const kept = "tactus-operator";
let signedIn = null; // where the browser forbids storage
function operator() {
  try {
    return JSON.parse(sessionStorage.getItem(kept)) || signedIn;
  } catch {
    return signedIn;
  }
}

// keep stores the operator for this tab; null removes it.
function keep(who) {
  signedIn = who;
  try {
    if (who) sessionStorage.setItem(kept, JSON.stringify(who)); else sessionStorage.removeItem(kept);
  } catch { /* signedIn has it */ }
}

// post asks for an action, and gives what was answered.
async function post(path, body, token) {
  const answer = await fetch(path, {
    method: "POST", cache: "no-store", credentials: "omit",
    headers: { "Authorization": "Bearer " + token, "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const text = await answer.text();
  let said = null;
  try {
    said = JSON.parse(text);
  } catch {
    throw new Error(text.trim() || answer.statusText);
  }
  if (!answer.ok) {
    const e = new Error(said.message || answer.statusText);
    e.code = said.code;
    throw e;
  }
  return said;
}

// say tells what came of an action.
function say(text, bad) {
  byId("said").hidden = !text;
  byId("said").className = bad ? "said bad" : "said";
  byId("said").textContent = text || "";
}

// dialog asks for something: title, text, the word of the button, whether it is dangerous, and a field, {label, type, most,
// needed, hint}. It gives what was written, "" without a field, or null.
function dialog(d) {
  return new Promise((done) => {
    const field = d.field && el("input", { type: d.field.type || "text", maxlength: d.field.most, required: !!d.field.needed, placeholder: d.field.hint,
      autocomplete: "off", spellcheck: "false", inputmode: d.field.mode, pattern: d.field.pattern });
    const close = (value) => { box.close(); box.remove(); done(value); };
    const box = el("dialog", { "aria-labelledby": "asks", on: ["cancel", (e) => { e.preventDefault(); close(null); }] },
      el("form", { on: ["submit", (e) => { e.preventDefault(); close(field ? field.value : ""); }] },
        el("h2", { id: "asks" }, d.title), d.text ? el("p", {}, d.text) : null,
        field ? el("label", {}, d.field.label, field) : null,
        el("div", { class: "buttons" },
          el("button", { type: "button", on: ["click", () => close(null)] }, "Cancel"),
          el("button", { type: "submit", class: d.danger ? "danger" : "" }, d.word))));
    document.body.append(box);
    box.showModal();
    if (!field) box.querySelector(d.danger ? "button[type=button]" : "button[type=submit]").focus();
  });
}

async function signIn() {
  const token = await dialog({ title: "Sign in to act", word: "Sign in", text: "The token stays in this tab, and is forgotten with it.",
    field: { label: "token of an operator", type: "password", needed: true, most: 256 } });
  if (!token) return null;
  try {
    const said = await post(around.base + "check", {}, token.trim());
    keep({ name: said.operator, token: token.trim() });
    say("Signed in as " + said.operator + ".");
  } catch (e) {
    say(e.code === "unauthorized" ? "No operator has this token." : e.message, true);
  }
  standing();
  refresh();
  return operator();
}

function signOut() {
  keep(null);
  say("Signed out.");
  standing();
}

// act does something, once whoever does it has signed in and has confirmed it.
async function act(path, what, body, confirm) {
  const who = operator() || await signIn();
  if (!who) return;
  if (confirm) {
    const value = await dialog(confirm);
    if (value === null) return;
    if (confirm.field) body[confirm.field.name] = value.trim();
  }
  try {
    const said = await post(path, body, who.token);
    say(what + ": done. " + (said.note || ""));
  } catch (e) {
    if (e.code === "unauthorized") keep(null);
    say(what + ": " + e.message, true);
    standing();
  }
  refresh();
}

// standing says who acts here. a is what the process said last.
let told = null;
function standing(a) {
  told = a || told;
  if (!told) return;
  const who = operator();
  const line = !told.acts ? [el("span", {}, "Actions are off: nobody may act here. To turn them on, give ", el("code", {}, "operator.Config"), " some ", el("code", {}, "Operators"),
    ", such as of ", el("code", {}, "operator.ParseOperators(os.Getenv(\"OPERATORS\"))"), " with ", el("code", {}, "OPERATORS=\"ada=TOKEN\""), ".")] :
    who ? [el("span", {}, "You act as ", el("b", {}, who.name), "."), el("button", { type: "button", on: ["click", signOut] }, "Sign out")] :
      [el("span", {}, "You look on."), el("button", { type: "button", on: ["click", signIn] }, "Sign in to act")];
  const next = el("div", { id: "bar", class: "operator" }, line);
  morph(byId("bar"), next);
}

// What is shown of rooms on several pages.

const nano = (n) => micros(n / 1000);
function span(seconds) {
  const s = Math.max(Math.floor(seconds), 0);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min";
  return s < 86400 ? `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min` : `${Math.floor(s / 86400)} d ${Math.floor(s % 86400 / 3600)} h`;
}
const age = (now, at) => span((Date.parse(now) - Date.parse(at)) / 1000);

// marks are the state of a room, and what is wrong with it.
function marks(r) {
  const kind = { open: "good", running: "good", locked: "warn", draining: "warn", ended: "bad" }[r.state];
  return [tag(r.state, kind), r.private ? tag("private") : null, r.orphaned ? tag("orphaned", "warn") : null, r.unsaved ? tag("unsaved", "warn") : null, r.slow ? tag("slow", "warn") : null, r.stuck ? tag("stuck " + nano(r.stuck), "bad") : null];
}
const options = (o) => Object.entries(o || {}).sort(([a], [b]) => a < b ? -1 : 1).map(([k, v]) => el("span", { class: "option" }, k + " ", el("b", {}, String(v))));

// entries is the audit log as a table.
function entries(list, home, withRoom) {
  const clock = (t) => new Date(t).toLocaleTimeString("en-GB");
  const shades = { done: "good", refused: "warn", failed: "bad", told: "" };
  const heads = ["<time", "<who", "<what", withRoom ? "<room" : null, "<player", "<outcome", "<"].filter((h) => h !== null);
  return table(heads, list.map((e) => {
    const text = [e.detail, e.system ? "in " + e.system : null, e.tookUs ? "took " + micros(e.tookUs) : null, e.from && !e.who ? "from " + e.from : null].filter((x) => x).join(" · ");
    const words = e.stack ? el("details", { class: "entry" }, el("summary", {}, text || "where it is"), el("pre", {}, e.stack)) : text;
    const shade = e.outcome !== "told" ? shades[e.outcome] : ["failed", "stuck"].includes(e.what) ? "bad" : ["slow", "unseated", "fenced", "unsaved", "unloaded"].includes(e.what) || e.what === "flight" && e.detail ? "warn" : "";
    const cells = [el("td", { class: "text", title: e.at }, clock(e.at)), e.who || (e.outcome !== "told" ? "a stranger" : e.room ? "room" : "process"), e.what,
      withRoom ? el("td", { class: "text" }, e.room ? el("a", { href: `${home}room/${e.room}/` }, e.room) : "–", e.kind ? el("span", { class: "soft" }, " " + e.kind) : null) : null,
      e.player || "–", el("td", { class: "text" }, tag(e.outcome + (e.code ? ": " + e.code : ""), shade), e.times > 1 ? tag("× " + count(e.times), "warn") : null),
      el("td", { class: "text long" }, words)].filter((c) => c !== null);
    const row = line(cells, heads.map(() => true));
    row.dataset.key = "e" + e.number;
    return row;
  }));
}
