// A socket that makes the link worse on purpose, to see how the game copes. Packets wait, and some are lost, in both
// directions.

/** What the socket adds: milliseconds of round trip, of variation, the share of lost packets, and the share of time in stalls. */
export const badLink = { roundTrip: 0, jitter: 0, loss: 0, stalled: 0 };

const STALL = 150; // ms of the longest stall, as of WiFi

/** A direction of the link. */
class Direction {
  private from = 0;
  private to = 0; // of the newest stall

  /** Runs f later, or never if the packet is lost. */
  pass(f: () => void) {
    const { roundTrip, jitter, loss } = badLink;
    if (Math.random() < loss) return;
    const wait = roundTrip / 2 + jitter * Math.random() + this.stall();
    if (wait < 1) f(); else setTimeout(f, wait);
  }

  /** How long a packet waits for the end of a stall, as netsys.Link has them. */
  private stall() {
    const { stalled } = badLink, now = performance.now();
    if (stalled === 0) return 0;
    if (now - this.to > 60_000) this.from = this.to = now;
    while (this.to <= now) {
      this.from = this.to - STALL / 2 * (1 - stalled) / stalled * Math.log(1 - Math.random());
      this.to = this.from + STALL * Math.random();
    }
    return now < this.from ? 0 : this.to - now;
  }
}

/** A WebSocket with the bad link. */
export class BadSocket extends WebSocket {
  private readonly up = new Direction();
  private readonly down = new Direction();

  override send(data: Uint8Array<ArrayBuffer>) {
    if (Object.values(badLink).every((x) => x === 0)) return super.send(data);
    const copy = data.slice(); // the game writes its next packet to the same place
    this.up.pass(() => { if (this.readyState === WebSocket.OPEN) super.send(copy); });
  }

  override set onmessage(f: ((this: WebSocket, e: MessageEvent) => unknown) | null) {
    super.onmessage = f && ((e) => this.down.pass(() => f.call(this, e)));
  }
}
