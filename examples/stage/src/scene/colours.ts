// Colours that people with colour blindness tell apart. The own player always has the same colour, and a ring below it.
import { Color } from 'three';

export const OWN = 0x38c8f0;
const others = [0xe69f00, 0xd55e00, 0xf0e442, 0xcc79a7, 0x3fbf8f, 0x9a86f0, 0xf4f1e8, 0xb5763a];
const made = new Map<number, Color>();

/** Returns the colour of a client's player, as a number. own marks the player of this page. */
export const hexOf = (client: number, own: boolean) => (own ? OWN : others[client % others.length]!);

/** Returns the colour of a client's player. Do not change it. */
export function colourOf(client: number, own: boolean): Color {
  const hex = hexOf(client, own);
  let c = made.get(hex);
  if (!c) made.set(hex, (c = new Color(hex)));
  return c;
}

/** Returns a colour for CSS. */
export const css = (hex: number) => `#${hex.toString(16).padStart(6, '0')}`;

/** The two teams: blue and orange. */
export const TEAMS = [0x3d9bf0, 0xf0922b] as const;
