// Draws the game. You can change this file while you play: saving it updates the picture. To use three.js, Pixi or another
// renderer, replace this file: it reads rows of tables and does not depend on the network.
import type { Colour, Table, Taken } from '../../bindings/game.mjs';

/** The size of the arena, in units: Width and Height of game/protocol.go. */
const WIDTH = 640, HEIGHT = 400;

/** The CSS colours of players. */
export const COLOURS: Readonly<Record<Colour, string>> = ['#5aa9ff', '#ff6b6b', '#5fd38a', '#c08bff', '#ffa24d', '#43d6cf'];
const GOLD = '#ffc94a', RADIUS = 11;
const READABLE = 0.8; // pixels of the page per unit, at least, for a player

export interface Player {
  name: string;
  score: number;
  colour: Colour;
  own: boolean;
  /** Whether the player's page is closed or reloading. */
  away: boolean;
  x: number;
  y: number;
  /** The direction of the eyes, -1 to 1 along each axis. */
  lookX: number;
  lookY: number;
}

const known = new Map<number, Player>(); // by NetID, from the previous frame
const scene = { players: [] as Player[], me: null as Player | null };
const sparks: { x: number; y: number; vx: number; vy: number; born: number; text: string }[] = [];

/** Draws a frame and returns its players. client is the number of the own client. */
export function draw(canvas: HTMLCanvasElement, tables: readonly Table[], client: number): typeof scene {
  const now = performance.now(), c = canvas.getContext('2d')!, { clientWidth: w, clientHeight: h } = canvas;
  const width = Math.round(w * devicePixelRatio), height = Math.round(h * devicePixelRatio), below = h < 480 ? 0 : 84; // the footer
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.clearRect(0, 0, width, height);
  scene.players.length = 0;
  scene.me = null;
  for (const t of tables) {
    const { Place, Player, Owner } = t; // null if the rows of the table have no such component
    if (!Place || !Player || !Owner) continue;
    for (let r = 0; r < t.rows; r++) {
      const p = remember(t.id(r), Place.X(r), Place.Y(r));
      p.score = Player.Score(r);
      p.name = Player.Name(r);
      p.colour = Player.Colour(r);
      p.own = Owner.Client(r) === client;
      p.away = Player.Away(r);
      scene.players.push(p);
      if (p.own) scene.me = p;
    }
  }
  const fits = Math.min(w / (WIDTH + 36), (h - below) / (HEIGHT + 56)), scale = scene.me ? Math.max(fits, READABLE) : fits; // in pixels of the page
  const unit = scale * devicePixelRatio, at = scene.me ?? { x: 0, y: 0 };
  c.setTransform(unit, 0, 0, unit, unit * edge(w / scale, WIDTH, 18, at.x), unit * edge((h - below) / scale, HEIGHT, 28, at.y));
  floor(c);
  for (const t of tables) if (t.Place && t.Star) for (let r = 0; r < t.rows; r++) star(c, t.Place.X(r), t.Place.Y(r), t.Star.Worth(r), t.id(r), now);
  if (known.size > 2 * scene.players.length + 16) known.clear(); // most of these players have left
  for (const p of scene.players) {
    c.globalAlpha = p.away ? 0.3 : 1;
    body(c, p);
    label(c, p, Math.max(11, 12 / scale));
  }
  c.globalAlpha = 1;
  fly(c, now);
  return scene;
}

/** Returns the place of the arena's left or upper edge on the page, in units. If the page is too short for the arena, it follows the point at. */
function edge(page: number, arena: number, margin: number, at: number): number {
  if (page > arena + 2 * margin) return (page - arena) / 2;
  return Math.min(Math.max(page / 2 - at, page - arena - margin), margin);
}

/** Adds sparks and points where a player has taken a star. */
export function burst({ X: x, Y: y, Worth }: Taken): void {
  const born = performance.now();
  sparks.push({ x, y: y - 30, vx: 0, vy: -0.02, born, text: `+${Worth}` });
  for (let n = 0; n < 14; n++) sparks.push({ x, y, vx: Math.cos(n) * (0.04 + n / 200), vy: Math.sin(n) * (0.04 + n / 200), born, text: '' });
}

