// What the player does: keys, and a finger or the mouse, held where the player is to go.

const held = new Set<string>();
const released = new Set<string>(); // of held: let go since the last tick

/** Where on the screen a finger is, in pixels of the page; null where there is none. */
export let finger: { x: number; y: number } | null = null;

const axis = (less: string[], more: string[]): number =>
  Number(more.some((k) => held.has(k))) - Number(less.some((k) => held.has(k)));

/** Which way the keys point, -1 to 1 along each axis. */
export const keys = (): [number, number] => [axis(['ArrowLeft', 'KeyA'], ['ArrowRight', 'KeyD']), axis(['ArrowUp', 'KeyW'], ['ArrowDown', 'KeyS'])];

/** Lets go of keys that were released: after a tick, so that a tap between two ticks counts. */
export function ticked(): void {
  for (const key of released) held.delete(key);
  released.clear();
}

/** Listens for what is done on an element, and calls next when the next colour is asked for. */
export function listen(canvas: HTMLElement, next: () => void): void {
  addEventListener('keydown', (e) => {
    if (e.target instanceof HTMLInputElement) return;
    if (e.code === 'KeyC' && !e.repeat) next();
    if (e.code.startsWith('Arrow')) e.preventDefault();
    held.add(e.code);
    released.delete(e.code);
  });
  addEventListener('keyup', (e) => released.add(e.code));
  addEventListener('blur', () => {
    held.clear();
    finger = null;
  });
  canvas.addEventListener('pointerdown', (e) => {
    canvas.setPointerCapture(e.pointerId);
    finger = { x: e.clientX, y: e.clientY };
  });
  canvas.addEventListener('pointermove', (e) => {
    if (finger) finger = { x: e.clientX, y: e.clientY };
  });
  for (const over of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(over, () => (finger = null));
}
