// The level: solids, moving platforms, coins, and the horizon.
import * as three from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import level from '../../../../platformer/bindings/level.json';
import type { Quality } from '../../scene/quality';
import { block, dice, materials } from '../../scene/textures';

export { level };

type Solid = (typeof level.Solids)[number];

/** Returns the height of a solid at x: ramps are lower in the west. */
export const top = (s: Solid, x: number) => s.Max.Y - s.Slope * Math.min(Math.max((s.Max.X - x) / (s.Max.X - s.Min.X), 0), 1);

const inside = (s: Solid, x: number, z: number) => x > s.Min.X && x < s.Max.X && z > s.Min.Z && z < s.Max.Z;

/** The level in a scene. The caller places its platforms. */
export class Level {
  readonly platforms: three.Group[] = [];
  readonly coins: three.Object3D[] = [];
  private readonly drifting: [three.Object3D, number][] = [];
  private readonly of = materials();

  constructor(private readonly scene: three.Scene, private readonly sun: three.DirectionalLight, private readonly quality: Quality) {
    const { accelerated, renderer } = quality;
    scene.add(dome(), this.sun, this.sun.target, new three.HemisphereLight(0xd6e8ff, 0xa3a883, accelerated ? 1.25 : 2));
    scene.fog = new three.Fog(0xcadff2, 50, 340);
    if (accelerated) scene.environment = new three.PMREMGenerator(renderer).fromScene(new three.Scene().add(dome())).texture;
    scene.environmentIntensity = 0.55;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.03;
    this.sun.shadow.radius = 3;
    Object.assign(this.sun.shadow.camera, { left: -24, right: 24, top: 24, bottom: -24, near: 1, far: 90 });
    level.Solids.forEach((s) => this.stand(s));
    for (let i = 0; i < level.Platforms; i++) this.platforms.push(this.deck());
    const shape = round();
    level.Coins.forEach((c, i) => {
      const coin = i ? new three.Mesh(shape, gold) : bell();
      coin.position.set(c.X, c.Y, c.Z);
      coin.traverse((o) => { o.castShadow = true; });
      this.coins.push(coin);
      scene.add(coin);
    });
    quality.details(() => this.meadow());
    this.horizon();
  }

  /** Moves coins and clouds, and places the sun so that shadows cover the surroundings of a place. */
  update(seconds: number, around: three.Vector3) {
    this.coins.forEach((c, i) => {
      c.rotation.y = i ? 2.4 * seconds + i : 0;
      c.rotation.z = i ? 0 : 0.14 * Math.sin(3 * seconds);
      c.position.y = level.Coins[i]!.Y + 0.09 * Math.sin(2.6 * seconds + i);
    });
    for (const [o, speed] of this.drifting) o.rotation.y = speed * seconds;
    this.sun.target.position.copy(around).round(); // in steps, so that edges of shadows do not swim
    this.sun.position.copy(this.sun.target.position).addScaledVector(toSun, 45);
  }

  /** Returns the height of the ground below a place. */
  ground(at: three.Vector3): number {
    let high = -100;
    for (const s of level.Solids) {
      const y = top(s, at.x);
      if (inside(s, at.x, at.z) && y < at.y + 0.3) high = Math.max(high, y);
    }
    for (const { position: p } of this.platforms)
      if (Math.abs(at.x - p.x) < level.Half && Math.abs(at.z - p.z) < level.Half && p.y < at.y + 0.3) high = Math.max(high, p.y);
    return high;
  }

  /** Returns the distance from a place to the first solid in a direction, at most most. */
  sight(from: three.Vector3, way: three.Vector3, most: number): number {
    for (const s of level.Solids) {
      box.min.set(s.Min.X - 0.3, s.Min.Y - 0.3, s.Min.Z - 0.3);
      box.max.set(s.Max.X + 0.3, s.Max.Y + 0.3, s.Max.Z + 0.3);
      ray.set(from, way);
      if (box.containsPoint(from) || !ray.intersectBox(box, hit) || hit.y > top(s, hit.x) + 0.3) continue;
      most = Math.min(most, hit.distanceTo(from));
    }
    return most;
  }

  private put(shape: three.BufferGeometry, of: three.Material, x: number, y: number, z: number, to: three.Object3D = this.scene) {
    const mesh = new three.Mesh(shape, of);
    mesh.position.set(x, y, z);
    mesh.castShadow = mesh.receiveShadow = true;
    to.add(mesh);
    return mesh;
  }

