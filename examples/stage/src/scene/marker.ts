import * as three from 'three';
import { calm } from '../stage/dom';

/** A ring on the ground below the own player. */
export class Marker extends three.Mesh<three.RingGeometry, three.MeshBasicMaterial> {
  private time = 0;

  constructor(scene: three.Scene, radius: number, colour = 0xffffff) {
    super(new three.RingGeometry(radius, radius * 1.22, 40).rotateX(-Math.PI / 2), new three.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.9, depthWrite: false, fog: false, toneMapped: false }));
    this.renderOrder = 2;
    this.visible = false;
    scene.add(this);
  }

  /** Shows the ring at a place. */
  show(x: number, y: number, z: number, seconds: number) {
    this.time += seconds;
    this.visible = true;
    this.position.set(x, y, z);
    this.scale.setScalar(calm() ? 1 : 1 + 0.06 * Math.sin(5 * this.time));
  }
}
