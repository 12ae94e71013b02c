//go:build !js

package main

import "github.com/tactusgo/tactus/examples/play/internal/host"

// hosts start matches of their own, by world.
var hosts = host.All
