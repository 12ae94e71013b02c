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

// Welcome is the server's message to a joining client.
type Welcome struct {
	Seed     uint64
	TickRate uint16
	SendRate uint16
	Tick     uint32
	Trained  uint64       // hash of the server's trained model, 0: none
	Input    uint32       // number after which the client numbers its inputs; 0 except for returning players and stamped inputs
	Model    policy.Model // without the options of one side; nil: LocalSync{}
}

// WelcomeSize is the size of a welcome, in bytes.
const WelcomeSize = 28 + policy.Size

// Append encodes the message.
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
	return policy.Append(b, m.Model)
}

// ReadWelcome decodes the message.
func ReadWelcome(b []byte) (m Welcome, err error) {
	if len(b) != WelcomeSize {
		return m, fmt.Errorf("%w: welcome of %d bytes", ErrMessage, len(b))
	}
	var r codec.ByteReader
	r.Reset(b)
	m.Seed = r.Uint64()
	m.TickRate, m.SendRate = r.Uint16(), r.Uint16()
	m.Tick, m.Trained, m.Input = r.Uint32(), r.Uint64(), r.Uint32()
	if m.Model, err = policy.Parse(b[WelcomeSize-policy.Size:]); err != nil {
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

// Agreement decides whether both sides use the same trained model.
//
// A model that was trained with a game's traffic makes snapshots smaller if both sides
// have it. The client's hash is the tag of its Hello, the server's hash is in the
// welcome, so that each side knows the other's from the first packet on:
//
//	client                         server
//	Hello, tag: hash of client  →
//	                            ←  Welcome: …, hash of server
//	equal, and trained for this protocol: the model is used, otherwise the built-in one
//
// It applies only to world state. Owner state, which has full precision and few
// entities, uses the built-in model.
type Agreement struct {
	Trained *delta.Trained // nil: none
	Layout  *delta.Layout
	Log     logging.Logger
	logged  bool // the difference was logged
}

// With reports whether a peer with this hash has the same model, and whether the model fits the protocol. It logs
// the reason the first time it returns false.
func (a *Agreement) With(peer uint64, who ...any) bool {
	own := a.Trained.Hash()
	switch {
	case own != peer:
		a.logDifference("snapshots go on with what is built in: the peer was trained otherwise", own, peer, who)
	case own == 0:
	case !a.Trained.Fits(a.Layout):
		a.logDifference("snapshots go on with what is built in: trained for another protocol", own, peer, who)
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

func (a *Agreement) logDifference(why string, own, peer uint64, who []any) {
	if a.logged {
		return
	}
	a.logged = true
	a.Log.Warn(why, append([]any{"own", hexHash(own), "peer", hexHash(peer)}, who...)...)
}

// hexHash prints a hash in hexadecimal, and 0 as "built in".
type hexHash uint64

// MarshalText implements [encoding.TextMarshaler], which loggers use.
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

// Predicted returns the bits of the components that are sent to their owner in full precision.
func Predicted(p *ecs.Protocol) uint64 {
	var m uint64
	for _, c := range p.Replicated() {
		if c.Mode&ecs.Predicted != 0 && c.Words > 0 {
			m |= 1 << c.Replicated()
		}
	}
	return m
}

// Private returns the bits of the components that only the owner may see.
func Private(p *ecs.Protocol) uint64 {
	var m uint64
	for _, c := range p.Replicated() {
		if c.Mode&ecs.OwnerOnly != 0 {
			m |= 1 << c.Replicated()
		}
	}
	return m
}

// Tables returns the field tables of the replicated components, nil for components without fields.
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

// emptyTable is the input table of a protocol without inputs. Its clients number their ticks all the same, because
// owner state is matched by input.
var emptyTable = &schema.Table{Name: "none"}

// InputTable returns the table of a protocol's input.
func InputTable(p *ecs.Protocol) *schema.Table {
	if in := p.Input(); in != nil {
		return in.Schema
	}
	return emptyTable
}
