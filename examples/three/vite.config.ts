import { statSync } from 'node:fs';
import { defineConfig } from 'vite';
import { root, worlds } from './scripts/pages.mjs';

// npm run dev shows changes at once, while `go run ./examples/arena` serves the game.
const game = process.env['GAME'] ?? 'http://127.0.0.1:7780';

export default defineConfig({
  base: './',
  define: { MODULES: JSON.stringify(Object.fromEntries(worlds.map((w) => [w, statSync(`${root}/public/${w}.wasm`).size]))) },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { input: Object.fromEntries(worlds.map((w) => [w, `${root}/${w}.html`])) },
  },
  server: {
    fs: { allow: ['../..'] },
    proxy: { '/connect.json': { target: game, rewrite: (path) => `/three${path}` } },
  },
});
