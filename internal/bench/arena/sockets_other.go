//go:build !linux

package main

import (
	"errors"
	"io"
)

// supported returns an error: this system has no such matches.
func (s *sockets) supported() error {
	return errors.New("-transport: it needs Linux; without it the match is in virtual time")
}

func measureSockets(options, io.Writer) (*socketReport, error) {
	return nil, (*sockets)(nil).supported()
}

// serveApart reports that this is not a server's process.
func serveApart() (code int, ok bool) { return 0, false }
