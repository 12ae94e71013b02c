// The free camera of a replay.

/** How the viewer moves the camera in a frame: x and y in widths of the screen, drag in CSS pixels; zoom is 1 for the usual distance. far is
 * that of a camera that follows a player. */
export const free = { on: false, x: 0, y: 0, drag: { x: 0, y: 0 }, zoom: 1, far: 1 };

/** Changes the distance of the free camera by a factor. */
export function zoom(by: number) {
  if (free.on) free.zoom = Math.min(Math.max(free.zoom * by, 0.3), 3);
}

/** Fingers on an element, which gets no other touches. One drags, as the mouse does; two zoom and move the camera. */
export class Fingers {
  private readonly down = new Map<number, PointerEvent>();
  private drag = { x: 0, y: 0 };
  private pan = { x: 0, y: 0 };

  constructor(on: HTMLElement, signal: AbortSignal) {
    for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const) on.addEventListener(kind, (e) => {
      if (e.pointerType !== 'touch') return;
      e.stopImmediatePropagation();
      if (kind === 'pointermove') this.move(e);
      else if (kind === 'pointerdown') this.down.set(e.pointerId, e);
      else this.down.delete(e.pointerId);
    }, { capture: true, signal });
  }

  /** Returns the movements since its last call: drag in CSS pixels, pan in widths of the screen. */
  read() {
    const { drag, pan } = this;
    this.drag = { x: 0, y: 0 };
    this.pan = { x: 0, y: 0 };
    return { drag, pan };
  }

  private move(to: PointerEvent) {
    const from = this.down.get(to.pointerId), other = [...this.down.values()].find((f) => f !== from);
    if (!from) return;
    this.down.set(to.pointerId, to);
    const x = to.clientX - from.clientX, y = to.clientY - from.clientY;
    if (!other) return void (this.drag = { x: this.drag.x + x, y: this.drag.y + y });
    const far = (f: PointerEvent) => Math.max(Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY), 1);
    zoom(far(from) / far(to));
    this.pan = { x: this.pan.x - x / 2 / innerWidth, y: this.pan.y - y / 2 / innerWidth };
  }
}
