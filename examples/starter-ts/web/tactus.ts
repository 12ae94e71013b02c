// The Go side of the page, for Vite: bindings, module and server are made anew when Go files change, and the page is
// loaded again when all are ready. What the compiler says, and why the server has ended, stands on the page.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin, ViteDevServer } from 'vite';

const web = import.meta.dirname, root = resolve(web, '..'), gen = join(web, 'gen'), next = join(gen, 'next');

async function go(args: string[], env = {}): Promise<string> {
  try {
    return (await promisify(execFile)('go', args, { cwd: root, env: { ...process.env, ...env } })).stdout;
  } catch (e) {
    const { code, stderr } = e as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error('there is no Go here: install it from https://go.dev/dl, and see that it is in PATH');
    throw new Error((stderr || String(e)).replace(/^(\.\.\/)+/gm, '')); // go generate sees files from its own folder
  }
}

/** Makes all that Go makes, in gen/next. */
async function make(): Promise<void> {
  await mkdir(next, { recursive: true });
  await go(['generate', './...']);
  const [exec] = await Promise.all([
    go(['env', 'GOROOT']),
    go(['build', '-trimpath', '-ldflags=-s -w', '-o', join(next, 'game.wasm'), './wasm'], { GOOS: 'js', GOARCH: 'wasm' }),
    go(['build', '-o', next + '/', './server']),
  ]);
  await copyFile(join(exec.trim(), 'lib/wasm/wasm_exec.js'), join(next, 'wasm_exec.js'));
}

/** Puts it where the page and the server are looked for. */
async function put(): Promise<void> {
  const server = process.platform === 'win32' ? 'server.exe' : 'server';
  for (const name of ['game.wasm', 'wasm_exec.js', server]) await rename(join(next, name), join(gen, name));
}

/** The plugins. flags are those of the server, while you write. */
export function tactus(flags: string[]): Plugin[] {
  let server: ChildProcess | null = null, websocket = '', wrong: Error | null = null;
  let making = false, again = false;

  const show = (vite: ViteDevServer): void => {
    if (!wrong) return;
    const [, file, line, column] = /^(\S+\.go):(\d+):(\d+)/m.exec(wrong.message) ?? [];
    const loc = file ? { file: resolve(root, file), line: Number(line), column: Number(column) } : undefined;
    vite.environments.client.hot.send({ type: 'error', err: { message: wrong.message, stack: '', plugin: 'tactus', ...(loc && { loc }) } });
  };

  const stop = (): Promise<void> => new Promise((ok) => {
    const s = server;
    server = null;
    if (!s || s.exitCode !== null) return ok();
    s.once('exit', () => ok());
    s.kill('SIGINT');
  });

  const start = (vite: ViteDevServer): Promise<void> => new Promise((ok, bad) => {
    const s = (server = spawn(join(gen, 'server'), flags, { cwd: root, stdio: ['ignore', 'inherit', 'pipe'] }));
    const last: string[] = [];
    createInterface({ input: s.stderr }).on('line', (line) => {
      console.log(line);
      if (last.push(line) > 40) last.shift();
      const at = /"websocket":"([^"]+)"/.exec(line);
      if (at) ok(void (websocket = `ws://${at[1]}`));
    }).on('close', () => {
      if (server !== s) return;
      wrong = new Error(`the game server has ended:\n${last.join('\n')}`);
      bad(wrong);
      show(vite);
    });
    s.on('error', bad);
  });

  const update = async (vite: ViteDevServer): Promise<void> => {
    if (making) return void (again = true);
    making = true;
    do {
      again = false;
      vite.config.logger.info('making bindings, module and server with Go', { timestamp: true });
      const began = performance.now();
      wrong = await make().then(stop).then(put).then(() => start(vite)).then(() => null, (e: Error) => e);
      if (wrong) vite.config.logger.error(wrong.message, { timestamp: true });
      else vite.config.logger.info(`Go is ready after ${((performance.now() - began) / 1000).toFixed(1)} s`, { timestamp: true });
    } while (again);
    making = false;
    if (wrong) show(vite);
    else vite.environments.client.hot.send({ type: 'full-reload' });
  };

  return [{
    name: 'tactus:dev',
    apply: 'serve',
    config: () => ({ server: { fs: { allow: [root] } } }),
    async configureServer(vite) {
      vite.middlewares.use('/connect.json', (_, answer) => {
        answer.setHeader('Content-Type', 'application/json');
        answer.end(JSON.stringify({ websocket }));
      });
      vite.environments.client.hot.on('vite:client:connect', () => show(vite));
      process.once('exit', () => server?.kill('SIGINT'));
      vite.httpServer?.once('close', stop);
      let soon: NodeJS.Timeout;
      vite.watcher.add(root).on('all', (_, file) => {
        if (!/\.go$|go\.(mod|sum)$/.test(file)) return;
        clearTimeout(soon);
        soon = setTimeout(() => update(vite), 50);
      });
      await update(vite);
    },
    // While something is wrong a page that comes has nothing but what is said about it.
    transformIndexHtml: { order: 'pre', handler: (html) => (wrong ? html.replace(/<body>[^]*<\/body>/, '<body></body>') : html) },
    hotUpdate: ({ file }) => (/\/(bindings|gen)\//.test(file) ? [] : undefined), // the page is loaded again when all is ready
  }, {
    name: 'tactus:build',
    apply: 'build',
    buildStart: () => make().then(put),
    async writeBundle({ dir }, files) {
      const names = Object.keys(files).filter((name) => /\.(html|js|css|wasm|svg)$/.test(name)).map((name) => join(dir ?? '', name));
      await Promise.all(names.map(async (name) => {
        const raw = await readFile(name);
        await writeFile(`${name}.gz`, await promisify(gzip)(raw, { level: 9 }));
        await writeFile(`${name}.br`, await promisify(brotliCompress)(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
      }));
    },
  }];
}
