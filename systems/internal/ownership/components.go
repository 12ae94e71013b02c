package ownership

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// maxBits is the maximum size of a client-owned component, so that a value fits into a packet with inputs.
const maxBits = 8 * 128

// Components returns the client-owned components, in the order in which messages number them.
func Components(p *ecs.Protocol) (list []*ecs.Component) {
	for _, c := range p.Replicated() {
		if c.Mode&ecs.ClientOwned != 0 && c.Words > 0 {
			list = append(list, c)
		}
	}
	return list
}

// maskOf returns the bits of the components.
func maskOf(list []*ecs.Component) (m uint64) {
	for _, c := range list {
		m |= 1 << c.Replicated()
	}
	return m
}

// Check returns an error if a client-owned component cannot be sent. inputsAlone reports that only inputs are sent,
// so that none can.
func Check(list []*ecs.Component, inputsAlone bool) error {
	for _, c := range list {
		if f := slices.IndexFunc(c.Schema.Fields, func(f schema.Field) bool { return f.Lines != 0 }); f >= 0 {
			return fmt.Errorf("%s.%s is ecs.ClientOwned: remove the tag word lines, which is for fields that the server moves", c.Name, c.Schema.Fields[f].Path)
		}
		bits := 0
		for k := range c.Words {
			bits += c.Schema.WordBits(k)
		}
		switch {
		case inputsAlone:
			return fmt.Errorf("%s is ecs.ClientOwned, but this model sends only inputs: make it part of the input, or an event", c.Name)
		case bits > maxBits:
			return fmt.Errorf("%s is ecs.ClientOwned and has %d bits; at most %d can be sent with inputs", c.Name, bits, maxBits)
		}
	}
	return nil
}

// Owner returns the client that owns an entity, 0 for none.
func Owner(w *ecs.World, e ecs.Entity) uint32 {
	if o := (*components.Owner)(w.Netcode().Pointer(e, w.Protocol().Replicated()[0])); o != nil {
		return o.Client
	}
	return 0
}
