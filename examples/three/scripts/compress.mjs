// Compresses what Vite has made, where it is worth it.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './pages.mjs';
import { squeeze } from './squeeze.mjs';

const dist = join(root, 'dist');
for (const f of await readdir(dist, { recursive: true })) if (/\.(html|js|css|svg)$/.test(f)) await squeeze(join(dist, f));
