// Package screen ends a program that has no screen, with a line that says what to do. It
// is imported for that alone:
//
//	import _ "github.com/tactusgo/tactus/examples/play/internal/screen"
//
// Ebitengine looks for the screen while packages are initialised, and where there is none
// it panics before any function of the program runs. This package has looked before: of
// the packages whose imports are ready, Go initialises the one with the first import path,
// and this one needs os and strings alone, while Ebitengine needs packages behind it in
// that order which need both as well, such as os/exec.
//
// X11 is where a screen can be missing: on Linux, where DISPLAY names it. Elsewhere
// nothing is looked for.
package screen
