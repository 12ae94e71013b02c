// The page with all worlds. The server builds and starts a world when it is opened.
import './front.css';
import { element, make } from './stage/dom';

interface World { readonly name: string; readonly title: string; readonly about: string; readonly model: string; readonly command: string }
interface State { readonly state: '' | 'building' | 'running' | 'failed'; readonly url?: string; readonly inspect?: string; readonly error?: string }

const SOURCE = 'https://github.com/tactusgo/tactus/tree/main/examples';
const bad = element<HTMLInputElement>('bad');

/** Starts a world and waits for its page. */
async function start(name: string, tell: (text: string) => void): Promise<State> {
  tell('Building the world…');
  for (let method = 'POST'; ; method = 'GET') {
    const s: State = await (await fetch(`worlds/${name}`, { method })).json();
    if (s.state === 'running') return s;
    if (s.state === 'failed') throw new Error(s.error);
    await new Promise((go) => setTimeout(go, 250));
  }
}

function card(w: World): HTMLElement {
  const told = make('p', { class: 'told', role: 'status' }), picture = make('img', { src: `pictures/${w.name}.jpg`, alt: `${w.title}, while it is played`, width: '480', height: '300', loading: 'lazy' });
  const button = (text: string, kind: string, where: (s: State) => string) => {
    const b = make('button', { type: 'button', class: kind, 'aria-label': `${text} ${w.title}` }, text);
    b.onclick = () => void start(w.name, (t) => { told.textContent = t; }).then((s) => { location.href = where(s); }, (e: Error) => { told.textContent = `${e.message}`; });
    return b;
  };
  const play = (more: string) => (s: State) => `${s.url}/?${new URLSearchParams(`${bad.checked ? 'link=bad&' : ''}${more}`)}`;
  return make('article', {}, picture, make('h2', {}, w.title), make('p', {}, w.about), make('p', { class: 'model' }, 'model ', make('code', {}, w.model)),
    make('div', { class: 'ways' }, button('Play', '', play('')), ...(w.name === 'duel' ? [button('Watch', 'quiet', play('watch=yes'))] : []),
      button('Inspect', 'quiet', (s) => s.inspect ?? s.url!), make('a', { href: `${SOURCE}/${w.name}`, 'aria-label': `Source of ${w.title}` }, 'Source')),
    make('p', { class: 'command' }, make('code', {}, w.command)), told);
}

const worlds: World[] = await (await fetch('worlds.json')).json();
element('worlds').append(...worlds.map(card));
