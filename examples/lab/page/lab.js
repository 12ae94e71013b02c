// Draws what the server has and what each client shows, and passes on what the person does. ../wasm is the other half.
const at = (id) => document.getElementById(id), status = at('status');
const SIGHT = 900, NAMES = ['You', 'Bea', 'Cleo', 'Dan'], COLOURS = ['#8d7bd8', '#4fe3ff', '#ffc85a', '#5fe08c', '#ff7ab8'];
const UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, FIRE = 16; // of examples/arena/game
const ids = NAMES.map(() => -1); // of the clients on the server
const buffer = new Uint8Array(1 << 16), floats = new Float32Array(buffer.buffer);

/** Returns a view: a canvas with a title and figures below. */
function view(title, id) {
  const figure = document.createElement('figure'), canvas = document.createElement('canvas'), caption = document.createElement('figcaption');
  const name = document.createElement('b'), small = document.createElement('small');
  name.textContent = title;
  canvas.id = id;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', title);
  caption.append(name, small);
  figure.append(canvas, caption);
  at('views').append(figure);
  return { canvas, small, c: canvas.getContext('2d'), x: 1000, y: 1000 };
}
const views = [view('What you see', 'you'), view('The server', 'server'), ...NAMES.slice(1).map((n) => view(`What ${n} sees`, n))];
const [yours, server] = views, clients = [yours, ...views.slice(2)];

/** Reads the rows of all worlds: the server's first, then the clients'. */
function read(bytes) {
  const worlds = [];
  for (let i = 0; i < bytes / 4;) {
    const rows = new Map();
    for (let n = floats[i++]; n > 0; n--, i += 6) rows.set(floats[i], { x: floats[i + 1], y: floats[i + 2], turn: floats[i + 3], client: floats[i + 4], down: floats[i + 5] > 0 });
    worlds.push(rows);
  }
  return worlds;
}

/** Draws rows around the player of a client, with rings where the server has the bodies. */
function draw(v, rows, truth, client, lab) {
  const { canvas, c } = v, side = Math.round(canvas.clientWidth * Math.min(devicePixelRatio, 2));
  if (canvas.width !== side) canvas.width = canvas.height = side;
  const own = [...rows.values()].find((b) => client && b.client === client);
  if (own) [v.x, v.y] = [own.x, own.y];
  const sight = client ? SIGHT : lab.size, half = sight / 2, keep = (p) => Math.min(Math.max(p, half), lab.size - half);
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.clearRect(0, 0, side, side);
  c.setTransform(side / sight, 0, 0, side / sight, (half - keep(v.x)) * side / sight, (half - keep(v.y)) * side / sight);
  c.fillStyle = '#3a4a7d';
  for (const [x, y, w, h] of lab.cover) c.fillRect(x, y, w, h);
  c.lineWidth = 2.5 * sight / 900;
  for (const [id, b] of rows) {
    if (b.down) continue;
    c.fillStyle = COLOURS[1 + ids.indexOf(b.client)];
    c.beginPath();
    if (b.client) c.arc(b.x, b.y, lab.radius, 0, 7);
    else for (const [far, turn] of [[18, 0], [14, 2.5], [14, -2.5]]) c.lineTo(b.x + far * Math.cos(b.turn + turn), b.y + far * Math.sin(b.turn + turn));
    c.fill();
    if (b.client) {
      c.strokeStyle = c.fillStyle;
      c.beginPath();
      c.moveTo(b.x, b.y);
      c.lineTo(b.x + 34 * Math.cos(b.turn), b.y + 34 * Math.sin(b.turn));
      c.stroke();
    }
    const there = client && truth.get(id);
    if (!there || there.down) continue;
    c.strokeStyle = '#ffffffb0';
    c.beginPath();
    c.arc(there.x, there.y, lab.radius + 3, 0, 7);
    c.stroke();
  }
}

/** How far the bodies that a client draws are from where the server has them, in units: the mean. */
function apart(rows, truth) {
  let sum = 0, n = 0;
  for (const [id, b] of rows) {
    const t = truth.get(id);
    if (t && !t.down && !b.down) [sum, n] = [sum + Math.hypot(t.x - b.x, t.y - b.y), n + 1];
  }
  return n ? sum / n : 0;
}

