package main

import (
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// places are the processors of servers and clients.
type places struct{ apart.Processors }

// newPlaces restricts this program to the clients' processors.
func newPlaces() (p places, err error) {
	if p.Processors, err = apart.Split(1); err != nil {
		return p, err
	}
	return p, apart.Stay(&p.Load)
}

// start starts a process on the given processors.
func (p places) start(on *unix.CPUSet, start func() error) error {
	if err := p.On(on, start); err != nil {
		return err
	}
	return apart.Stay(&p.Load)
}
