// The Go side of the page, for Vite: when Go files change, it builds bindings, module and server, restarts the server, and
// reloads the page. Errors of the compiler, and the reason why the server ended, appear on the page. A server that ends on
// its own is started again.
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
    go(['build', '-o', next + '/', './server', './client']),
  ]);
  await copyFile(join(exec.trim(), 'lib/wasm/wasm_exec.js'), join(next, 'wasm_exec.js'));
}

/** Puts it where the page and the server are looked for. */
async function put(): Promise<void> {
  for (const name of ['game.wasm', 'wasm_exec.js', program('server'), program('client')]) await rename(join(next, name), join(gen, name));
}

/** Returns the file name of a program. */
const program = (name: string): string => (process.platform === 'win32' ? `${name}.exe` : name);

/** The plugins. flags are those of the server, while you write; so many bots then play, too. */
export function tactus(flags: string[], bots = 0): Plugin[] {
  let server: ChildProcess | null = null, players: ChildProcess[] = [], page = '', place = '{}', policy = '', wrong: Error | null = null;
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
    for (const bot of players.splice(0)) bot.kill();
    if (!s || s.exitCode !== null || s.signalCode !== null) return ok();
    s.once('exit', () => ok());
    s.kill('SIGINT');
  });

  // The Go server answers for connect.json and for the rooms. Its Content-Security-Policy holds here too, so that you learn while you write what it
  // forbids; Vite itself puts styles into the page.
  const ask = async (at: string): Promise<void> => {
    page = at;
    const answer = await fetch(page + 'connect.json');
    place = await answer.text();
    policy = (answer.headers.get('Content-Security-Policy') ?? '').replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
  };

  // Bots join the room that you join, too: the open room with the most players.
  const invite = (): void => {
    players = Array.from({ length: bots }, (_, n) => spawn(resolve(gen, program('client')), ['-connect', page, '-name', `Bot ${n + 1}`], { stdio: 'ignore' }));
    for (const bot of players) bot.on('error', () => {}); // you can play without
  };

  // A server that has run for this long is started again when it ends. One that ends sooner would end again: it waits for a change.
  const healthy = 3000;

  const start = (vite: ViteDevServer): Promise<void> => new Promise((ok, bad) => {
    const s = (server = spawn(join(gen, 'server'), flags, { cwd: root, stdio: ['ignore', 'inherit', 'pipe'] })), began = performance.now();
    const last: string[] = [];
    createInterface({ input: s.stderr }).on('line', (line) => {
      console.log(line);
      if (last.push(line) > 40) last.shift();
      const at = /"msg":"page","url":"([^"]+)"/.exec(line);
      if (at) ask(at[1]!).then(invite).then(ok, bad);
    });
    s.on('error', bad);
    s.on('close', (code, signal) => {
      if (server !== s) return;
      const restart = performance.now() - began > healthy;
      wrong = new Error(`the game server has ended (${signal ?? `code ${code}`})${restart ? '; starting it again' : '; save a Go file to start it again'}\n${last.join('\n')}`);
      vite.config.logger.error(wrong.message.split('\n')[0]!, { timestamp: true });
      bad(wrong);
      show(vite);
      if (restart) void update(vite, false);
    });
  });

  /** Builds everything, unless only the server has to start again, and starts the server. */
  const update = async (vite: ViteDevServer, build = true): Promise<void> => {
    if (making) return void (again ||= build);
    making = true;
    do {
      if (again) build = true;
      again = false;
      if (build) vite.config.logger.info('building bindings, module and server with Go', { timestamp: true });
      const began = performance.now();
      wrong = await (build ? make().then(stop).then(put) : stop()).then(() => start(vite)).then(() => null, (e: Error) => e);
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
        answer.setHeader('Content-Type', 'application/json').setHeader('Cache-Control', 'no-store').end(place);
      });
      vite.middlewares.use('/rooms', (ask, answer) => {
        const headers = new Headers();
        for (const name of ['content-type', 'player', 'authorization']) if (ask.headers[name]) headers.set(name, String(ask.headers[name]));
        const pieces: Buffer[] = [];
        ask.on('data', (piece: Buffer) => pieces.push(piece)).on('end', async () => {
          const body = ask.method === 'POST' ? { body: Buffer.concat(pieces) } : {};
          const got = await fetch(`${page}rooms${(ask.url ?? '').replace(/^\/(?=\?|$)/, '')}`, { method: ask.method ?? 'GET', headers, ...body }).catch(() => null);
          answer.writeHead(got?.status ?? 502, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(await got?.text());
        });
      });
      vite.middlewares.use((ask, answer, next) => {
        if (policy && (ask.headers.accept ?? '').includes('text/html')) answer.setHeader('Content-Security-Policy', policy);
        next();
      });
      vite.environments.client.hot.on('vite:client:connect', () => show(vite));
      process.once('exit', () => [server, ...players].forEach((p) => p?.kill('SIGINT')));
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
