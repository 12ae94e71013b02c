package main

import (
	"errors"

	"github.com/tactusgo/tactus/examples/play/internal/stage"
)

// start is for windows: a page cannot listen, and has no bots.
func start(_ string, o *stage.Options, _ bool) (stop func(), err error) {
	if o.Connect == "" {
		return nil, errors.New("a page needs the address of a server, by -connect")
	}
	return func() {}, nil
}
