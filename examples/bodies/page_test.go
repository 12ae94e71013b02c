//go:build !js

package main

import (
	"testing"

	"github.com/tactusgo/tactus/examples/pages/pagetest"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// The page receives all bodies and draws them. Its title has their number after the first frame with all of them.
func TestPage(t *testing.T) {
	pagetest.Open(t, world(), web.Config{Package: "examples/bodies", Page: page}, "Bodies: 250")
}
