package wire

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/systems/policy"
)

// Welcome is what the server tells a client that joins.
type Welcome struct {
	Seed     uint64
	TickRate uint16
	SendRate uint16
	Tick     uint32
	Trained  uint64 // hash of what the server's coders learned, 0: nothing
	Input    uint32 // after which the client's inputs are counted; 0 but for players that come back, and stamped inputs
	Policies policy.Policies
}

// WelcomeSize is the length of a welcome in bytes.
const WelcomeSize = 28 + policy.Size

// Append writes it.
func (m Welcome) Append(b []byte) []byte {
	for i := range 8 {
		b = append(b, byte(m.Seed>>(8*i)))
	}
	b = append(b, byte(m.TickRate), byte(m.TickRate>>8), byte(m.SendRate), byte(m.SendRate>>8),
		byte(m.Tick), byte(m.Tick>>8), byte(m.Tick>>16), byte(m.Tick>>24))
	for i := range 8 {
		b = append(b, byte(m.Trained>>(8*i)))
	}
	b = append(b, byte(m.Input), byte(m.Input>>8), byte(m.Input>>16), byte(m.Input>>24))
	return m.Policies.Append(b)
}

// ReadWelcome parses it.
func ReadWelcome(b []byte) (m Welcome, err error) {
	if len(b) != WelcomeSize {
		return m, fmt.Errorf("%w: welcome of %d bytes", ErrMessage, len(b))
	}
	var r codec.ByteReader
	r.Reset(b)
	m.Seed = r.Uint64()
	m.TickRate, m.SendRate = r.Uint16(), r.Uint16()
	m.Tick, m.Trained, m.Input = r.Uint32(), r.Uint64(), r.Uint32()
	if m.Policies, err = policy.Parse(b[WelcomeSize-policy.Size:]); err != nil {
		return m, fmt.Errorf("%w: welcome: %w", ErrMessage, err)
	}
	switch {
	case m.TickRate == 0 || m.TickRate > 1000 || m.SendRate == 0 || m.TickRate%m.SendRate != 0:
		return m, fmt.Errorf("%w: welcome with %d ticks and %d sends a second", ErrMessage, m.TickRate, m.SendRate)
	case m.Tick > ecs.MaxTick:
		return m, fmt.Errorf("%w: welcome in tick %d, the last is %d", ErrMessage, m.Tick, uint32(ecs.MaxTick))
	}
	return m, nil
}

// Agreement is what one side makes of its own trained file and the hash of the other's.
//
// What coders learned of a game's traffic makes snapshots smaller where both sides
// have the same. The client's hash is the tag of its Hello, the server's comes in
// the welcome, so that each knows from the first packet on what the other has:
//
//	client                         server
//	Hello, tag: hash of client  →
//	                            ←  Welcome: …, hash of server
//	equal, and trained for this protocol: it is used, else what is built in
//
// It is for the state of the world alone. Own state, at full precision and of few
// entities, is coded with what is built in.
type Agreement struct {
	Trained *delta.Trained // nil: none
	Layout  *delta.Layout
	Log     logging.Logger
	told    bool // that there is none
}

// With reports whether a peer with this hash has the same file, and whether it is of
// use. The first time that it is not, it logs why.
func (a *Agreement) With(peer uint64, who ...any) bool {
	own := a.Trained.Hash()
	switch {
	case own != peer:
		a.tell("snapshots go on with what is built in: the peer was trained otherwise", own, peer, who)
	case own == 0:
	case !a.Trained.Fits(a.Layout):
		a.tell("snapshots go on with what is built in: trained for another protocol", own, peer, who)
	default:
		return true
	}
	return false
}

// Model returns the model for the blocks of a server with this hash.
func (a *Agreement) Model(server uint64) *delta.Model {
	if a.With(server) {
		return a.Trained.Model(a.Layout)
	}
	return delta.NewModel(a.Layout, nil)
}

func (a *Agreement) tell(why string, own, peer uint64, who []any) {
	if a.told {
		return
	}
	a.told = true
	a.Log.Warn(why, append([]any{"own", hexHash(own), "peer", hexHash(peer)}, who...)...)
}

// hexHash prints as trained hashes are written, and as "built in" for none.
type hexHash uint64

// MarshalText implements [encoding.TextMarshaler], by which loggers write it.
func (h hexHash) MarshalText() ([]byte, error) {
	if h == 0 {
		return []byte("built in"), nil
	}
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[h>>(60-4*i)&15]
	}
	return b[:], nil
}

// Predicted is the set of components that travel to their owner raw.
func Predicted(p *ecs.Protocol) uint64 {
	var m uint64
	for _, c := range p.Replicated() {
		if c.Mode&ecs.Predicted != 0 && c.Words > 0 {
			m |= 1 << c.Replicated()
		}
	}
	return m
}

// Private is the set of components that only the owner may see.
func Private(p *ecs.Protocol) uint64 {
	var m uint64
	for _, c := range p.Replicated() {
		if c.Mode&ecs.OwnerOnly != 0 {
			m |= 1 << c.Replicated()
		}
	}
	return m
}

// Tables are the field tables of what is replicated, nil where only the presence
// is.
func Tables(p *ecs.Protocol) (tables []*schema.Table) {
	for _, c := range p.Replicated() {
		if c.Words > 0 {
			tables = append(tables, c.Schema)
		} else {
			tables = append(tables, nil)
		}
	}
	return tables
}

// emptyTable stands for the input of a protocol that has none: its clients
// number their ticks all the same, because own state is matched by input.
var emptyTable = &schema.Table{Name: "none"}

// InputTable is the table of a protocol's input.
func InputTable(p *ecs.Protocol) *schema.Table {
	if in := p.Input(); in != nil {
		return in.Schema
	}
	return emptyTable
}