const keys = new Set(), hand = { aim: 0, fire: false, x: 0, y: 0 };
for (const [name, down] of [['keydown', true], ['keyup', false]]) addEventListener(name, (e) => {
  if (e.target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey || e.altKey) return;
  if (down) keys.add(e.code); else keys.delete(e.code);
  if (down && /^Key[WASD]$/.test(e.code)) at('pilot').checked = false;
});
addEventListener('blur', () => keys.clear());
for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) yours.canvas.addEventListener(name, (e) => {
  const r = yours.canvas.getBoundingClientRect(), pressed = e.buttons > 0 && (name === 'pointerdown' || name === 'pointermove');
  const x = (e.clientX - r.left) / r.width - 0.5, y = (e.clientY - r.top) / r.height - 0.5;
  hand.aim = (Math.atan2(y, x) + 2 * Math.PI) % (2 * Math.PI);
  hand.fire = pressed;
  if (name === 'pointerdown') at('pilot').checked = false;
  const drags = e.pointerType === 'touch' && pressed && Math.hypot(x, y) > 0.1;
  [hand.x, hand.y] = drags ? [Math.cos(hand.aim), Math.sin(hand.aim)] : [0, 0];
});

/** Runs the laboratory. The module calls it when it is ready. */
globalThis.begin = (lab) => {
  const number = (id) => Number(at(id).value), model = at('model');
  model.append(...lab.models.map((m) => new Option(m)));
  const link = () => {
    lab.link(number('rtt') / 1000, number('jitter') / 1000, number('loss') / 100, at('all').checked);
    for (const [id, unit] of [['rtt', ' ms'], ['jitter', ' ms'], ['loss', ' %'], ['speed', ' %']]) at(id).nextElementSibling.textContent = at(id).value + unit;
  };
  const start = () => {
    const error = lab.start(model.value);
    status.textContent = error ?? '';
    link();
  };
  model.onchange = start;
  at('controls').oninput = link;
  at('controls').onsubmit = (e) => e.preventDefault();
  start();
  let last = performance.now(), shown = 0, since = 0, off = clients.map(() => 0), frames = 0;
  requestAnimationFrame(function frame(now) {
    const seconds = Math.min((now - last) / 1000, 0.1) * number('speed') / 100;
    last = now;
    const held = (...all) => all.some((k) => keys.has(k));
    const buttons = (held('KeyW') || hand.y < -0.38 ? UP : 0) | (held('KeyS') || hand.y > 0.38 ? DOWN : 0) | (held('KeyA') || hand.x < -0.38 ? LEFT : 0) |
      (held('KeyD') || hand.x > 0.38 ? RIGHT : 0) | (hand.fire ? FIRE : 0);
    lab.act(buttons, hand.aim, at('pilot').checked);
    const error = lab.pass(seconds);
    if (error) {
      status.textContent = `${error}. Choose a model to start again.`;
    } else {
      const [truth, ...seen] = read(lab.rows(buffer));
      draw(server, truth, truth, 0, lab);
      frames++;
      clients.forEach((v, i) => {
        const rows = seen[i] ?? new Map(), mine = ids[i];
        draw(v, rows, truth, mine, lab);
        off[i] += apart(rows, truth);
      });
      since += seconds;
      if (now - shown > 500 && since > 0) {
        lab.figures(since).forEach((f, i) => {
          ids[i] = f.client;
          clients[i].small.textContent = `others ${Math.round(1000 * f.behind)} ms ago, ${(off[i] / frames).toFixed(1)} units apart · ${f.corrections} corrections, ${f.resimulated} ticks again · ${(f.down / 1000).toFixed(1)} kB/s`;
        });
        [shown, since, off, frames] = [now, 0, clients.map(() => 0), 0];
      }
      globalThis.lab = { worlds: seen.map((w) => w.size), passed: (globalThis.lab?.passed ?? 0) + seconds };
    }
    requestAnimationFrame(frame);
  });
};
addEventListener('load', async () => {
  const go = new Go();
  try {
    const { instance } = await WebAssembly.instantiateStreaming(fetch('play.wasm'), go.importObject);
    void go.run(instance);
  } catch (e) {
    status.textContent = `The laboratory cannot start: ${e.message}. The server has to send play.wasm as application/wasm.`;
  }
});
