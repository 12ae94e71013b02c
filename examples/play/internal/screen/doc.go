// Package screen exits with a helpful error if there is no screen. Import it for this effect only:
//
//	import _ "github.com/tactusgo/tactus/examples/play/internal/screen"
//
// Ebitengine opens the screen while packages are initialized, and panics without one before main runs. Package screen is
// initialized earlier: among the packages whose imports are ready, Go initializes the one with the smallest import path
// first. Package screen imports only os and strings, while Ebitengine imports packages such as os/exec that come later in
// this order.
//
// The check concerns X11 on Linux, where DISPLAY names the screen. On other systems the package does nothing.
package screen
