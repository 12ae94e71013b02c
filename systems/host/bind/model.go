package bind

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// model holds the types to bind, in the order of the generated files.
type model struct {
	name    string
	lines   []string
	hash    uint64
	input   *node // nil if the game has no input
	login   *node // nil if the game has no login
	columns []column
	places  int // number of components in ecs.Protocol.Replicated
	one     []column
	told    []told
	sent    []sent
	enums   []Enum
}

// column is a component of rows or of the world.
type column struct {
	*node
	place int // index in ecs.Protocol.Replicated
	mode  ecs.Mode
}

// told is a type that hosts receive.
type told struct {
	*node
	what  string // message, event, outcome
	which int
}

// sent is a type that hosts send.
type sent struct {
	*node
	what  int // as in tactus_send: 0 message, 1 event, 2 command
	which int
}

var whats = [...]string{"message", "event", "command"}

func newModel(c *Config) (*model, error) {
	p := c.Protocol
	m := &model{name: c.Name, lines: host.Lines(p, c.Book), hash: p.Hash(), enums: c.Enums, places: len(p.Replicated())}
	enums, used := map[string]*Enum{}, map[string]bool{}
	for i := range c.Enums {
		e := &c.Enums[i]
		if err := e.check(); err != nil {
			return nil, err
		}
		for _, f := range e.Fields {
			if enums[f] != nil {
				return nil, fmt.Errorf("%w: %s has two enums, %s and %s: remove one", ErrBind, f, enums[f].Name, e.Name)
			}
			enums[f] = e
		}
	}
	var failed error
	lay := func(t *schema.Table) *node {
		n, err := layOut(t, enums, used)
		failed = cmp.Or(failed, err)
		return n
	}
	if join := p.Players().Join; join != nil && len(join.Schema.Fields) > 0 {
		m.login = lay(join.Schema)
	}
	for i, k := range p.Replicated() {
		switch {
		case k == p.Input():
			m.input = lay(k.Schema)
		case k.Schema != nil && k.Words > 0:
			m.columns = append(m.columns, column{lay(k.Schema), i, k.Mode})
		}
	}
	for _, s := range ecs.Singletons(p) {
		for _, k := range m.columns {
			if k.place == s.Replicated() {
				m.one = append(m.one, k)
			}
		}
	}
	for what, list := range [][]host.Layout{c.Book.Messages(), c.Book.Events(), c.Book.Outcomes()} {
		for which, l := range list {
			n := lay(l.Schema)
			if l.Told {
				m.told = append(m.told, told{n, []string{"message", "event", "outcome"}[what], which})
			}
			if l.Sent && what < 2 {
				m.sent = append(m.sent, sent{n, what, which})
			}
		}
	}
	for which, k := range p.Players().Commands {
		if k.Schema.Type == reflect.TypeFor[ecs.Presence]() {
			continue // only the server sends it
		}
		m.sent = append(m.sent, sent{lay(k.Schema), 2, which})
	}
	if failed != nil {
		return nil, failed
	}
	for f, e := range enums {
		if !used[f] {
			return nil, fmt.Errorf("%w: Enum %s: there is no field %q: write the type and the path without indices, as in Bag.Slots.Mood", ErrBind, e.Name, f)
		}
	}
	return m, m.check()
}

// check returns an error if the enum has no name or no values, or if a value's name is invalid or repeated.
func (e *Enum) check() error {
	seen := map[string]bool{}
	for _, v := range e.Values {
		if !identifier.MatchString(v.Name) || seen[v.Name] {
			return fmt.Errorf("%w: Enum %s: a value is called %q: give each value a unique name of letters, digits and _", ErrBind, e.Name, v.Name)
		}
		seen[v.Name] = true
	}
	if len(e.Values) == 0 || !identifier.MatchString(e.Name) {
		return fmt.Errorf("%w: Enum %q needs a name of letters, digits and _, and at least one value", ErrBind, e.Name)
	}
	return nil
}

// Names that the generated code already uses.
var (
	exports  = words("Input Login Table Singletons Told Memory Rows Sent lines hash sent")
	ofTables = words("rows simulated ids id set at constructor")
	ofValues = words("bytes set constructor")
	ofColumn = words("floats constructor")
	ofLists  = words("length get constructor")
	keywords = words("alignas alignof and asm auto bool break case catch char class const constexpr continue debugger default delete do double " +
		"else enum export extends extern false finally float for friend function if import in inline instanceof int interface let long " +
		"namespace new not null operator or package private protected public register return short signed sizeof static struct super " +
		"switch template this throw true try typedef typename typeof undefined union unsigned using var virtual void volatile while with xor yield await")
)

func words(s string) []string { return strings.Fields(s) }

