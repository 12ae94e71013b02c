// Compresses files once, so that servers need not.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** @type {[string, (b: Buffer) => Promise<Buffer>][]} */
const ways = [
  ['gz', (b) => promisify(gzip)(b, { level: 9 })],
  ['br', (b) => promisify(brotliCompress)(b, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: b.length } })],
];

/**
 * Writes NAME.gz and NAME.br beside a file, unless they are as new as it is; gives the sizes of all three.
 * @param {string} name
 */
export async function squeeze(name) {
  const { mtimeMs, size } = await stat(name);
  const made = await Promise.all(ways.map(async ([ext, way]) => {
    const to = `${name}.${ext}`, there = await stat(to).catch(() => null);
    if (there && there.mtimeMs >= mtimeMs) return there.size;
    const b = await way(await readFile(name));
    await writeFile(to, b);
    return b.length;
  }));
  return [size, ...made];
}
