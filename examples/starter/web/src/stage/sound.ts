// Sounds, made of tones and noise. Browsers allow them after the first key or touch.
import { keep, kept } from './dom';

let context: AudioContext | undefined, out: GainNode | undefined, noise: AudioBuffer | undefined;

export const sound = {
  /** From 0 to 1. */
  volume: Number(kept('volume', '0.6')),
  muted: kept('muted', '') === 'yes',
  /** Whether nothing is to be heard now, while a replay seeks. */
  silent: false,

  set(volume: number, muted: boolean) {
    this.volume = volume;
    this.muted = muted;
    keep('volume', String(volume));
    keep('muted', muted ? 'yes' : '');
    if (out) out.gain.value = muted ? 0 : volume;
  },

  /** Plays a tone that glides from one frequency to another. loud is 0 to 1, after is a delay in seconds. */
  tone(from: number, to: number, seconds: number, loud: number, kind: OscillatorType = 'sine', after = 0) {
    if (context?.state !== 'running' || !out || this.muted || this.silent || loud < 0.005) return;
    const o = context.createOscillator(), at = context.currentTime + after;
    o.type = kind;
    o.frequency.setValueAtTime(from, at);
    o.frequency.exponentialRampToValueAtTime(to, at + seconds);
    o.connect(fade(loud, at, seconds));
    o.start(at);
    o.stop(at + seconds);
  },

  /** Plays noise below a frequency: steps, throws, thuds. */
  hiss(below: number, seconds: number, loud: number) {
    if (context?.state !== 'running' || !out || this.muted || this.silent || loud < 0.005) return;
    const s = context.createBufferSource(), f = context.createBiquadFilter(), at = context.currentTime;
    s.buffer = noise ??= white(context);
    f.frequency.setValueAtTime(below, at);
    f.frequency.exponentialRampToValueAtTime(below / 4, at + seconds);
    s.connect(f).connect(fade(loud, at, seconds));
    s.start(at, Math.random());
    s.stop(at + seconds);
  },

  /** Plays tones one after another. */
  tune(tones: readonly number[], loud: number, kind: OscillatorType = 'triangle') {
    tones.forEach((hertz, i) => this.tone(hertz, hertz, 0.32, loud, kind, 0.08 * i));
  },
};

/** Returns the loudness at a distance: 1 at 0, and half at half. */
export const near = (distance: number, half: number) => 1 / (1 + (distance / half) ** 2);

function fade(loud: number, at: number, seconds: number): GainNode {
  const g = context!.createGain();
  g.gain.setValueAtTime(loud, at);
  g.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  g.connect(out!);
  return g;
}

function white(c: AudioContext): AudioBuffer {
  const b = c.createBuffer(1, 2 * c.sampleRate, c.sampleRate), d = b.getChannelData(0);
  for (let i = 0; i < d.length; i++) d[i] = 2 * Math.random() - 1;
  return b;
}

function start() {
  if (!navigator.userActivation?.hasBeenActive) return; // the browser would refuse
  if (context) return void context.resume();
  context = new AudioContext();
  out = context.createGain();
  out.gain.value = sound.muted ? 0 : sound.volume;
  const press = context.createDynamicsCompressor();
  out.connect(press).connect(context.destination);
}
for (const kind of ['keydown', 'pointerup'] as const) addEventListener(kind, start, { capture: true });