// check returns an error if a name is not allowed in the other languages or if two types share a name.
func (m *model) check() error {
	taken := map[string]*node{}
	take := func(name, what string, n *node) error {
		was, here := taken[name]
		classless := what == "input" || what == "login" // their classes are called Input and Login, whatever the name of the Go type
		switch {
		case !identifier.MatchString(name):
			return fmt.Errorf("%w: %s %s: other languages cannot express this name: define a named type, as in type Marks List[uint16]", ErrBind, what, name)
		case slices.Contains(exports, name) && !classless || slices.Contains(keywords, name):
			return fmt.Errorf("%w: %s %s: the name is reserved in bindings: rename it", ErrBind, what, name)
		case here && (was == nil || n == nil || was.typ != n.typ):
			return fmt.Errorf("%w: %s %s: another type has the same name: rename one of them", ErrBind, what, name)
		case here && !same(was, n):
			return fmt.Errorf("%w: %s %s: the tags of the type's fields differ between its uses: define one type per use", ErrBind, what, name)
		}
		taken[name] = n
		return nil
	}
	value := func(what string, n *node) error {
		return cmp.Or(take(n.name, what, n), reserved(n, ofValues), n.checkFieldNames(n.name))
	}
	var errs []error
	for _, k := range m.columns {
		if slices.Contains(ofTables, k.name) {
			return fmt.Errorf("%w: component %s: the name is reserved in JavaScript's Table: rename it", ErrBind, k.name)
		}
		errs = append(errs, take(k.name, "component", k.node), take(k.name+"Column", "column", nil), reserved(k.node, ofColumn), k.checkFieldNames(k.name))
	}
	for _, k := range m.one {
		errs = append(errs, take(k.name+"Value", "singleton", nil), reserved(k.node, ofValues))
	}
	names := map[string]bool{}
	for _, s := range m.sent {
		if names[s.name] {
			return fmt.Errorf("%w: clients send two types called %s: send identifies a type by its name, so define another type for one of them", ErrBind, s.name)
		}
		names[s.name] = true
		errs = append(errs, value(whats[s.what], s.node))
	}
	for _, s := range m.told {
		errs = append(errs, value(s.what, s.node))
	}
	for _, e := range m.enums {
		errs = append(errs, take(e.Name, "Enum", nil))
	}
	if m.input != nil {
		errs = append(errs, value("input", m.input))
	}
	if m.login != nil {
		errs = append(errs, value("login", m.login))
	}
	return cmp.Or(errs...)
}

// reserved returns an error if a field of n has one of the names.
func reserved(n *node, names []string) error {
	for _, f := range n.in {
		if slices.Contains(names, f.name) {
			return fmt.Errorf("%w: %s.%s: the name is reserved in bindings: rename the field", ErrBind, n.name, f.name)
		}
	}
	return nil
}

// checkFieldNames returns an error if the name of a field is a keyword of C or JavaScript, or reserved in a list.
func (n *node) checkFieldNames(where string) error {
	for _, f := range n.in {
		if slices.Contains(keywords, f.name) || f.name == "constructor" {
			return fmt.Errorf("%w: %s.%s: the name is a keyword of C or JavaScript: rename the field", ErrBind, where, f.name)
		}
		if err := f.checkFieldNames(where + "." + f.name); err != nil {
			return err
		}
	}
	if n.elem == nil {
		return nil
	}
	if n.elem.kind == structure {
		if err := reserved(&node{name: where, in: n.elem.in}, ofLists); err != nil {
			return err
		}
	}
	return n.elem.checkFieldNames(where)
}

// describe describes a value's range and meaning for a comment. It returns "" if there is nothing to add.
func (n *node) describe() string {
	f := n.says
	if f == nil {
		return ""
	}
	var s []string
	say := func(format string, a ...any) { s = append(s, fmt.Sprintf(format, a...)) }
	switch f.Form {
	case schema.FormRaw:
		say("any %v", f.Kind)
	case schema.FormRef:
		say("the NetID of an entity; 0: none")
	case schema.FormEnum:
		say("one of 0 to %s", decimal(f.Max))
	case schema.FormFlags:
		say("the low %d bits, each a flag", f.Bits)
	case schema.FormUnit:
		say("a direction: %d numbers, of length 1 together", f.Len)
	case schema.FormQuat:
		say("a rotation: x, y, z, w, of length 1 together")
	case schema.FormCount:
		say("up to %d", n.n)
	case schema.FormText:
		say("text of up to %d bytes of UTF-8", n.n)
	default:
		if f.Kind == reflect.Bool {
			break
		}
		say("%s to %s in steps of %s", decimal(f.Min), decimal(f.Max), decimal(f.Step))
		if f.Angle {
			say("an angle: a turn is %s", decimal(float64(f.Values())*f.Step))
		}
	}
	if f.Axis > 0 {
		say("along %c, in world units", " xyz"[f.Axis])
	}
	if f.Rate > 0 {
		say("speed along %c, in world units a second", " xyz"[f.Rate])
	}
	if f.Edge {
		say("a press: give it in the frame of the press only")
	}
	if f.Server {
		say("the server decides it")
	}
	if n.enum != nil {
		say("see %s", n.enum.Name)
	}
	return strings.Join(s, "; ")
}

// decimal formats a number without an exponent if it has at most 15 digits.
func decimal(v float64) string {
	if math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// title names a component and says how it is replicated.
func (k column) title() string {
	var s []string
	for i, word := range [...]string{"predicted", "interpolated", "sent to its owner only", "written by its owner"} {
		if k.mode>>i&1 != 0 {
			s = append(s, word)
		}
	}
	return strings.TrimSuffix("Component "+k.name+": "+strings.Join(s, ", "), ": ")
}