  /** Makes a solid: a ramp or crate of wood, a block of stone, or an island with grass above and rock below. */
  private stand(s: Solid) {
    const w = s.Max.X - s.Min.X, h = s.Max.Y - s.Min.Y, d = s.Max.Z - s.Min.Z;
    const x = (s.Min.X + s.Max.X) / 2, y = (s.Min.Y + s.Max.Y) / 2, z = (s.Min.Z + s.Max.Z) / 2;
    const small = Math.max(w, d) <= 4.1, floats = s.Min.Y < 0 || s.Min.X > 20;
    if (s.Slope) {
      const ramp = block(w, h, d, 0.04, 2), p = ramp.attributes['position'] as three.BufferAttribute;
      for (let i = 0; i < p.count; i++) if (p.getY(i) > 0) p.setY(i, Math.max(p.getY(i) - s.Slope * (w / 2 - p.getX(i)) / w, -h / 2));
      ramp.computeVertexNormals();
      this.put(ramp, this.of.wood, x, y, z);
    } else if (!floats && small) {
      this.put(block(w, h, d, 0.06, h > 1 ? 0 : 2), h > 1 ? this.of.crate : this.of.wood, x, y, z);
    } else {
      const lawn = 0.22, rim = 0.07, grows = s.Max.Y <= 3;
      this.put(block(w, h - (grows ? lawn / 2 : 0), d, 0.08, 2), s.Max.Y <= 0.5 ? this.of.soil : this.of.stone, x, y - (grows ? lawn / 4 : 0), z);
      if (grows) this.put(block(w + 2 * rim, lawn, d + 2 * rim, 0.1, 4), this.of.grass, x, s.Max.Y - lawn / 2, z);
      else this.put(block(w + 2 * rim, 0.3, d + 2 * rim, 0.08, 2), this.of.wood, x, s.Max.Y - 0.15, z);
      if (grows) this.quality.details(() => this.fringe(s, rim, lawn));
      if (floats) this.put(crag(w, d, 0.45 * Math.min(w, d) + 1), rocks, x, s.Min.Y + 0.05, z);
    }
  }

  /** Makes the grass that hangs over the edges of an island. */
  private fringe(s: Solid, rim: number, lawn: number) {
    const random = dice(s.Max.X * 31 + s.Max.Z), w = s.Max.X - s.Min.X, d = s.Max.Z - s.Min.Z, long = 2 * (w + d), n = Math.round(long * 2.4);
    const tufts = new three.InstancedMesh(new three.SphereGeometry(0.24, 8, 4), this.of.grass, n), m = new three.Matrix4();
    for (let i = 0; i < n; i++) {
      const at = (i / n) * long, deep = 0.5 + random() * 1.1;
      const [x, z, alongX] = at < w ? [at, -rim, 1] : at < w + d ? [w + rim, at - w, 0] : at < 2 * w + d ? [2 * w + d - at, d + rim, 1] : [-rim, long - at, 0];
      tufts.setMatrixAt(i, m.makeScale(alongX ? 1.1 : 0.25, deep, alongX ? 0.25 : 1.1).setPosition(s.Min.X + x, s.Max.Y - lawn * 0.8, s.Min.Z + z));
    }
    tufts.receiveShadow = true;
    this.quality.detail.add(tufts);
  }

  /** Makes a platform: planks in a frame of metal, with a glowing ring below. */
  private deck() {
    const g = new three.Group(), wide = 2 * level.Half;
    const metal = new three.MeshStandardMaterial({ color: 0x44506b, metalness: 0.7, roughness: 0.35 });
    this.put(block(wide - 0.24, 0.2, wide - 0.24, 0.03, 1.5), this.of.wood, 0, -0.1, 0, g);
    for (const side of [-1, 1]) {
      this.put(block(0.16, 0.3, wide, 0.05, 1), metal, side * (wide / 2 - 0.08), -0.145, 0, g);
      this.put(block(wide, 0.3, 0.16, 0.05, 1), metal, 0, -0.145, side * (wide / 2 - 0.08), g);
    }
    this.put(new three.CylinderGeometry(0.75, 0.45, 0.35, 24), metal, 0, -0.38, 0, g);
    const glow = this.put(new three.TorusGeometry(0.62, 0.09, 10, 32), new three.MeshBasicMaterial({ color: 0x6ff3ff, toneMapped: false }), 0, -0.56, 0, g);
    glow.rotation.x = Math.PI / 2;
    glow.castShadow = false;
    g.visible = false; // until the match knows its place
    this.scene.add(g);
    return g;
  }

