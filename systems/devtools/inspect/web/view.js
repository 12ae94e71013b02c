"use strict";
// Elements, numbers, tables and charts. Text is never parsed as HTML, because names come
// from players.

const svgSpace = "http://www.w3.org/2000/svg";

// el creates an element with attributes by name and children, which are elements or text.
function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k === "on") listen(e, v[0], v[1]);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children.flat().filter((c) => c != null));
  return e;
}

// listen calls a handler for an event. morph may replace the handler.
function listen(e, event, hear) {
  if (!e.hears) e.hears = {};
  if (!e.hears[event]) e.addEventListener(event, (x) => e.hears[event](x));
  e.hears[event] = hear;
}

// morph changes an element to equal next and leaves equal parts alone, so that focus, selection and scroll position stay.
// It matches children by data-key, or by their position. A handler must look up other elements when it is called, because
// earlier ones may have been replaced.
function morph(old, next) {
  if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName) return old.replaceWith(next);
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  for (const a of [...old.attributes]) if (a.name !== "style" && !next.hasAttribute(a.name) && !(a.name === "open" && old.nodeName === "DETAILS")) old.removeAttribute(a.name);
  if (old.style.cssText !== next.style.cssText) old.style.cssText = next.style.cssText; // as an attribute it is not allowed
  for (const a of next.attributes) if (a.name !== "style" && old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
  for (const [event, hear] of Object.entries(next.hears || {})) listen(old, event, hear);
  const wanted = new Set([...next.children].map((c) => c.dataset.key));
  for (const c of [...old.children]) if (c.dataset.key && !wanted.has(c.dataset.key)) c.remove();
  const keyed = new Map([...old.children].filter((c) => c.dataset.key).map((c) => [c.dataset.key, c]));
  let at = old.firstChild;
  for (const child of [...next.childNodes]) {
    const key = child.dataset && child.dataset.key;
    const same = key ? keyed.get(key) : at && !(at.dataset && at.dataset.key) ? at : null;
    if (!same) {
      old.insertBefore(child, at);
      continue;
    }
    keyed.delete(key);
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    morph(same, child);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function shape(name, attributes, ...children) {
  const e = document.createElementNS(svgSpace, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// Numbers for people.
const count = (n) => Math.round(n).toLocaleString("en");
function few(v) {
  if (!isFinite(v)) return "–";
  if (v === 0) return "0";
  const a = Math.abs(v);
  return a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : a >= 1 ? v.toFixed(2) : v.toPrecision(2);
}
function micros(us) {
  if (us >= 1e6) return few(us / 1e6) + " s";
  return us >= 1000 ? few(us / 1000) + " ms" : few(us) + " µs";
}
function bytes(n) {
  if (n >= 1e9) return few(n / 1e9) + " GB";
  if (n >= 1e6) return few(n / 1e6) + " MB";
  return n >= 1e3 ? few(n / 1e3) + " kB" : Math.round(n) + " B";
}
const percent = (share) => (100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0) + " %";
const ms = (v) => v.toFixed(v < 10 ? 1 : 0);

// big is a number with its unit in small.
function big(text) {
  const at = text.indexOf(" ");
  return at < 0 ? el("b", {}, text) : el("b", {}, text.slice(0, at), el("small", {}, " " + text.slice(at + 1)));
}
const tile = (label, value) => el("div", { class: "tile" }, big(value), el("span", {}, label));
const tag = (text, kind) => el("span", { class: "tag " + (kind || "") }, text);
const panel = (title, ...rest) => el("section", { class: "panel" }, title ? el("h2", {}, title) : null, ...rest);

// table is rows of cells; heads starting with "<" are text, to the left. There may be none.
function table(heads, rows) {
  const text = (heads || []).map((h) => h.startsWith("<"));
  return el("div", { class: "wide" }, el("table", {},
    heads && el("thead", {}, el("tr", {}, heads.map((h, i) => el("th", { class: text[i] ? "text" : "", scope: "col" }, h.replace("<", ""))))),
    el("tbody", {}, rows.map((r) => r instanceof Node ? r : line(r, text)))));
}
function line(cells, text, kind) {
  return el("tr", { class: kind || "" }, cells.map((c, i) =>
    c instanceof HTMLTableCellElement ? c : el("td", { class: text && text[i] ? "text" : "" }, c)));
}
function bar(share, color) {
  const i = el("i");
  i.style.width = (100 * Math.min(Math.max(share, 0), 1)).toFixed(1) + "%";
  if (color) i.style.background = color;
  return el("td", { class: "bars" }, el("span", { class: "bar" }, i));
}

// wide is how many units a chart is wide: text in it keeps its size on a phone.
const wide = () => innerWidth < 560 ? 340 : 600;

// timeline draws wake-ups one by one, with the time that there is for each.
function timeline(values, room) {
  const w = wide(), h = 150, left = 58, foot = 6;
  const sorted = [...values].sort((a, b) => a - b);
  const high = sorted[Math.floor(0.99 * sorted.length)] || 1;
  const most = Math.max(1.5 * high, 1);
  const y = (v) => h - foot - (h - foot - 12) * Math.min(v / most, 1);
  const svg = shape("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": "Time of the latest wake-ups" });
  for (const v of [0, most / 2, most]) {
    svg.append(shape("line", { x1: left, x2: w, y1: y(v), y2: y(v), stroke: "#273140" }),
      shape("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, micros(v)));
  }
  const step = (w - left) / 600;
  const at = (i) => left + (600 - values.length + i) * step;
  let path = "";
  values.forEach((v, i) => { path += `M${at(i).toFixed(1)} ${y(0).toFixed(1)}V${y(v).toFixed(1)}`; });
  svg.append(shape("path", { d: path, stroke: "#58a6ff", "stroke-width": 1, fill: "none" }));
  const late = values.map((v, i) => v > room ? `M${at(i).toFixed(1)} ${y(0).toFixed(1)}V${y(v).toFixed(1)}` : "").join("");
  if (late) svg.append(shape("path", { d: late, stroke: "#f4716b", "stroke-width": 1.5, fill: "none" }));
  if (room < most) svg.append(shape("line", { x1: left, x2: w, y1: y(room), y2: y(room), stroke: "#f2b950", "stroke-dasharray": "5 4" }));
  return svg;
}

// histogram draws classes of wake-ups.
function histogram(wakeups) {
  const first = Math.max(wakeups.counts.findIndex((n) => n > 0), 0);
  const last = wakeups.counts.findLastIndex((n) => n > 0) + 1;
  const classes = wakeups.counts.slice(first, last);
  const w = wide(), h = 150, base = h - 20, top = 18;
  const most = Math.max(...classes, 1);
  const step = w / Math.max(classes.length, 1);
  const svg = shape("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": "Wake-ups by their time" });
  classes.forEach((n, i) => {
    const bound = wakeups.boundsUs[first + i];
    const tall = n === 0 ? 0 : Math.max((base - top) * n / most, 2);
    const late = bound === undefined || bound > wakeups.roomUs;
    const name = bound === undefined ? "more" : micros(bound).replace(".00", "").replace(".0", "");
    svg.append(shape("rect", { x: i * step + 3, width: Math.max(step - 6, 1), y: base - tall, height: tall, rx: 3, fill: late ? "#f4716b" : "#58a6ff" }),
      shape("text", { x: Math.max((i + 0.5) * step, 20), y: h - 5, "text-anchor": "middle" }, step >= 44 || i % 2 === 0 ? name : ""));
    const part = share(n, wakeups.count), fits = step >= 44 ? part : n / wakeups.count >= 0.095 ? part.replace(" %", "") : "";
    if (n > 0 && fits) svg.append(shape("text", { x: (i + 0.5) * step, y: base - tall - 5, "text-anchor": "middle" }, fits));
  });
  return svg;
}
const share = (n, of) => n / of >= 0.995 || n === 0 ? percent(n / of) : n / of < 0.001 ? "< 0.1 %" : percent(n / of);
