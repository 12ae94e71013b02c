import * as three from 'three';
import { pen } from './textures';

/** Makes a name tag that floats over a player. high is its height in units. */
export function label(name: string, colour: three.Color, high: number): three.Sprite {
  const canvas = document.createElement('canvas'), c = pen(canvas);
  [canvas.width, canvas.height] = [512, 96];
  c.font = '600 52px system-ui, sans-serif';
  c.textAlign = 'center';
  c.lineWidth = 10;
  c.strokeStyle = '#060912c0';
  c.strokeText(name, 256, 66, 500);
  c.fillStyle = colour.clone().lerp(WHITE, 0.45).getStyle();
  c.fillText(name, 256, 66, 500);
  const map = new three.CanvasTexture(canvas);
  map.colorSpace = three.SRGBColorSpace;
  const sprite = new three.Sprite(new three.SpriteMaterial({ map, depthTest: false, transparent: true, fog: false, toneMapped: false }));
  sprite.scale.set(high * 512 / 96, high, 1);
  sprite.renderOrder = 10;
  sprite.name = name;
  return sprite;
}

/** Returns a player's name tag in a scene: the same one as before unless the name has changed. */
export function relabel(scene: three.Scene, tag: three.Sprite | null, name: string, colour: three.Color, high: number): three.Sprite {
  if (tag?.name === name) return tag;
  if (tag) unlabel(tag);
  const made = label(name, colour, high);
  scene.add(made);
  return made;
}

/** Removes a name tag. */
export function unlabel(sprite: three.Sprite) {
  sprite.removeFromParent();
  sprite.material.map?.dispose();
  sprite.material.dispose();
}

const WHITE = new three.Color(0xffffff);
