import { readdirSync } from 'node:fs';
import { defineConfig } from 'vite';

// npm run dev shows changes at once, while `go run ./examples/arena` serves the game. GAME is the address of its page.
const game = process.env['GAME'] ?? 'http://127.0.0.1:7780';
const pages = readdirSync(import.meta.dirname).filter((f) => f.endsWith('.html'));

export default defineConfig({
  base: './',
  build: {
    target: 'es2023',
    copyPublicDir: false, // stage.go serves public, too
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: pages,
      // The names have no hashes, because the built files are committed.
      output: {
        entryFileNames: 'assets/[name].js', chunkFileNames: 'assets/[name].js', assetFileNames: 'assets/[name][extname]',
        codeSplitting: { groups: [{ name: 'client', test: /stage\/client|host\/js\/(?!storage)/, priority: 1 }, { name: 'dom', test: /stage\/dom|js\/storage/, priority: 2 }, { name: 'three', test: /node_modules\/three/ }, { name: 'stage', test: /src\/(stage|scene)/ }] },
      },
    },
  },
  server: {
    fs: { allow: ['../..'] },
    proxy: Object.fromEntries(['connect.json', 'build.json', 'play.json', 'rooms', 'play.wasm', 'wasm_exec.js'].map((file) => [`/${file}`, game])),
  },
});
