// The pages of this folder: NAME.html plays the world of examples/NAME.
import { readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** This folder. */
export const root = resolve(import.meta.dirname, '..');

/** The names of the worlds. */
export const worlds = readdirSync(root).filter((f) => f.endsWith('.html')).map((f) => basename(f, '.html'));