  /** Sows tufts and flowers. */
  private meadow() {
    const random = dice(7), lawns = level.Solids.filter((s) => !s.Slope && s.Max.Y <= 3 && (s.Min.Y < 0 || s.Max.X > 12));
    const free = (x: number, y: number, z: number, own: Solid) => level.Solids.every((s) => s === own || !inside(s, x, z) || s.Min.Y > y + 1 || s.Max.Y <= y);
    const sow = (shape: three.BufferGeometry, colours: number[], each: number, size: number) => {
      const area = lawns.reduce((sum, s) => sum + (s.Max.X - s.Min.X) * (s.Max.Z - s.Min.Z), 0), n = Math.round(area * each);
      const all = new three.InstancedMesh(shape, new three.MeshStandardMaterial({ roughness: 1 }), n), m = new three.Object3D(), tint = new three.Color();
      let k = 0;
      for (const s of lawns) for (let i = 0; i < each * (s.Max.X - s.Min.X) * (s.Max.Z - s.Min.Z) && k < n; i++) {
        const x = s.Min.X + random() * (s.Max.X - s.Min.X), z = s.Min.Z + random() * (s.Max.Z - s.Min.Z);
        if (!free(x, s.Max.Y, z, s)) continue;
        m.position.set(x, s.Max.Y, z);
        m.rotation.set(0.3 * random(), 6 * random(), 0);
        m.scale.setScalar(size * (0.6 + 0.8 * random()));
        m.updateMatrix();
        all.setMatrixAt(k, m.matrix);
        all.setColorAt(k++, tint.setHex(colours[Math.floor(random() * colours.length)]!).offsetHSL(0, 0, 0.06 * random() - 0.03));
      }
      all.count = k;
      all.receiveShadow = true;
      this.quality.detail.add(all);
    };
    const blades = mergeGeometries([[0, 0, 0.25], [0.05, 0.03, -0.2], [-0.04, 0.05, 0.05]].map(([x, z, lean]) =>
      new three.ConeGeometry(0.028, 0.26, 3, 1, true).translate(0, 0.11, 0).rotateZ(lean!).translate(x!, 0, z!)));
    sow(blades, [0x6fae49, 0x80bd55, 0x5b9c3f], 5, 0.8);
    sow(new three.IcosahedronGeometry(0.08, 1).translate(0, 0.16, 0), [0xffffff, 0xffe071, 0xff9ecb, 0xb9a6ff], 0.22, 0.8);
  }

