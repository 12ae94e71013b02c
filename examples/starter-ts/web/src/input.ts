// Reads the input of the player: keys, or a finger or the mouse button held at the destination.

const held = new Set<string>();
const released = new Set<string>(); // keys in held that were released since the last tick

/** The position of the finger or the pressed mouse, in pixels of the page, or null. */
export let finger: { x: number; y: number } | null = null;

const axis = (less: string[], more: string[]): number =>
  Number(more.some((k) => held.has(k))) - Number(less.some((k) => held.has(k)));

/** Returns the direction of the pressed keys, -1 to 1 along each axis. */
export const keys = (): [number, number] => [axis(['ArrowLeft', 'KeyA'], ['ArrowRight', 'KeyD']), axis(['ArrowUp', 'KeyW'], ['ArrowDown', 'KeyS'])];

/** Removes released keys. Call it after a tick, so that a tap between two ticks counts. */
export function ticked(): void {
  for (const key of released) held.delete(key);
  released.clear();
}

/** Listens for input on an element. Calls next when the player requests the next colour. */
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
