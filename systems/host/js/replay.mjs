// A recording that a game plays.
const [POSITION, DURATION, SEEK, RATE, FOLLOW, MOMENT, CHECK] = [0, 1, 2, 3, 4, 5, 6]; // commands of host.Host.Control

export class Replay {
  constructor(game) { Object.assign(this, { game, speed: 1, player: 0 }); }

  do(command, value = 0) {
    const { module, host } = this.game, result = module.x.tactus_replay(host, command, value);
    if (Number.isNaN(result)) throw new Error(module.text());
    module.refresh();
    return result;
  }

  get position() { return this.do(POSITION); }
  get duration() { return this.do(DURATION); }
  get ended() { return this.position >= this.duration || this.game.module.x.tactus_end(this.game.host) > 0; }
  get rate() { return this.speed; }
  set rate(rate) { this.speed = this.do(RATE, rate); }
  get follow() { return this.player; }
  set follow(client) { this.player = this.do(FOLLOW, client); }

  seek(to) { return this.do(SEEK, to); }

  moments() {
    const all = [];
    for (let i = 0, at; (at = this.do(MOMENT, i)) >= 0; i++) {
      const [kind, type] = this.game.module.text().split(' ', 2);
      all.push({ at, kind, type });
    }
    return all;
  }

  check() {
    const equal = this.do(CHECK);
    return equal < 0 ? null : equal === 1;
  }
}
