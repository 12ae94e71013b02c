// The page of the arena.
import { play } from '../stage/play';
import { controls, world } from './arena/match';

void play(world, controls);
