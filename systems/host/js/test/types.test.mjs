import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('types', import.meta.url)), root = fileURLToPath(new URL('../../../..', import.meta.url));
const tsc = `${folder}/node_modules/typescript/bin/tsc`;

// install fetches the compiler, as package-lock.json pins it; the reason where it cannot.
function install() {
  if (existsSync(tsc)) return '';
  const { status, stderr, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8', timeout: 120_000 });
  return status === 0 ? '' : `npm ci cannot fetch TypeScript: ${error ?? stderr}`;
}

test('the package, bindings and a program compile strictly, and what is wrong does not', (t) => {
  const why = install();
  if (why) return t.skip(why);
  for (const more of [[], ['--module', 'NodeNext', '--moduleResolution', 'NodeNext']]) {
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder, ...more], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  }
  // Bindings with every kind of field, which the tests of the generator make.
  const out = execFileSync('go', ['test', './systems/host/bind', '-count=1', '-v', '-run', 'TestTypesCompile$'], { cwd: root, encoding: 'utf8' });
  assert.match(out, /--- PASS: TestTypesCompile/);
});
