package main

import (
	"bytes"
	"os"
	"testing"

	custom "github.com/tactusgo/tactus/examples/custom/game"
	duel "github.com/tactusgo/tactus/examples/duel/game"
	fog "github.com/tactusgo/tactus/examples/fog/game"
	snake "github.com/tactusgo/tactus/examples/snake/game"
	snowball "github.com/tactusgo/tactus/examples/snowball/game"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/host/bind"
)

// The committed bindings and levels match the worlds.
func TestBindingsAreOfToday(t *testing.T) {
	for _, c := range configs() {
		if err := bind.Check(c); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(levelsFile); err != nil || !bytes.Equal(b, levels()) {
		t.Errorf("%s does not match the worlds (%v): run go generate and commit the result", levelsFile, err)
	}
}

// The configurations of the clients in pages are valid.
func TestHosts(t *testing.T) {
	for name, config := range map[string]func() host.Config{"custom": custom.Host, "duel": duel.Host, "fog": fog.Host, "snake": snake.Host, "snowball": snowball.Host} {
		if err := config().Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
