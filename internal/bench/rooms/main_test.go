package main

import (
	"bufio"
	"io"
	"testing"
)

// Three rooms, and more players than seats: who has none is refused, nobody has another's, and all play.
func TestBench(t *testing.T) {
	o := options{rooms: 3, players: 4, hz: 20, seconds: 1, joins: 5}
	asks, in := io.Pipe()
	out, answers := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serve(o, asks, answers) }()
	r, err := play(o, &link{in: in, out: bufio.NewReader(out)})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if r.Joins != 17 || r.Refused != 5 || r.Doubled != 0 || r.Over != 0 || r.Connected != 12 || r.TicksPct <= 0 || r.Updates <= 0 || r.CPU <= 0 || r.KiB <= 0 {
		t.Errorf("%+v", r)
	}
}