  /** Makes the horizon: islands with trees, clouds and mountains, in layers at different distances. */
  private horizon() {
    const random = dice(42), far = new three.Group(), trees: three.Matrix4[] = [];
    for (let i = 0; i < 11; i++) {
      const turn = i * 0.571 + random() * 0.3, away = 46 + random() * 75, size = 7 + random() * 13;
      const x = Math.cos(turn) * away + 3, y = -14 + random() * 26, z = Math.sin(turn) * away;
      this.put(block(size, 1.2, size * 0.8, 0.5, 4), this.of.grass, x, y, z, far);
      this.put(crag(size * 0.98, size * 0.78, size * 0.7), rocks, x, y - 0.3, z, far);
      for (let k = 0; k < size * 0.7; k++) {
        const tall = 0.8 + random() * 0.8;
        trees.push(new three.Matrix4().makeScale(tall, tall, tall).setPosition(x + (random() - 0.5) * size * 0.8, y + 0.5, z + (random() - 0.5) * size * 0.62));
      }
    }
    const crown = mergeGeometries([0, 1, 2].map((c) => new three.ConeGeometry(1.15 - c * 0.28, 1.3, 7, 1, true).translate(0, 2.1 + c * 0.75, 0)));
    for (const [shape, of] of [[crown, leaves], [new three.CylinderGeometry(0.12, 0.2, 2, 6, 1, true).translate(0, 1, 0), bark]] as const) {
      const all = new three.InstancedMesh(shape, of, trees.length);
      trees.forEach((m, i) => all.setMatrixAt(i, m));
      far.add(all);
    }
    for (let i = 0; i < 34; i++) {
      const turn = i * 0.1848 + random() * 0.1, near = i % 2, high = (near ? 40 : 75) * (0.7 + 0.6 * random()), away = near ? 150 + random() * 40 : 240 + random() * 40;
      this.put(peak(high, i + 1), hills, Math.cos(turn) * away, -48, Math.sin(turn) * away, far);
    }
    for (const o of far.children) o.castShadow = o.receiveShadow = false;
    this.scene.add(far);
    for (const [n, low, high, near, wide, speed] of [[26, -17, -11, 16, 110, 0.004], [40, -34, -24, 10, 240, 0.002], [16, 14, 34, 60, 150, -0.003]] as const) {
      const puffs = new three.InstancedMesh(new three.SphereGeometry(1, 10, 7), cloud, n * 6), m = new three.Matrix4();
      for (let i = 0; i < n; i++) {
        const turn = random() * 6.3, away = near + Math.sqrt(random()) * wide, size = 2.2 + random() * 3 + away * 0.02, y = low + random() * (high - low);
        for (let k = 0; k < 6; k++) {
          const s = size * (1 - 0.13 * k) * (0.8 + 0.3 * random()), side = (k % 2 ? 1 : -1) * (k + 1) * 0.36 * size;
          m.makeScale(s * 1.15, s * 0.55, s).setPosition(Math.cos(turn) * away - Math.sin(turn) * side, y + s * 0.3, Math.sin(turn) * away + Math.cos(turn) * side + (random() - 0.5) * size * 0.6);
          puffs.setMatrixAt(i * 6 + k, m);
        }
      }
      this.drifting.push([puffs, speed]);
      this.scene.add(puffs);
    }
  }
}

const box = new three.Box3(), ray = new three.Ray(), hit = new three.Vector3();
const toSun = new three.Vector3(-0.42, 0.8, 0.5).normalize();
const cloud = new three.MeshStandardMaterial({ color: 0xffffff, roughness: 1, emissive: 0xbfd4ea, emissiveIntensity: 0.45 });
const rocks = new three.MeshStandardMaterial({ vertexColors: true, roughness: 1, flatShading: true });
const hills = new three.MeshLambertMaterial({ vertexColors: true, flatShading: true });
hills.onBeforeCompile = (shader) => { // mist lies in the valleys
  shader.vertexShader = shader.vertexShader.replace('#include <common>', '#include <common>\nvarying float high;').replace('#include <fog_vertex>', '#include <fog_vertex>\nhigh = (modelMatrix * vec4(transformed, 1.)).y;');
  shader.fragmentShader = shader.fragmentShader.replace('#include <common>', '#include <common>\nvarying float high;').replace('#include <fog_fragment>', '#include <fog_fragment>\ngl_FragColor.rgb = mix(gl_FragColor.rgb, fogColor, smoothstep(8., -42., high));');
};
const leaves = new three.MeshStandardMaterial({ color: 0x4d9447, roughness: 1, flatShading: true }), bark = new three.MeshStandardMaterial({ color: 0x74512f, roughness: 1 });
const gold = new three.MeshStandardMaterial({ color: 0xffc93d, metalness: 0.75, roughness: 0.2, emissive: 0x8a5200, emissiveIntensity: 0.75 });

/** Returns the rock below an island. deep is its depth in the middle. */
function crag(w: number, d: number, deep: number) {
  const n = Math.max(5, Math.min(14, Math.round(w))), random = dice(w * 100 + d);
  const shape = new three.PlaneGeometry(w, d, n, n).rotateX(Math.PI / 2), p = shape.attributes['position'] as three.BufferAttribute, colours: number[] = [];
  const brown = new three.Color(0x6d5138), grey = new three.Color(0x8b8794), c = new three.Color();
  for (let i = 0; i < p.count; i++) {
    const out = Math.max(Math.abs(2 * p.getX(i) / w), Math.abs(2 * p.getZ(i) / d)), edge = out > 0.999;
    const y = edge ? 0 : -deep * (1 - out ** 1.6) * (0.7 + 0.5 * random()) - 0.4 - 0.5 * random();
    if (!edge) p.setXYZ(i, p.getX(i) + (random() - 0.5) * w / n * 0.5, y, p.getZ(i) + (random() - 0.5) * d / n * 0.5);
    c.lerpColors(brown, grey, Math.min(-y / deep * 1.1, 1)).toArray(colours, 3 * i);
  }
  shape.setAttribute('color', new three.Float32BufferAttribute(colours, 3));
  return shape.toNonIndexed();
}

