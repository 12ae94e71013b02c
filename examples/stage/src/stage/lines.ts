// What happened, in lines that stay for some seconds, and the chat.
import { make } from './dom';
import { root } from './root';

const MOST = 5, STAY = 9000; // lines, and milliseconds

const lines = make('div', { id: 'lines', role: 'log', 'aria-label': 'events' });
const field = make('input', { maxlength: '80', placeholder: 'Say something', 'aria-label': 'Say something', autocomplete: 'off', enterkeyhint: 'send' });
const form = make('form', { id: 'say', hidden: true }, field);
root.append(lines, form);

/** Adds a line: who did what. */
export function tell(who: string, what: string, colour: string) {
  if (document.body.classList.contains('killcam')) return; // the lines are there already
  const name = make('b', {}, who), line = make('p', {}, name, ` ${what}`);
  name.style.color = colour;
  lines.append(line);
  while (lines.childElementCount > MOST) lines.firstElementChild?.remove();
  setTimeout(() => line.remove(), STAY);
}

/** Opens the line of the chat. */
export function talk() {
  form.hidden = false;
  field.focus();
}

/** Calls say with each line that the player enters. */
export function listen(say: (line: string) => void) {
  const close = () => {
    form.hidden = true;
    field.value = '';
  };
  field.addEventListener('blur', close);
  const send = (e: Event) => {
    e.preventDefault();
    const line = field.value.trim();
    if (line) say(line);
    field.blur();
  };
  field.addEventListener('keydown', (e) => {
    e.stopPropagation();
    if (e.key === 'Escape') field.blur();
    if (e.key === 'Enter' && !e.isComposing) send(e); // the sandbox of a frame may forbid to submit
  });
  form.addEventListener('submit', send);
}
