package main

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/host"
)

// opening is the arguments for creating a host.
type opening struct {
	now    float64
	server string
	token  []byte
}

// kind is the kind of a call.
type kind uint8

const (
	over kind = iota // end of the recording
	pushed
	given
	advanced
	drawn
	said
)

// call is a call of a host.
type call struct {
	kind  kind
	what  uint8 // kind of message, as in tactus_send
	now   float64
	bytes []byte
}

// result is the result of a call.
type result struct {
	ok    bool
	ticks int32  // number of ticks
	tick  uint32 // the next tick
	world uint64 // hash of the simulated world
	sent  uint32 // hash of the sent datagrams
	drawn uint32 // hash of the frame
}

// player is a host under control of the recording.
type player struct {
	*host.Host
	wire *host.Wire
	sent hash
	grid grid
}

// newPlayer creates a host as the module does.
func newPlayer(g game, o opening, out func([]byte)) (*player, error) {
	p := g.world.Protocol(&g.options)
	k := &player{sent: basis, grid: gridOf(p)}
	var err error
	k.wire, err = host.NewWire(host.WireConfig{Server: host.ServerOf(o.server), Out: func(b []byte) error {
		k.sent.word(uint32(len(b)))
		k.sent.bytes(b)
		out(b)
		return nil
	}})
	if err != nil {
		return nil, err
	}
	c := g.host()
	if c.Client.Session.Token, err = netcode.ParseToken(o.token); err != nil {
		return nil, err
	}
	c.Machine, c.Partial = timeOf(o.now), true
	k.Host, err = host.New(p, k.wire, k.wire.RemoteAddr(), timeOf(o.now), c)
	return k, err
}

// perform makes a call. A refusal is a result; an invalid time or the end of the session is an error.
func (k *player) perform(c *call) (r result, err error) {
	switch c.kind {
	case pushed:
		r.ok = k.wire.Push(timeOf(c.now), c.bytes) == nil
	case given:
		err = k.SetInput(c.bytes)
	case said:
		if c.what == 0 {
			r.ok = k.Send(0, c.bytes) == nil
		} else {
			r.ok = k.Command(0, c.bytes) == nil
		}
	case advanced:
		var n int
		n, err = k.Advance(timeOf(c.now))
		r.ticks = int32(n)
		if w := k.Client().World(); w != nil {
			r.tick, r.world = w.Tick(), w.Hash()
		}
		r.sent, k.sent = uint32(k.sent), basis
	case drawn:
		if err = k.Frame(timeOf(c.now)); err == nil {
			r.drawn = k.frame()
		}
	default:
		err = fmt.Errorf("no call %d", c.kind)
	}
	return r, err
}

// frame returns the hash of the drawable data.
func (k *player) frame() uint32 {
	h := basis
	for _, t := range k.Tables() {
		simulated := uint32(0)
		if t.Simulated {
			simulated = 1
		}
		for _, w := range []uint32{uint32(t.Mask), uint32(t.Mask >> 32), uint32(t.Rows), simulated} {
			h.word(w)
		}
		for _, id := range t.NetIDs {
			h.word(uint32(id))
		}
		for i, base := range t.Columns {
			for r := range t.Rows {
				if base != nil {
					h.value(unsafe.Add(base, r*k.grid[i].size), k.grid[i])
				}
			}
		}
	}
	for i := range k.grid {
		if p := k.Single(i); p != nil {
			h.value(p, k.grid[i])
		}
	}
	for _, n := range k.News() {
		for _, w := range []uint32{n.NetID, n.Tick, n.Number, n.Size, uint32(n.Which) | uint32(n.Kind)<<16} {
			h.word(w)
		}
		h.bytes(k.Value(n))
	}
	s := k.Stats()
	h.bytes(unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)))
	return uint32(h)
}
