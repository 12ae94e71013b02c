import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('what npm packs can be installed and imported, and has its types', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tactus-pack-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const npm = (...args) => execFileSync('npm', [...args, '--silent', '--offline', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' });
  const file = npm('pack', fileURLToPath(new URL('..', import.meta.url))).trim();
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  npm('install', `./${file}`);
  writeFileSync(join(folder, 'main.mjs'), "import * as all from '@tactusgo/client'; console.log(Object.keys(all).sort().join(' '), import.meta.resolve('@tactusgo/client'));");
  const out = execFileSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' });
  assert.match(out, /^Game GameError Reason SeatError bind canReturn connect keptSeat leaveSeat load seat storage tabPlayer file:.*node_modules/);
  const files = execFileSync('tar', ['-tzf', file], { cwd: folder, encoding: 'utf8' }).trim().split('\n').map((f) => f.replace('package/', '')).sort();
  assert.deepEqual(files, ['LICENSE', 'README.md', 'bindings.mjs', 'game.mjs', 'index.d.ts', 'index.mjs', 'module.mjs', 'package.json', 'replay.mjs', 'seat.mjs', 'socket.mjs', 'stats.mjs', 'storage.mjs']);
});

test('the license is that of the repository', () => {
  const text = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
  assert.equal(text('../LICENSE'), text('../../../../LICENSE'));
});