/** Moves the player of the previous frame to its new place. The eyes follow the movement. */
function remember(id: number, x: number, y: number): Player {
  let p = known.get(id);
  if (!p) known.set(id, (p = { name: '', score: 0, colour: 0, own: false, away: false, x, y, lookX: 0, lookY: 0 }));
  const ease = 0.2;
  p.lookX += (Math.sign(Math.round(8 * (x - p.x))) - p.lookX) * ease;
  p.lookY += (Math.sign(Math.round(8 * (y - p.y))) - p.lookY) * ease;
  return Object.assign(p, { x, y });
}

function floor(c: CanvasRenderingContext2D): void {
  const light = c.createRadialGradient(WIDTH / 2, HEIGHT / 2, 40, WIDTH / 2, HEIGHT / 2, 420);
  light.addColorStop(0, '#23313f');
  light.addColorStop(1, '#18222c');
  c.fillStyle = light;
  c.beginPath();
  c.roundRect(-14, -14, WIDTH + 28, HEIGHT + 28, 20);
  c.fill();
  c.fillStyle = '#ffffff12';
  for (let x = 20; x < WIDTH; x += 40) for (let y = 20; y < HEIGHT; y += 40) c.fillRect(x - 1, y - 1, 2, 2);
}

/** Draws a star. Its size grows with its worth. */
function star(c: CanvasRenderingContext2D, x: number, y: number, worth: number, id: number, now: number): void {
  const size = (5 + 1.8 * worth) * (1 + 0.07 * Math.sin(now / 400 + id));
  c.save();
  c.translate(x, y);
  c.fillStyle = '#ffc94a22';
  c.beginPath();
  c.arc(0, 0, 1.9 * size, 0, 7);
  c.fill();
  c.rotate(Math.sin(now / 900 + id) / 4);
  c.fillStyle = GOLD;
  c.strokeStyle = GOLD;
  c.lineJoin = 'round';
  c.lineWidth = size / 4;
  c.beginPath();
  for (let n = 0; n < 10; n++) {
    const far = n % 2 ? size * 0.48 : size, turn = (n / 5 - 0.5) * Math.PI;
    c.lineTo(far * Math.cos(turn), far * Math.sin(turn));
  }
  c.closePath();
  c.fill();
  c.stroke();
  c.restore();
}

function body(c: CanvasRenderingContext2D, p: Player): void {
  const circle = (x: number, y: number, radius: number, fill: string): void => {
    c.fillStyle = fill;
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    c.fill();
  };
  c.fillStyle = '#00000040';
  c.beginPath();
  c.ellipse(p.x, p.y + RADIUS, RADIUS, RADIUS / 3, 0, 0, 7);
  c.fill();
  if (p.own) circle(p.x, p.y, RADIUS + 2.5, '#ffffff');
  circle(p.x, p.y, RADIUS, COLOURS[p.colour]);
  for (const side of [-4, 4]) {
    const x = p.x + side + 3 * p.lookX, y = p.y - 2 + 3 * p.lookY;
    circle(x, y, 3.1, '#ffffff');
    circle(x + 1.2 * p.lookX, y + 1.2 * p.lookY, 1.6, '#18222c');
  }
}

/** Draws the name. size is the font size in units: on a phone, names are larger than the rest. */
function label(c: CanvasRenderingContext2D, p: Player, size: number): void {
  c.font = `600 ${size}px system-ui, sans-serif`;
  c.textAlign = 'center';
  c.fillStyle = p.own ? '#ffffff' : '#ffffffb0';
  c.fillText(p.name, p.x, p.y - RADIUS - 7);
}

/** Draws the sparks and the points, which fade after LASTS milliseconds. */
function fly(c: CanvasRenderingContext2D, now: number): void {
  const LASTS = 700;
  while (sparks[0] && now - sparks[0].born > LASTS) sparks.shift();
  c.font = '800 15px system-ui, sans-serif';
  c.fillStyle = GOLD;
  for (const s of sparks) {
    const age = now - s.born, x = s.x + s.vx * age, y = s.y + s.vy * age;
    c.globalAlpha = 1 - age / LASTS;
    if (s.text) c.fillText(s.text, x, y);
    else c.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
  c.globalAlpha = 1;
}
