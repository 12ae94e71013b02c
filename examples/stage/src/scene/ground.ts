// Grounds and fences of worlds that are seen from above.
import * as three from 'three';
import { painted } from './textures';

/** Makes a ground with a repeated texture. tile is the size of the texture in units, beyond is how far the ground reaches beyond the field. */
export function ground(width: number, depth: number, beyond: number, tile: number, draw: (g: CanvasRenderingContext2D, random: () => number) => void): three.Mesh {
  const map = painted(512, draw), w = width + 2 * beyond, d = depth + 2 * beyond;
  map.repeat.set(w / tile, d / tile);
  const mesh = new three.Mesh(new three.PlaneGeometry(w, d).rotateX(-Math.PI / 2), new three.MeshLambertMaterial({ map }));
  mesh.position.set(width / 2, 0, depth / 2);
  mesh.receiveShadow = true;
  return mesh;
}

/** Makes the four walls around a field. */
export function rim(width: number, depth: number, thick: number, high: number, material: three.Material): three.Object3D[] {
  const walls = [[width / 2, -thick / 2, width + 2 * thick, thick], [width / 2, depth + thick / 2, width + 2 * thick, thick], [-thick / 2, depth / 2, thick, depth], [width + thick / 2, depth / 2, thick, depth]] as const;
  return walls.map(([x, z, w, d]) => box(x, high / 2, z, w, high, d, material));
}

/** Makes a box that casts and receives shadows, by its middle. */
export function box(x: number, y: number, z: number, w: number, h: number, d: number, material: three.Material): three.Mesh {
  const m = new three.Mesh(new three.BoxGeometry(w, h, d), material);
  m.position.set(x, y, z);
  m.castShadow = m.receiveShadow = true;
  return m;
}

/** A material without gloss. */
export const matt = (color: number, more: three.MeshStandardMaterialParameters = {}) => new three.MeshStandardMaterial({ color, roughness: 0.85, ...more });
