// Textures that the page draws itself instead of downloading them, and boxes with these textures.
import * as three from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';

/** Returns a generator of random numbers, which are the same for the same seed. */
export function dice(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns what draws on a canvas for a texture: the processor, because software in place of a graphics card takes seconds. */
export const pen = (canvas: HTMLCanvasElement) => canvas.getContext('2d', { willReadFrequently: true })!;

/** Draws a repeating texture of size × size pixels. */
export function painted(size: number, draw: (g: CanvasRenderingContext2D, random: () => number) => void): three.CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  draw(pen(canvas), dice(size));
  const texture = new three.CanvasTexture(canvas);
  texture.colorSpace = three.SRGBColorSpace;
  texture.wrapS = texture.wrapT = three.RepeatWrapping;
  texture.anisotropy = 8;
  return texture;
}

const shade = (hue: number, saturation: number, light: number) => `hsl(${hue} ${saturation}% ${light}%)`;

function grass(g: CanvasRenderingContext2D, random: () => number) {
  g.fillStyle = shade(96, 41, 44);
  g.fillRect(0, 0, 512, 512);
  for (let i = 0; i < 60; i++) { // patches
    const x = random() * 512, y = random() * 512, r = 30 + random() * 60, light = random() < 0.5 ? 38 : 49;
    for (const [dx, dy] of [[0, 0], [512, 0], [-512, 0], [0, 512], [0, -512]] as const) {
      const soft = g.createRadialGradient(x + dx, y + dy, 0, x + dx, y + dy, r);
      soft.addColorStop(0, `hsl(${88 + random() * 14} 43% ${light}% / .4)`);
      soft.addColorStop(1, `hsl(96 43% ${light}% / 0)`);
      g.fillStyle = soft;
      g.fillRect(x + dx - r, y + dy - r, 2 * r, 2 * r);
    }
  }
  for (let i = 0; i < 2600; i++) {
    g.strokeStyle = shade(84 + random() * 24, 44, 36 + random() * 20);
    const x = random() * 512, y = random() * 512;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x + random() * 6 - 3, y - 4 - random() * 6);
    g.stroke();
  }
}

function stones(g: CanvasRenderingContext2D, random: () => number) {
  g.fillStyle = shade(228, 12, 44);
  g.fillRect(0, 0, 512, 512);
  for (let row = 0; row < 4; row++) for (let n = 0; n < 4; n++) {
    const x = n * 128 + (row % 2) * 64, y = row * 128, light = 58 + random() * 11;
    for (const at of [x, x - 512]) {
      g.fillStyle = shade(222 + random() * 14, 11, light);
      g.beginPath();
      g.roundRect(at + 4, y + 4, 120, 120, 14);
      g.fill();
      g.fillStyle = `hsl(228 14% ${light + 8}% / .8)`;
      g.fillRect(at + 14, y + 7, 100, 5);
      g.fillStyle = `hsl(228 20% 30% / .3)`;
      g.fillRect(at + 14, y + 114, 100, 6);
    }
  }
  speckle(g, random, 1500, 228);
}

function planks(g: CanvasRenderingContext2D, random: () => number) {
  for (let i = 0; i < 4; i++) {
    const light = 47 + random() * 9;
    g.fillStyle = shade(29, 46, light);
    g.fillRect(0, i * 128, 512, 128);
    for (let k = 0; k < 26; k++) {
      g.strokeStyle = `hsl(26 45% ${light - 6 - random() * 10}% / .5)`;
      g.lineWidth = 1 + random() * 2;
      const y = i * 128 + 6 + random() * 114, x = random() * 300;
      g.beginPath();
      g.moveTo(x, y);
      g.bezierCurveTo(x + 60, y + random() * 8 - 4, x + 120, y + random() * 8 - 4, x + 200, y);
      g.stroke();
    }
    g.fillStyle = 'hsl(24 50% 22%)';
    g.fillRect(0, i * 128, 512, 5);
    g.fillRect(((i * 197) % 512), i * 128, 5, 128);
    g.fillStyle = 'hsl(34 60% 64% / .6)';
    g.fillRect(0, i * 128 + 5, 512, 3);
  }
}

function crate(g: CanvasRenderingContext2D, random: () => number) {
  planks(g, random);
  g.lineWidth = 58;
  g.strokeStyle = shade(30, 50, 40);
  g.beginPath();
  g.moveTo(30, 30);
  g.lineTo(482, 482);
  g.stroke();
  g.strokeStyle = shade(31, 50, 45);
  g.strokeRect(29, 29, 454, 454);
  g.lineWidth = 5;
  g.strokeStyle = 'hsl(24 50% 22%)';
  g.strokeRect(59, 59, 394, 394);
  g.strokeRect(2, 2, 508, 508);
  g.fillStyle = 'hsl(35 15% 80%)';
  for (const [x, y] of [[29, 29], [483, 29], [29, 483], [483, 483]] as const) {
    g.beginPath();
    g.arc(x, y, 9, 0, 7);
    g.fill();
  }
}

function speckle(g: CanvasRenderingContext2D, random: () => number, n: number, hue: number) {
  for (let i = 0; i < n; i++) {
    g.fillStyle = `hsl(${hue} 15% ${random() * 100}% / .07)`;
    g.beginPath();
    g.arc(random() * 512, random() * 512, 1 + random() * 5, 0, 7);
    g.fill();
  }
}

function soil(g: CanvasRenderingContext2D, random: () => number) {
  g.fillStyle = shade(28, 34, 38);
  g.fillRect(0, 0, 512, 512);
  for (let i = 0; i < 140; i++) {
    g.fillStyle = shade(24 + random() * 12, 24 + random() * 16, 30 + random() * 18);
    g.beginPath();
    g.ellipse(random() * 512, random() * 512, 8 + random() * 22, 6 + random() * 12, random() * 3, 0, 7);
    g.fill();
  }
  speckle(g, random, 900, 30);
}

/** Returns the materials of ground, blocks and crates. */
export function materials() {
  const of = (draw: (g: CanvasRenderingContext2D, random: () => number) => void, roughness = 0.95) =>
    new three.MeshStandardMaterial({ map: painted(512, draw), roughness });
  return { grass: of(grass), stone: of(stones), wood: of(planks), crate: of(crate), soil: of(soil) };
}

/** Returns a box with round edges. Its texture is tile metres wide; tile 0 puts the whole texture on each side. */
export function block(w: number, h: number, d: number, round: number, tile: number): three.BufferGeometry {
  const shape = new RoundedBoxGeometry(w, h, d, 2, Math.min(round, w / 2, h / 2, d / 2));
  const { position: p, uv } = shape.attributes as { position: three.BufferAttribute; uv: three.BufferAttribute };
  for (const [side, { start, count }] of shape.groups.entries()) for (let i = start; i < start + count; i++) {
    const x = p.getX(i), y = p.getY(i), z = p.getZ(i);
    const [u, v, wide, high] = side < 2 ? [z, y, d, h] : side < 4 ? [x, z, w, d] : [x, y, w, h];
    uv.setXY(i, tile ? u / tile : u / wide + 0.5, tile ? v / tile : v / high + 0.5);
  }
  shape.clearGroups();
  return shape;
}
