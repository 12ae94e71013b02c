// The button that invites others to a match, by a link to this page.
import { make, write } from './dom';
import { root } from './root';

/** Whether other machines can open the address of this page. */
const reachable = !/^(localhost|127\.|\[::1\])/.test(location.hostname);

/** The button, and what it says beside the match. */
export class Invite {
  private readonly code = make('b');
  private readonly state = make('span', { role: 'status' });
  private readonly button = make('button', { id: 'share', type: 'button', class: 'quiet', title: 'a link to this match' }, 'Invite ', this.code, ' ', this.state);
  readonly box = make('nav', { id: 'seat', hidden: true, 'aria-label': 'this match' }, this.button);
  private readonly picture = make('div', { class: 'qr' });
  private readonly address = make('input', { readonly: true, 'aria-label': 'link to this match' });
  private readonly shared = make('p', { role: 'status' });
  private readonly dialog: HTMLDialogElement;
  private usual = '';

  constructor() {
    const send = make('button', { type: 'button' }, 'share' in navigator ? 'Share' : 'Copy the link'), close = make('button', { type: 'button', class: 'quiet' }, 'Close');
    this.dialog = make('dialog', { id: 'invite', 'aria-label': 'invite others' }, make('h2', {}, 'Invite others'), this.picture, this.address, this.shared, send, close);
    root.append(this.box, this.dialog);
    this.button.onclick = () => void (reachable ? this.show() : this.copy(this.link));
    send.onclick = () => void this.send();
    close.onclick = () => this.dialog.close();
  }

  /** Whether the dialog is open, and takes the keys. */
  get open() { return this.dialog.open; }

  /** What a gamepad reaches in the dialog. */
  get reach() { return { box: this.dialog, back: () => this.dialog.close() }; }

  /** Shows the button, with the code of the room if there is one. */
  offer(code: string) {
    write(this.code, code);
    this.box.hidden = false;
  }

  /** Removes the button. */
  end() {
    this.box.hidden = true;
    this.dialog.close();
    this.tell('');
  }

  /** Says how things are in the match. */
  tell(text: string) { write(this.state, (this.usual = text)); }

  /** The address of this page, without what is the player's own. */
  private get link() {
    const url = new URL(location.href);
    for (const own of ['name', 'replay']) url.searchParams.delete(own);
    return url.href;
  }

  private async show() {
    this.address.value = this.link;
    write(this.shared, '');
    this.picture.replaceChildren(await code(this.link));
    this.dialog.showModal();
    this.address.select();
  }

  private async send() {
    if (!('share' in navigator)) return this.copy(this.link);
    try {
      await navigator.share({ title: document.title, url: this.link });
    } catch (e) {
      if (!(e instanceof DOMException && e.name === 'AbortError')) await this.copy(this.link);
    }
  }

  private async copy(link: string) {
    let copied = true;
    try {
      await navigator.clipboard.writeText(link);
    } catch { // a page without TLS has no clipboard
      this.address.select();
      copied = this.dialog.open && document.execCommand('copy');
    }
    const text = copied ? 'link copied' : 'not copied';
    write(this.shared, text);
    write(this.state, copied && !reachable ? `${text}, for this machine` : text);
    setTimeout(() => write(this.state, this.usual), 3000);
  }
}

/** Returns a QR code of a link. */
async function code(link: string): Promise<SVGElement> {
  const { default: qrcode } = await import('qrcode-generator');
  const qr = qrcode(0, 'M'), quiet = 4;
  qr.addData(link);
  qr.make();
  const n = qr.getModuleCount(), svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  let d = '';
  for (let y = 0; y < n; y++) for (let x = 0; x < n; x++) if (qr.isDark(y, x)) d += `M${x + quiet} ${y + quiet}h1v1h-1z`;
  path.setAttribute('d', d);
  svg.setAttribute('viewBox', `0 0 ${n + 2 * quiet} ${n + 2 * quiet}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'QR code of the link');
  svg.append(path);
  return svg;
}
