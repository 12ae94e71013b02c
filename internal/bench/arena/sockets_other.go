//go:build !linux

package main

import (
	"errors"
	"io"
)

// supported says that there are no such matches here.
func (s *sockets) supported() error {
	return errors.New("-transport: it needs Linux; without it the match is in virtual time")
}

func measureSockets(options, io.Writer) (*socketReport, error) {
	return nil, (*sockets)(nil).supported()
}

// serveApart is the server's process, of which there is none.
func serveApart() (code int, ok bool) { return 0, false }
