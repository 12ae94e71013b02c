// A fighter: a body of simple parts that takes a pose for each phase.
import * as three from 'three';
import { Phase } from '../../../bindings/duel.mjs';
import { matt } from '../../scene/ground';

/** A pose: how far body and head lean forward, and where the front fist and the front foot are. */
interface Pose { readonly lean: number; readonly fist: number; readonly up: number; readonly foot: number; readonly crouch: number }

const POSES: Readonly<Record<Phase, Pose>> = {
  [Phase.Ready]: { lean: 0.05, fist: 30, up: 80, foot: 14, crouch: 0 },
  [Phase.Windup]: { lean: -0.22, fist: -14, up: 84, foot: 8, crouch: 5 },
  [Phase.Strike]: { lean: 0.3, fist: 74, up: 82, foot: 32, crouch: 6 },
  [Phase.Recovery]: { lean: 0.16, fist: 48, up: 74, foot: 22, crouch: 3 },
  [Phase.Staggered]: { lean: -0.4, fist: 10, up: 64, foot: 18, crouch: 4 },
  [Phase.Fallen]: { lean: -1.45, fist: -30, up: 26, foot: 10, crouch: 30 },
};
const GUARD: Pose = { lean: -0.06, fist: 25, up: 98, foot: 12, crouch: 7 };
const SKIN = 0xf0c39a;

export class Fighter extends three.Group {
  client = 0; frame = 0; lives = 3; wins = 0; bot = false; right = true; guards = false;
  phase: Phase = Phase.Ready;
  private readonly body = new three.Group();
  private readonly arms: readonly [three.Mesh, three.Mesh];
  private readonly fists: readonly [three.Mesh, three.Mesh];
  private readonly legs: readonly [three.Mesh, three.Mesh];
  private readonly pose = { lean: 0, fist: 30, up: 80, foot: 14, crouch: 0 };
  private facing = 1;
  private stride = 0;
  private at = NaN;

  constructor(readonly colour: number, readonly own: boolean) {
    super();
    const cloth = matt(colour), dark = matt(new three.Color(colour).multiplyScalar(0.45).getHex()), skin = matt(SKIN), glove = matt(0xf6f2ea);
    const part = (shape: three.BufferGeometry, material: three.Material, to: three.Object3D = this) => {
      const m = new three.Mesh(shape, material);
      m.castShadow = m.receiveShadow = true;
      to.add(m);
      return m;
    };
    part(new three.CapsuleGeometry(15, 26, 6, 16), cloth, this.body).position.y = 30;
    part(new three.CylinderGeometry(16, 16, 7, 16), dark, this.body).position.y = 14;
    const head = part(new three.SphereGeometry(15, 20, 16), skin, this.body);
    head.position.set(2, 70, 0);
    part(new three.TorusGeometry(14.6, 3, 8, 24).rotateX(Math.PI / 2), cloth, this.body).position.set(2, 75, 0);
    part(new three.BoxGeometry(12, 3, 3), cloth, this.body).position.set(-17, 73, 0);
    for (const z of [-5, 5]) part(new three.SphereGeometry(2.4, 8, 6), matt(0x201818), this.body).position.set(16, 69, z);
    this.add(this.body);
    const limb = () => part(new three.CylinderGeometry(5.5, 5, 1, 10).translate(0, 0.5, 0), cloth), leg = () => part(new three.CylinderGeometry(7.5, 6.5, 1, 10).translate(0, 0.5, 0), dark);
    this.arms = [limb(), limb()];
    this.legs = [leg(), leg()];
    const fist = () => part(new three.SphereGeometry(9, 14, 10), glove);
    this.fists = [fist(), fist()];
    if (own) {
      const ring = new three.Mesh(new three.RingGeometry(30, 36, 40).rotateX(-Math.PI / 2), new three.MeshBasicMaterial({ color: 0xffffff, transparent: true, opacity: 0.85, depthWrite: false, toneMapped: false }));
      ring.position.y = 1.5;
      this.add(ring);
    }
  }

  /** Takes the pose of a phase, some seconds after the frame before. */
  show(x: number, right: boolean, phase: Phase, guards: boolean, seconds: number) {
    const want = guards ? GUARD : POSES[phase], quick = phase === Phase.Strike ? 40 : 18, share = 1 - Math.exp(-quick * seconds), { pose } = this;
    for (const k of ['lean', 'fist', 'up', 'foot', 'crouch'] as const) pose[k] += (want[k] - pose[k]) * share;
    this.facing += ((right ? 1 : -1) - this.facing) * (1 - Math.exp(-16 * seconds));
    if (phase === Phase.Ready && !Number.isNaN(this.at)) this.stride += Math.abs(x - this.at) * 0.09;
    Object.assign(this, { at: x, right, phase, guards });
    this.position.x = x;
    this.scale.x = Math.abs(this.facing) < 0.1 ? 0.1 : this.facing;
    const hip = 44 - pose.crouch, swing = 9 * Math.sin(this.stride);
    this.body.position.y = hip - 6;
    this.body.rotation.z = -pose.lean;
    const shoulder = new three.Vector3(58 * Math.sin(pose.lean) * 0.9, hip - 6 + 50 * Math.cos(pose.lean), 0);
    const front = new three.Vector3(pose.fist, phase === Phase.Fallen ? 12 : pose.up - pose.crouch * 0.5, 16), back = new three.Vector3(guards ? 22 : 12, phase === Phase.Fallen ? 10 : 72 - pose.crouch, -14);
    this.reach(this.arms[0], shoulder.clone().setZ(13), front);
    this.reach(this.arms[1], shoulder.clone().setZ(-13), back);
    this.fists[0].position.copy(front);
    this.fists[1].position.copy(back);
    const pelvis = new three.Vector3(0, hip - 6, 0);
    this.reach(this.legs[0], pelvis.clone().setZ(8), new three.Vector3(pose.foot + swing, 4, 9));
    this.reach(this.legs[1], pelvis.clone().setZ(-8), new three.Vector3(-16 - swing, 4, -9));
  }

  /** Puts a limb between two places. */
  private reach(limb: three.Mesh, from: three.Vector3, to: three.Vector3) {
    const way = to.clone().sub(from);
    limb.position.copy(from);
    limb.scale.set(1, way.length(), 1);
    limb.quaternion.setFromUnitVectors(UP, way.normalize());
  }
}

const UP = new three.Vector3(0, 1, 0);
