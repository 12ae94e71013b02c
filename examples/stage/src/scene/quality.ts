// How finely a machine draws: as finely as it can without delay.
import * as three from 'three';
import { make } from '../stage/dom';
import { canvas } from '../stage/play';

/** From coarse to fine: drawn pixels per CSS pixel, at most as many as the screen has, and whether there are shadows. The first step has no details. */
const STEPS = [{ points: 0.5, shadows: false }, { points: 1, shadows: false }, { points: 1, shadows: true }, { points: 2, shadows: true }];
const QUICK = 12, SLOW = 45; // milliseconds: of a picture on trial, and between frames
const SOME = 10; // frames

/** With ?fine the page draws at the finest step, however long that takes: for pictures of the page. */
const fine = new URLSearchParams(location.search).has('fine');

/** Reports whether the browser draws with a graphics card. Some browsers draw in software without saying that this is slow. */
function accelerated(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(renderer);
}

/** Returns true, or explains that the browser has no WebGL 2 and throws. */
function usable(): boolean {
  if (document.createElement('canvas').getContext('webgl2')) return true;
  const text = 'This browser cannot draw the game, because WebGL 2 is off. Switch on graphics acceleration in its settings, or open this page in another browser.';
  document.body.append(make('main', { id: 'card' }, make('h1', {}, 'Tactus'), make('p', { id: 'status', class: 'bad' }, text)));
  throw new Error(text);
}

/** Draws a scene over the whole page. */
export class Quality {
  /** Whether a graphics card draws. Without one, light from all around takes seconds to prepare. */
  readonly accelerated = usable() && (fine || accelerated());
  readonly renderer = new three.WebGLRenderer({ canvas, antialias: this.accelerated, powerPreference: 'high-performance' });
  /** What the first step leaves out: put into it what a scene can do without. */
  readonly detail = new three.Group();
  private step = 0;
  private frames = 0; // since the time in since
  private since = 0;

  constructor(private readonly scene: three.Scene, private readonly camera: three.PerspectiveCamera, private readonly sun: three.Light) {
    this.renderer.shadowMap.enabled = true;
    scene.add(this.detail);
    addEventListener('resize', () => this.take(this.step));
    addEventListener('visibilitychange', () => { this.frames = 0; }); // a hidden page draws no frames
    this.take(fine ? STEPS.length - 1 : 0);
  }

  /** Whether this is the coarsest step. */
  get coarse() { return this.step === 0; }

  /** Compiles shaders, and finds the finest step at which a picture is drawn quickly. */
  async warm() {
    const gl = this.renderer.getContext(), one = new Uint8Array(4);
    for (let step = this.step, took = 0; step < STEPS.length; step++) {
      this.take(step);
      if (this.renderer.extensions.has('KHR_parallel_shader_compile')) await this.renderer.compileAsync(this.scene, this.camera);
      else this.renderer.compile(this.scene, this.camera);
      for (let i = 0; i < 2; i++) { // the first picture also uploads geometry
        const begun = performance.now();
        this.renderer.render(this.scene, this.camera);
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one); // waits until it is drawn
        took = performance.now() - begun;
      }
      if (took > QUICK && !fine) return this.take(Math.max(step - 1, 0));
    }
  }

  /** Draws a frame. After some slow frames it draws more coarsely from then on. */
  draw() {
    const now = performance.now();
    if (this.frames++ === 0) this.since = now;
    else if (this.frames > SOME) {
      if (now - this.since > SOME * SLOW && !fine) this.take(Math.max(this.step - 1, 0));
      this.frames = 0;
    }
    this.renderer.render(this.scene, this.camera);
  }

  private take(step: number) {
    const { renderer, camera, sun } = this, { points, shadows } = STEPS[step]!;
    this.step = step;
    sun.castShadow = shadows;
    this.detail.visible = step > 0;
    renderer.setPixelRatio(Math.min(devicePixelRatio, points));
    renderer.setSize(innerWidth, innerHeight, false);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
  }
}
