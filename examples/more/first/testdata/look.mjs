// look.mjs CHROMIUM FOLDER URL PATTERN: opens a page, and prints what its element status says as soon as that fits, or after two minutes.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const [program, folder, url, pattern] = process.argv.slice(2);
const browser = spawn(program, ['--headless', '--no-sandbox', `--user-data-dir=${folder}`, '--window-size=800,560', '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader', '--remote-debugging-port=0', url], { stdio: ['ignore', 'ignore', 'pipe'] });
try {
  const port = await new Promise((ok, bad) => {
    browser.on('exit', (code) => bad(new Error(`the browser ended with ${code}`)));
    createInterface({ input: browser.stderr }).on('line', (line) => {
      const at = /listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(line);
      if (at) ok(at[1]);
    });
  });
  let said = 'nothing', page;
  for (const end = Date.now() + 120_000; Date.now() < end && !new RegExp(pattern).test(said); await pause(200)) {
    page ??= (await (await fetch(`http://127.0.0.1:${port}/json`)).json()).find((t) => t.type === 'page' && t.url.startsWith(url));
    if (page) said = await text(page.webSocketDebuggerUrl);
  }
  console.log(said);
} finally {
  browser.kill();
}

// text asks a page what it says.
function text(debug) {
  return new Promise((ok, bad) => {
    const to = new WebSocket(debug), expression = "document.querySelector('#status')?.textContent";
    to.onopen = () => to.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    to.onerror = () => bad(new Error('the browser does not answer'));
    to.onmessage = (m) => {
      ok(String(JSON.parse(m.data).result.result.value));
      to.close();
    };
  });
}
