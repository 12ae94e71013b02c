package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tactusgo/tactus/ecs"
)

// replay makes the calls of a recording again, and compares.
func replay(g game, recorded []byte) error {
	r, err := newReader(g.world.Protocol(&g.options), recorded)
	if err != nil {
		return err
	}
	k, err := newPlayer(g, r.opening, func([]byte) {})
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		c, want, err := r.call()
		switch {
		case err != nil:
			return err
		case c.kind == over:
			return nil
		}
		got, err := k.perform(&c)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("call %d, tick %d: %+v was recorded, and came out as %+v: %s", n, want.tick, want, got, differs(want, got))
		}
	}
}

// differs says what.
func differs(a, b result) error {
	var all []error
	for what, same := range map[string]bool{"the world": a.world == b.world, "what is sent": a.sent == b.sent, "the frame": a.drawn == b.drawn, "the ticks": a.ticks == b.ticks} {
		if !same {
			all = append(all, errors.New(what))
		}
	}
	slices.SortFunc(all, func(a, b error) int { return len(a.Error()) - len(b.Error()) })
	return errors.Join(all...)
}

// reader reads one.
type reader struct {
	opening opening
	b       []byte
	failed  bool
}

var errRecording = errors.New("this is no recording of this game")

func newReader(p *ecs.Protocol, b []byte) (*reader, error) {
	head := newWriter(p, opening{}).b
	head = head[:len(head)-8-2-2]
	if len(b) < len(head) || string(b[:len(head)]) != string(head) {
		return nil, errRecording
	}
	r := &reader{b: b[len(head):]}
	r.opening = opening{r.time(), string(r.bytes()), r.bytes()}
	if r.failed {
		return nil, errRecording
	}
	return r, nil
}

func (r *reader) next(n int) []byte {
	if len(r.b) < n {
		r.failed, r.b = true, make([]byte, n)
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte    { return r.next(1)[0] }
func (r *reader) time() float64 { return math.Float64frombits(order.Uint64(r.next(8))) }
func (r *reader) bytes() []byte { return r.next(int(order.Uint16(r.next(2)))) }
func (r *reader) word() uint32  { return order.Uint32(r.next(4)) }

// call returns the next call of the recording, and its result.
func (r *reader) call() (c call, got result, err error) {
	c.kind = kind(r.byte())
	switch c.kind {
	case over:
	case pushed:
		c.now, c.bytes, got.ok = r.time(), r.bytes(), r.byte() != 0
	case given:
		c.bytes = r.bytes()
	case said:
		c.what, c.bytes, got.ok = r.byte(), r.bytes(), r.byte() != 0
	case advanced:
		c.now, got.ticks, got.tick = r.time(), int32(r.word()), r.word()
		got.world, got.sent = order.Uint64(r.next(8)), r.word()
	case drawn:
		c.now, got.drawn = r.time(), r.word()
	default:
		r.failed = true
	}
	if r.failed {
		return c, got, errRecording
	}
	return c, got, nil
}
