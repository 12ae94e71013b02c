package wire

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

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
