package relay_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// part returns a part of a state of the world.
func part(number uint8, n, of uint16, bytes int) []byte {
	b := []byte{1, number}
	b = binary.LittleEndian.AppendUint16(b, n)
	b = binary.LittleEndian.AppendUint16(b, of)
	return append(b, make([]byte, bytes)...)
}

// The parts of a state arrive in order, belong to the same state, and have at most the size that a client accepts.
func TestPartsOfAState(t *testing.T) {
	for what, c := range map[string]struct {
		parts [][]byte
		ok    bool // but for what the state says
	}{
		"in order":                   {[][]byte{part(5, 0, 4, 400), part(5, 1, 4, 400), part(5, 2, 4, 100)}, true},
		"a new state begins":         {[][]byte{part(5, 0, 4, 400), part(6, 0, 4, 400), part(6, 1, 4, 400)}, true},
		"of two states":              {[][]byte{part(5, 0, 4, 400), part(6, 1, 4, 400)}, false},
		"one is missing":             {[][]byte{part(5, 0, 4, 400), part(5, 2, 4, 400)}, false},
		"one comes twice":            {[][]byte{part(5, 0, 4, 400), part(5, 1, 4, 100), part(5, 1, 4, 100)}, false},
		"the first is not the first": {[][]byte{part(5, 1, 4, 400)}, false},
		"of no state":                {[][]byte{part(0, 0, 4, 400)}, false},
		"beyond the last":            {[][]byte{part(5, 0, 0, 400)}, false},
		"as much as may be":          {[][]byte{part(5, 0, 4, relay.MaxState/2), part(5, 1, 4, relay.MaxState/2)}, true},
		"too much at once":           {[][]byte{part(5, 0, 4, relay.MaxState+1)}, false},
		"too much together":          {[][]byte{part(5, 0, 4, relay.MaxState/2), part(5, 1, 4, relay.MaxState/2+1)}, false},
		"too much in the end":        {[][]byte{part(5, 0, 4, relay.MaxState-100), part(5, 1, 4, 64), part(5, 2, 4, 64)}, false},
	} {
		e := relay.NewClient(testgame.Barracks(), 1, relay.ClientConfig{})
		for i, msg := range c.parts {
			err := e.Deliver(msg)
			if last := i == len(c.parts)-1; (err != nil) != (last && !c.ok) || err != nil && !errors.Is(err, relay.ErrMessage) {
				t.Errorf("%s: part %d: %v", what, i, err)
			}
		}
	}
}

// Each input of a client is counted as often as it was sent: at least once, and at most Redundancy times.
func TestSentInputsAreCounted(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	e := m.join(1, 2, 0, 0, 0)
	m.until(50)
	before, ticks := e.Stats().Sent, m.now
	m.until(250)
	if n := e.Stats().Sent - before; n < uint64(m.now-ticks)-5 || n > 40*uint64(m.now-ticks) {
		t.Errorf("%d inputs were sent in %d ticks", n, m.now-ticks)
	}
	if n := e.Stats().Sent; n < before || before == 0 {
		t.Errorf("%d inputs were sent, %d before", n, before)
	}
}

// A message of inputs fits any room and contains the newest input.
func TestInputsFitTheirRoom(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, always)
	e := m.join(1, 1, 0, 0, 0)
	m.until(100)
	whole := len(e.Append(nil, 1180))
	for range 60 { // the server is not heard from
		e.Step(testgame.Words(always(1, m.now)))
		m.now++
	}
	full := len(e.Append(nil, 1180))
	fit := 0
	for limit := 40; limit < full; limit++ {
		n := len(e.Append(nil, limit))
		if n > limit {
			t.Errorf("%d bytes in %d", n, limit)
		}
		fit = max(fit, n)
	}
	if full <= whole || fit <= 40 {
		t.Errorf("%d bytes when nothing is acknowledged, %d before; at most %d where there is less room", full, whole, fit)
	}
}
