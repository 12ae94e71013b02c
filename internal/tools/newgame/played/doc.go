// Package played plays the game that one makes from examples/starter-ts, in a browser: on the page that its server has,
// and on that of npm run dev, while its rules and its looks are changed. Package newgame makes it.
package played
