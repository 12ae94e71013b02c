package host

import (
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// Lines are what a host and its bindings must agree on: the lines of the protocol, and then for each type of which values
// lie in memory a line that says where. The latter differ, too, where a field that is not replicated moves others, or where
// the Book, which may be nil, has other types. Of elements only the first two are in them, which says where all are.
func Lines(p *ecs.Protocol, b *Book) []string {
	lines := p.Lines()
	add := func(what string, t *schema.Table) {
		if len(t.Fields) > 0 {
			lines = append(lines, what+" "+memory(t))
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

// memory is where the fields of a type lie, in bytes, as text.
func memory(t *schema.Table) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %d bytes{", t.Name, t.Size)
	for i := range t.Fields {
		f := &t.Fields[i]
		if !early(f.Path) {
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

// early reports whether a path has no element but the first two.
func early(path string) bool {
	for _, part := range strings.Split(path, "[")[1:] {
		if !strings.HasPrefix(part, "0]") && !strings.HasPrefix(part, "1]") {
			return false
		}
	}
	return true
}
