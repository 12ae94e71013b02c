package main

import (
	"testing"

	"github.com/tactusgo/tactus/systems/host/bind"
)

// What is committed is of the protocol as it is.
func TestBindingsAreOfToday(t *testing.T) {
	if err := bind.Check(config()); err != nil {
		t.Error(err)
	}
}
