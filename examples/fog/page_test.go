//go:build !js

package main

import (
	"testing"

	"github.com/tactusgo/tactus/examples/pages/pagetest"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// The page joins a team, which its title names.
func TestPage(t *testing.T) {
	pagetest.Open(t, world(), web.Config{Package: "examples/fog", Page: page}, "Fog: (blue|red)")
}
