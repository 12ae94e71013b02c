package host

import (
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// Lines returns the text lines in which a host and its bindings must agree: the lines of the protocol, then one line per
// type with its memory layout. Besides the protocol, the lines depend on fields that are not replicated, because they move
// other fields, and on the types of the Book. b may be nil. Lines list the first two elements of an array, from which the
// offsets of all elements follow.
func Lines(p *ecs.Protocol, b *Book) []string {
	lines := p.Lines()
	add := func(what string, t *schema.Table) {
		if len(t.Fields) > 0 {
			lines = append(lines, what+" "+memoryLayout(t))
		}
	}
	for i, c := range p.Replicated() {
		if c.Schema != nil {
			add(fmt.Sprint("column ", i), c.Schema)
		}
	}
	if join := p.Players().Join; join != nil {
		add("login", join.Schema)
	}
	for i, c := range p.Players().Commands {
		add(fmt.Sprint("send ", i), c.Schema)
	}
	for what, list := range [][]Layout{b.Messages(), b.Events(), b.Outcomes()} {
		for i, l := range list {
			add(fmt.Sprint([]string{"message ", "event ", "outcome "}[what], i), l.Schema)
		}
	}
	return lines
}

// memoryLayout returns the offsets of a type's fields in bytes, as text.
func memoryLayout(t *schema.Table) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %d bytes{", t.Name, t.Size)
	for i := range t.Fields {
		f := &t.Fields[i]
		if !onlyFirstElements(f.Path) {
			continue
		}
		if i > 0 {
			s.WriteString("; ")
		}
		fmt.Fprintf(&s, "%s %v at %d", f.Path, f.Kind, f.Offset)
		if f.Len > 1 {
			fmt.Fprintf(&s, " of %d", f.Len)
		}
	}
	s.WriteByte('}')
	return s.String()
}

// onlyFirstElements reports whether all indices in path are 0 or 1.
func onlyFirstElements(path string) bool {
	for _, part := range strings.Split(path, "[")[1:] {
		if !strings.HasPrefix(part, "0]") && !strings.HasPrefix(part, "1]") {
			return false
		}
	}
	return true
}
