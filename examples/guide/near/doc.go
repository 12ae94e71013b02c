// Package near is the game of docs/guide/near.md: wolves hunt the nearest sheep. A grid, which is a resource of the world,
// finds it. Its test plays the game under all models.
package near
