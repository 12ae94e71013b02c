// below.mjs MODULE WASM_EXEC SECONDS…: prints where platforms are at these times, as the module says it to pages.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load } from '../../../../systems/host/js/index.mjs';

const [file, exec, ...times] = process.argv.slice(2);
const { exports } = await load(readFileSync(file), { exec: pathToFileURL(exec) });
console.log(JSON.stringify(times.map((t) => [0, 1, 2, 3, 4].map((on) => [0, 1, 2].map((axis) => exports.platformer_below(on, axis, Number(t)))))));
process.exit(0); // the module never ends
