import * as three from 'three';

/** A short-lived particle: it flies, grows and fades. */
interface Spark {
  x: number; y: number; z: number;
  vx: number; vy: number; vz: number;
  long: number; wide: number; turn: number; grow: number;
  age: number; life: number;
  colour: three.Color;
}

/** Shining particles of one shape, which lies along x before it is turned. A new one replaces the oldest. */
export class Sparks {
  readonly mesh: three.InstancedMesh;
  private readonly all: Spark[];
  private readonly at = new three.Matrix4();
  private readonly tint = new three.Color();
  private next = 0;

  constructor(shape: three.BufferGeometry, count: number) {
    const shine = new three.MeshBasicMaterial({ transparent: true, blending: three.AdditiveBlending, depthWrite: false, side: three.DoubleSide, forceSinglePass: true, toneMapped: false, fog: false });
    this.mesh = new three.InstancedMesh(shape, shine, count);
    this.mesh.frustumCulled = false;
    this.all = Array.from({ length: count }, () => ({ x: 0, y: 0, z: 0, vx: 0, vy: 0, vz: 0, long: 0, wide: 0, turn: 0, grow: 0, age: 1, life: 0, colour: new three.Color() }));
    this.mesh.setColorAt(0, this.tint);
  }

  /** Adds a particle: long along its turn, wide across it. It grows by a share during its life, which is in seconds. */
  add(x: number, y: number, z: number, long: number, wide: number, turn: number, grow: number, life: number, colour: three.Color): Spark {
    const s = this.all[this.next++ % this.all.length]!;
    s.colour.copy(colour);
    return Object.assign(s, { x, y, z, vx: 0, vy: 0, vz: 0, long, wide, turn, grow, age: 0, life });
  }

  /** Adds particles that fly apart. */
  burst(x: number, y: number, z: number, count: number, speed: number, life: number, colour: three.Color) {
    for (let i = 0; i < count; i++) {
      const way = 2 * Math.PI * Math.random(), v = speed * (0.3 + 0.7 * Math.random()), s = this.add(x, y, z, 9, 3, -way, -0.6, life * (0.5 + 0.5 * Math.random()), colour);
      s.vx = v * Math.cos(way);
      s.vz = v * Math.sin(way);
      s.vy = v * Math.random() * 0.8;
    }
  }

  /** Moves all particles. */
  step(seconds: number) {
    let n = 0;
    const slow = Math.exp(-3 * seconds);
    for (const s of this.all) {
      if ((s.age += seconds) >= s.life) continue;
      s.x += s.vx * seconds;
      s.y = Math.max(s.y + s.vy * seconds, 2);
      s.z += s.vz * seconds;
      s.vx *= slow;
      s.vz *= slow;
      s.vy -= 500 * seconds * Math.sign(s.vy && 1);
      const f = s.age / s.life, size = 1 + s.grow * f;
      this.at.makeRotationY(s.turn).scale(scale.set(s.long * size, s.wide * size, s.wide * size)).setPosition(s.x, s.y, s.z);
      this.mesh.setMatrixAt(n, this.at);
      this.mesh.setColorAt(n++, this.tint.copy(s.colour).multiplyScalar(1 - f * f));
    }
    this.mesh.count = n;
    this.mesh.instanceMatrix.needsUpdate = this.mesh.instanceColor!.needsUpdate = true;
  }
}

const scale = new three.Vector3();
