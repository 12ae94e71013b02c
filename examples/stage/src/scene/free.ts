// The free camera of a replay.

/** How the viewer moves the camera in a frame: x and y in widths of the screen, drag in CSS pixels; zoom is 1 for the usual distance. */
export const free = { on: false, x: 0, y: 0, drag: { x: 0, y: 0 }, zoom: 1 };
