import { make } from './dom';

/** The part of the page that shows the game, for everything except the card. */
export const root = make('section', { id: 'stage', 'aria-label': 'the game' });
document.body.append(root);