/** Returns a mountain with snow. */
function peak(high: number, seed: number) {
  const random = dice(seed), wide = high * (0.85 + 0.3 * random()), colours: number[] = [];
  const shape = new three.ConeGeometry(wide, high, 13, 7).translate(0, high / 2, 0), p = shape.attributes['position'] as three.BufferAttribute;
  const ridge = Array.from({ length: 14 }, (_, i) => (i % 2 ? 0.74 : 1.12) + 0.2 * random());
  ridge[13] = ridge[0]!;
  const low = new three.Color(0x5f7f63), rock = new three.Color(0x8d93a8), snow = new three.Color(0xf4f8ff), c = new three.Color();
  for (let i = 0; i < p.count; i++) {
    const up = p.getY(i) / high, k = ridge[i % 14]! + 0.14 * Math.sin(9 * up + i % 14);
    p.setXYZ(i, p.getX(i) * k, p.getY(i), p.getZ(i) * k);
    c.lerpColors(low, rock, Math.min(up * 1.7, 1)).lerp(snow, up > 0.66 + 0.1 * Math.sin((i % 14) * 2.4) ? 1 : 0).toArray(colours, 3 * i);
  }
  shape.setAttribute('color', new three.Float32BufferAttribute(colours, 3));
  return shape.toNonIndexed();
}

/** Returns a coin with a star. */
function round() {
  const star = new three.Shape();
  for (let i = 0; i < 10; i++) {
    const r = i % 2 ? 0.075 : 0.18, turn = i * Math.PI / 5 + Math.PI / 2;
    star[i ? 'lineTo' : 'moveTo'](Math.cos(turn) * r, Math.sin(turn) * r);
  }
  return mergeGeometries([new three.CylinderGeometry(0.3, 0.3, 0.09, 32).rotateX(Math.PI / 2).toNonIndexed(), new three.TorusGeometry(0.3, 0.055, 10, 32).toNonIndexed(),
    new three.ExtrudeGeometry(star, { depth: 0.13, bevelEnabled: false }).translate(0, 0, -0.065)]);
}

function bell() {
  const line = [[0.02, 0.62], [0.1, 0.6], [0.2, 0.5], [0.27, 0.3], [0.33, 0.05], [0.46, -0.16], [0.5, -0.24], [0.42, -0.24]].map(([x, y]) => new three.Vector2(x, y));
  const all = new three.Group(), clapper = new three.Mesh(new three.SphereGeometry(0.12), gold), hook = new three.Mesh(new three.TorusGeometry(0.1, 0.035, 8, 20), gold);
  clapper.position.y = -0.27;
  hook.position.y = 0.68;
  return all.add(new three.Mesh(new three.LatheGeometry(line, 32), gold), clapper, hook);
}

/** Returns the sky: a gradient with light around the sun. */
function dome() {
  const of = new three.ShaderMaterial({
    side: three.BackSide, depthWrite: false, fog: false, uniforms: { sun: { value: toSun } },
    vertexShader: 'varying vec3 way; void main() { way = normalize(position); vec4 p = projectionMatrix * mat4(mat3(modelViewMatrix)) * vec4(position, 1.); gl_Position = p.xyww; }',
    fragmentShader: `varying vec3 way; uniform vec3 sun;
      void main() {
        vec3 v = normalize(way);
        float up = v.y, near = max(dot(v, sun), 0.);
        vec3 c = mix(vec3(.72, .86, .97), vec3(.13, .37, .80), pow(clamp(up, 0., 1.), .62));
        c = mix(c, vec3(.80, .89, .97), pow(1. - clamp(abs(up), 0., 1.), 6.));
        c = mix(c, vec3(.52, .70, .90), clamp(-up * 1.4, 0., 1.));
        c += vec3(1., .85, .6) * (.28 * pow(near, 12.) + 1.6 * pow(near, 900.));
        gl_FragColor = vec4(c, 1.);
        #include <colorspace_fragment>
      }`,
  });
  const mesh = new three.Mesh(new three.SphereGeometry(10, 32, 24), of);
  mesh.frustumCulled = false;
  mesh.renderOrder = -1;
  return mesh;
}
