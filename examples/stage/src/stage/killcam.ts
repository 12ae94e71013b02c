// The last seconds of a player who was beaten, from the view of the winner. The match goes on meanwhile.
import type { Bindings, Game } from '@tactusgo/client';
import { free } from '../scene/free';
import { make } from './dom';
import { root } from './root';

const LENGTH = 2000; // ms
const FAR = 2; // so that the beaten player is in the picture, too

/** Who beat the player. */
export interface Beaten { readonly by: number; readonly name: string }

export class KillCam<B extends Bindings> {
  /** The game to draw. */
  readonly game: Game<B>;
  private readonly label;

  constructor(game: Game<B>, { by, name }: Beaten) {
    this.game = game.last();
    const replay = this.game.replay!;
    replay.seek(Math.max(replay.duration - LENGTH, replay.position));
    replay.follow = by;
    this.label = make('p', { id: 'killcam', role: 'status' }, 'Replay: what ', make('b', {}, name), ' saw');
    root.append(this.label);
    document.body.classList.add('killcam');
    free.far = FAR;
  }

  /** Whether all of it was shown. */
  get over() { return this.game.replay!.ended; }

  end() {
    this.label.remove();
    document.body.classList.remove('killcam');
    free.far = 1;
    this.game.close();
  }
}
