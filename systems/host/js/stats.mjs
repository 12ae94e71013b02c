// The figures of a game, read from the memory of the module: host.Stats.

const names = `
  Client Own Joined TickRate Tick ServerTick DrawnTick Input RTT MinRTT Jitter LossIn LossOut Buffer Lead Delay
  Up Waiting HalfTick Sending Down FrameTime
  ReceivedRate SentRate CorrectionRate Received Sent Ticks TicksDropped Inputs InputsSent Snapshots Confirmed
  Corrections Resimulated LongestReplay Jumps Stalls Snaps Renewals Refusals Malformed Rows Generation Silence
  Lost Reconnects NewsLost
`.trim().split(/\s+/);

export class Stats {
  constructor(module) {
    Object.assign(this, { module, start: 0 });
  }

  set(address) {
    this.start = address >>> 3;
  }
}

for (const [n, name] of names.entries()) {
  Object.defineProperty(Stats.prototype, name, { get() { return this.module.f64[this.start + n]; } });
}
