package players

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tactusgo/tactus/codec"
)

// MaxCommands is how many kinds of commands a protocol may have.
const MaxCommands = 64

// Rules are those of a protocol.
type Rules[W any] struct {
	Join     *Request[W]              // who comes; nil: nothing happens
	Leave    func(w W, client uint32) // who goes, before its entities; nil: nothing happens
	Commands []*Request[W]            // what clients command, by kind
}

// Comes sets Join. It panics where there is one.
func (r *Rules[W]) Comes(c *Request[W]) {
	if r.Join != nil {
		panic("ecs: Join: the protocol has a Join already; make it one function")
	}
	r.Join = c
}

// Goes sets Leave. It panics where there is one, and without a function.
func (r *Rules[W]) Goes(f func(w W, client uint32)) {
	if f == nil || r.Leave != nil {
		panic("ecs: Leave needs a function, and a protocol has one Leave: make it one function")
	}
	r.Leave = f
}

// Command adds a kind of commands. It panics where there is one of that type, or no room.
func (r *Rules[W]) Command(c *Request[W]) {
	switch {
	case r.Kind(c.Schema.Type) >= 0:
		panic(fmt.Sprintf("ecs: Command[%s] is there already; make it one function, or another type", c.Schema.Type))
	case len(r.Commands) == MaxCommands:
		panic(fmt.Sprintf("ecs: Command[%s]: a protocol has up to %d kinds of commands; make fields of one struct of what belongs together", c.Schema.Type, MaxCommands))
	}
	r.Commands = append(r.Commands, c)
}

// Kind is the kind of the commands of a type, −1 where there is none.
func (r *Rules[W]) Kind(t reflect.Type) int {
	return slices.IndexFunc(r.Commands, func(c *Request[W]) bool { return c.Schema.Type == t })
}

// Pack is a command as it travels and is kept: its kind, and its bytes. Values out of range become the nearest in it.
// It returns an error for a type that is not one of a command.
func (r *Rules[W]) Pack(v any) (string, error) {
	kind := r.Kind(reflect.TypeOf(v))
	if kind < 0 {
		return "", fmt.Errorf("%T is no command of the protocol: register it there with ecs.Command, and give a value of that type", v)
	}
	b, err := r.Commands[kind].Bytes(v)
	return string(append([]byte{byte(kind)}, b...)), err
}

// Next cuts the next command off bytes that anybody may have made, as Pack makes them, and checks it;
// it returns an error that wraps [codec.ErrMalformed] or what [schema.Table.ReadRaw] returns.
func (r *Rules[W]) Next(b []byte) (command, rest []byte, err error) {
	if len(b) == 0 || int(b[0]) >= len(r.Commands) {
		return nil, nil, fmt.Errorf("%w: no kind of commands", codec.ErrMalformed)
	}
	c := r.Commands[b[0]]
	n := 1 + c.Schema.RawSize()
	if len(b) < n {
		return nil, nil, fmt.Errorf("%w: %d bytes of %s, which has %d", codec.ErrMalformed, len(b)-1, c.Schema.Name, n-1)
	}
	_, err = c.Value(b[1:n])
	return b[:n], b[n:], err
}

// Do carries out a command in a world, as Pack made it.
func (r *Rules[W]) Do(w W, client uint32, command string) {
	r.Commands[command[0]].Run(w, client, []byte(command[1:]))
}

// Lines are the rules' part of the text that peers compare.
func (r *Rules[W]) Lines() (lines []string) {
	if r.Join != nil {
		lines = append(lines, "join "+r.Join.Schema.Line())
	}
	if r.Leave != nil {
		lines = append(lines, "leave")
	}
	for _, c := range r.Commands {
		lines = append(lines, "command "+c.Schema.Line())
	}
	return lines
}
