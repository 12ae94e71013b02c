package main

import (
	"testing"

	"github.com/tactusgo/tactus/systems/host/bind"
)

// The committed bindings are those of the protocol.
func TestBindingsAreOfToday(t *testing.T) {
	if err := bind.Check(config()); err != nil {
		t.Error(err)
	}
}
