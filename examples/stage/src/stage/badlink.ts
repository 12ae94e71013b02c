// A socket that makes the link worse on purpose, to see how the game copes. Packets wait, and some are lost, in both
// directions.

/** What the socket adds: milliseconds of round trip, of variation, and the share of lost packets. */
export const badLink = { roundTrip: 0, jitter: 0, loss: 0 };

/** Runs f later, or never if the packet is lost. */
function pass(f: () => void) {
  const { roundTrip, jitter, loss } = badLink;
  if (Math.random() < loss) return;
  const wait = roundTrip / 2 + jitter * Math.random();
  if (wait < 1) f(); else setTimeout(f, wait);
}

/** A WebSocket with the bad link. */
export class BadSocket extends WebSocket {
  override send(data: Uint8Array<ArrayBuffer>) {
    if (badLink.roundTrip + badLink.jitter + badLink.loss === 0) return super.send(data);
    const copy = data.slice(); // the game writes its next packet to the same place
    pass(() => { if (this.readyState === WebSocket.OPEN) super.send(copy); });
  }

  override set onmessage(f: ((this: WebSocket, e: MessageEvent) => unknown) | null) {
    super.onmessage = f && ((e) => pass(() => f.call(this, e)));
  }
}
