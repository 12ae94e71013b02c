import * as three from 'three';

/** Many bodies of one shape, drawn in one call. Fill it in each frame: empty, put, put, … */
export class Crowd extends three.InstancedMesh {
  private readonly most: number;

  constructor(scene: three.Scene, shape: three.BufferGeometry, material: three.Material, most: number, shadow = false) {
    super(shape, material, most);
    this.most = most;
    this.frustumCulled = false;
    this.castShadow = shadow;
    this.instanceMatrix.setUsage(three.DynamicDrawUsage);
    this.instanceColor = new three.InstancedBufferAttribute(new Float32Array(3 * most), 3).setUsage(three.DynamicDrawUsage);
    this.count = 0;
    scene.add(this);
  }

  empty() {
    this.count = 0;
    this.instanceMatrix.needsUpdate = this.instanceColor!.needsUpdate = true;
  }

  /** Puts a body at a place, turned by an angle from x to z in radians, and stretched along that direction. */
  put(x: number, y: number, z: number, turn: number, size: number, colour: three.Color, stretch = 1) {
    if (this.count === this.most) return;
    const m = this.instanceMatrix.array, o = 16 * this.count, cos = Math.cos(turn) * size, sin = Math.sin(turn) * size;
    m[o] = cos * stretch; m[o + 1] = 0; m[o + 2] = sin * stretch; m[o + 3] = 0;
    m[o + 4] = 0; m[o + 5] = size; m[o + 6] = 0; m[o + 7] = 0;
    m[o + 8] = -sin; m[o + 9] = 0; m[o + 10] = cos; m[o + 11] = 0;
    m[o + 12] = x; m[o + 13] = y; m[o + 14] = z; m[o + 15] = 1;
    colour.toArray(this.instanceColor!.array, 3 * this.count++);
  }
}
