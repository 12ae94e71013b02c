import { defineConfig } from 'vite';
import { tactus } from './tactus.ts';

// While you write, the game server listens at free ports of this machine, and a bot plays; give them other flags and another number here.
export default defineConfig({
  base: './', // the page may be served below any path
  plugins: tactus(['-listen', '127.0.0.1:0', '-websocket', '127.0.0.1:0', '-page', '127.0.0.1:0'], 1),
  build: { outDir: '../dist', emptyOutDir: true, target: 'es2023', reportCompressedSize: false },
});
