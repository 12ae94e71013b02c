// The page of the arena with one match.
import { play } from '../stage/play';
import { controls, world } from './arena/match';

void play(world, controls);
