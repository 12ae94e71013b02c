// Package stage contains the pages of the example worlds, built from the TypeScript in src. A page draws with three.js and
// plays through the WebAssembly client of its world. To build the pages after a change, run in this folder:
//
//	npm ci && npm run build
package stage
