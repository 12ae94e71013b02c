// Particles: sparks where a coin was taken, dust where a player lands.
import * as three from 'three';

const MOST = 256;

export class Sparks {
  private readonly all = new three.InstancedMesh(new three.IcosahedronGeometry(1, 0), new three.MeshStandardMaterial({ roughness: 0.6, emissive: 0xffffff, emissiveIntensity: 0.12 }), MOST);
  private readonly at = Array.from({ length: MOST }, () => ({ p: new three.Vector3(), v: new three.Vector3(), life: 0, size: 0, falls: 0 }));
  private readonly m = new three.Matrix4();
  private next = 0;

  constructor(scene: three.Scene) {
    this.all.frustumCulled = false;
    for (let i = 0; i < MOST; i++) this.all.setColorAt(i, gold);
    scene.add(this.all);
  }

  burst(x: number, y: number, z: number, n: number) {
    for (let i = 0; i < n; i++) {
      const turn = Math.random() * 6.3, fast = 1.5 + Math.random() * 2.5;
      this.add(x, y, z, Math.cos(turn) * fast, 1 + Math.random() * 4, Math.sin(turn) * fast, 0.05 + 0.06 * Math.random(), 9, i % 4 ? gold : white);
    }
  }

  puff(at: three.Vector3) {
    for (let i = 0; i < 9; i++) {
      const turn = i * 0.7;
      this.add(at.x, at.y + 0.06, at.z, Math.cos(turn) * 1.6, 0.5, Math.sin(turn) * 1.6, 0.09, 0.6, white);
    }
  }

  private add(x: number, y: number, z: number, vx: number, vy: number, vz: number, size: number, falls: number, colour: three.Color) {
    const s = this.at[this.next]!;
    s.p.set(x, y, z);
    s.v.set(vx, vy, vz);
    Object.assign(s, { life: 1, size, falls });
    this.all.setColorAt(this.next, colour);
    this.all.instanceColor!.needsUpdate = true;
    this.next = (this.next + 1) % MOST;
  }

  update(dt: number) {
    this.all.visible = this.at.some((s) => s.life > 0);
    if (!this.all.visible) return;
    this.at.forEach((s, i) => {
      s.life = Math.max(s.life - 1.6 * dt, 0);
      s.v.y -= s.falls * dt;
      s.p.addScaledVector(s.v, dt);
      const size = s.size * s.life;
      this.all.setMatrixAt(i, this.m.makeScale(size, size, size).setPosition(s.p));
    });
    this.all.instanceMatrix.needsUpdate = true;
  }
}

const gold = new three.Color(0xffc94a), white = new three.Color(0xfff6de);
