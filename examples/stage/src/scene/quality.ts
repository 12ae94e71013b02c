// How finely a machine draws: as finely as it can without delay.
import * as three from 'three';
import { make } from '../stage/dom';
import { canvas } from '../stage/play';

/** From coarse to fine: drawn pixels per CSS pixel, at most as many as the screen has, and whether there are shadows. The first step has no details. */
const STEPS = [{ points: 0.5, shadows: false }, { points: 1, shadows: false }, { points: 1, shadows: true }, { points: 2, shadows: true }];
const QUICK = 12, SLOW = 45; // milliseconds: of a picture on trial, and between frames
const SOME = 10; // frames
const PATIENCE = 3000; // milliseconds

/** With ?fine the page draws at the finest step, however long that takes: for pictures of the page. */
const fine = new URLSearchParams(location.search).has('fine');

/** Reports whether the browser draws with a graphics card, or explains that it has no WebGL 2 and throws. Some browsers draw in software without saying that this is slow. */
function accelerated(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return !usable();
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(renderer);
}

/** Returns true if the browser has WebGL 2, or explains that it has none and throws. */
function usable(): boolean {
  if (document.createElement('canvas').getContext('webgl2')) return true;
  const text = 'This browser cannot draw the game, because WebGL 2 is off. Switch on graphics acceleration in its settings, or open this page in another browser.';
  document.body.append(make('main', { id: 'card' }, make('h1', {}, 'Tactus'), make('p', { id: 'status', class: 'bad' }, text)));
  throw new Error(text);
}

/** Draws a scene over the whole page. */
export class Quality {
  /** Whether a graphics card draws. Without one, light from all around takes seconds to prepare. */
  readonly accelerated = accelerated() || fine;
  readonly renderer = new three.WebGLRenderer({ canvas, antialias: this.accelerated, powerPreference: 'high-performance' });
  /** What the first step leaves out: what a scene can do without. It is made before the first picture that has it. */
  readonly detail = new three.Group();
  private readonly unmade: (() => void)[] = [];
  private step = 0;
  private frames = 0; // since the time in since
  private since = 0;

  constructor(private readonly scene: three.Scene, private readonly camera: three.PerspectiveCamera, private readonly sun: three.Light) {
    this.renderer.shadowMap.enabled = true;
    this.renderer.debug.checkShaderErrors = import.meta.env.DEV; // each check waits for the browser's other process
    scene.add(this.detail);
    addEventListener('resize', () => this.take(this.step));
    addEventListener('visibilitychange', () => { this.frames = 0; }); // a hidden page draws no frames
    this.take(0);
  }

  /** Lets make add to detail. */
  details(make: () => void) { this.unmade.push(make); }

  /** Compiles shaders, and finds the finest step at which a picture is drawn quickly. Without a graphics card it stays at the first. */
  async warm() {
    const gl = this.renderer.getContext(), one = new Uint8Array(4);
    for (let step = fine ? STEPS.length - 1 : 0; step < STEPS.length; step++) {
      this.take(step);
      if (this.renderer.extensions.has('KHR_parallel_shader_compile')) await this.renderer.compileAsync(this.scene, this.camera);
      else this.renderer.compile(this.scene, this.camera);
      await this.drawn();
      this.renderer.render(this.scene, this.camera); // also uploads geometry
      await this.drawn();
      if (!this.accelerated) return;
      const begun = performance.now();
      this.renderer.render(this.scene, this.camera);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one); // waits until it is drawn
      if (performance.now() - begun > QUICK && !fine) return this.take(Math.max(step - 1, 0));
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

  /** Waits until the browser has drawn everything so far, but not longer than PATIENCE: a busy one may not say so for minutes. The page goes on meanwhile. */
  private async drawn() {
    const gl = this.renderer.getContext() as WebGL2RenderingContext, fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), end = performance.now() + PATIENCE;
    gl.flush();
    while (fence && !gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED && performance.now() < end) await new Promise((go) => setTimeout(go, 2));
    gl.deleteSync(fence);
  }

  private take(step: number) {
    const { renderer, camera, sun } = this, { points, shadows } = STEPS[step]!;
    this.step = step;
    sun.castShadow = shadows;
    this.detail.visible = step > 0;
    if (step > 0) for (const make of this.unmade.splice(0)) make();
    renderer.setPixelRatio(Math.min(devicePixelRatio, points));
    renderer.setSize(innerWidth, innerHeight, false);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
  }
}
