// Package matches tests matches as a game sees them: servers and clients through the API of package systems, most of them on
// the virtual network of systemstest. It has no code. Tests of single files stand beside these files.
package matches
