// The page of the arena with rooms.
import { lobby } from '../stage/lobby';
import { play } from '../stage/play';
import { controls, world } from './arena/match';

void play(world, controls, lobby());
