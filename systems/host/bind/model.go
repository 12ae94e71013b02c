package bind

import (
	"fmt"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// Model is what a host reads and writes of a game.
type Model struct {
	// Name is the protocol's, Hash what peers compare, and Lines the text that it is made of.
	Name  string
	Hash  uint64
	Lines []string
	// Components are what tables have, in the order of their places, without the input and what stays on its peer.
	Components []Struct
	// Input and Login are what host.Host.SetInput and host.Config.Login take; nil where there is none.
	Input, Login *Struct
	// Commands, Messages, Events and Outcomes are by their numbers.
	Commands, Messages, Events, Outcomes []Struct
}

// Struct is a type whose values lie in memory as one.
type Struct struct {
	// Name is the type's, without its package, and Number its place or number among its kind.
	Name   string
	Number int
	// Single reports whether it is a singleton, and Mode what was given at registration: of components.
	Single bool
	Mode   ecs.Mode
	// Told and Sent report whether hosts are told of it, and may send it: of messages and events.
	Told, Sent bool
	// Size is the distance of two values, in bytes.
	Size int
	// Fields are what it is made of, but for what is not replicated.
	Fields []Field
}

// Describe describes a game; b may be nil. It puts the protocol to no use, which can be changed afterwards. The error is
// about a type that it cannot describe, and names it.
func Describe(p *ecs.Protocol, b *host.Book) (*Model, error) {
	m := &Model{Name: p.Name(), Hash: p.Hash(), Lines: p.Lines()}
	single := make(map[*ecs.Component]bool)
	for _, c := range ecs.Singletons(p) {
		single[c] = true
	}
	for i, c := range p.Replicated() {
		if c.Schema == nil || c.Words == 0 && c != p.Input() {
			continue
		}
		s, err := structOf(c.Schema, i)
		if err != nil {
			return nil, err
		}
		if c == p.Input() {
			m.Input = &s
			continue
		}
		s.Mode, s.Single = c.Mode, single[c]
		m.Components = append(m.Components, s)
	}
	if join := p.Players().Join; join != nil && len(join.Schema.Fields) > 0 {
		s, err := structOf(join.Schema, 0)
		if err != nil {
			return nil, err
		}
		m.Login = &s
	}
	for i, c := range p.Players().Commands {
		s, err := structOf(c.Schema, i)
		if err != nil {
			return nil, err
		}
		s.Sent = true
		m.Commands = append(m.Commands, s)
	}
	for _, part := range []struct {
		list []host.Layout
		to   *[]Struct
	}{{b.Messages(), &m.Messages}, {b.Events(), &m.Events}, {b.Outcomes(), &m.Outcomes}} {
		for i, l := range part.list {
			s, err := structOf(l.Schema, i)
			if err != nil {
				return nil, err
			}
			s.Told, s.Sent = l.Told, l.Sent
			*part.to = append(*part.to, s)
		}
	}
	return m, nil
}

// structOf describes a table's type.
func structOf(t *schema.Table, number int) (Struct, error) {
	w := walker{fields: make(map[string]*schema.Field, len(t.Fields))}
	for i := range t.Fields {
		w.fields[t.Fields[i].Path] = &t.Fields[i]
	}
	fields, err := w.structure(t.Type, "")
	if err != nil {
		return Struct{}, fmt.Errorf("bind: %s: %w", t.Name, err)
	}
	return Struct{Name: t.Name, Number: number, Size: int(t.Size), Fields: fields}, nil
}

// Differs compares the lines of two protocols. same is true where they are equal; else line is the first that differs,
// counted from 1, and a and b are what each has there, "" for none.
func Differs(was, is []string) (line int, a, b string, same bool) {
	for i := range max(len(was), len(is)) {
		a, b = "", ""
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		if a != b || i >= len(was) || i >= len(is) {
			return i + 1, a, b, false
		}
	}
	return 0, "", "", true
}
