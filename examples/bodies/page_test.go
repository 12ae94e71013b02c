//go:build !js

package main

import (
	"testing"

	"github.com/tactusgo/tactus/examples/pages/pagetest"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// The page receives all bodies and draws them. After the first frame with all of them, its title contains their number.
func TestPage(t *testing.T) {
	pagetest.Open(t, world(), web.Config{Package: "examples/bodies", Page: page}, "Bodies: 250")
}
