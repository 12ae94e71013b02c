package ecs

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tactusgo/tactus/codec"
)

// maxCommands is the largest number of commands of a protocol.
const maxCommands = 64

// Players has the functions of a protocol for joining and leaving players and for their commands. It is for the netcode.
type Players struct {
	Join     *Request                      // runs when a player joins; nil: nothing happens
	Leave    func(w *World, client uint32) // runs when a player leaves, before its entities are despawned; nil: nothing happens
	Commands []*Request                    // by kind
}

// setJoin sets Join. It panics if it is set already.
func (r *Players) setJoin(c *Request) {
	if r.Join != nil {
		panic("ecs: Join: the protocol has a Join already; make it one function")
	}
	r.Join = c
}

// setLeave sets Leave. It panics if it is set already, and without a function.
func (r *Players) setLeave(f func(w *World, client uint32)) {
	if f == nil || r.Leave != nil {
		panic("ecs: Leave needs a function, and a protocol has one Leave: make it one function")
	}
	r.Leave = f
}

// addCommand adds a command. It panics if the type is already a command, and above maxCommands.
func (r *Players) addCommand(c *Request) {
	switch {
	case r.Kind(c.Schema.Type) >= 0:
		panic(fmt.Sprintf("ecs: Command[%s] is registered already: use one function, or another type", c.Schema.Type))
	case len(r.Commands) == maxCommands:
		panic(fmt.Sprintf("ecs: Command[%s]: a protocol has at most %d kinds of commands: combine related ones in one struct", c.Schema.Type, maxCommands))
	}
	r.Commands = append(r.Commands, c)
}

// Kind returns the index of the command of a type, or −1.
func (r *Players) Kind(t reflect.Type) int {
	return slices.IndexFunc(r.Commands, func(c *Request) bool { return c.Schema.Type == t })
}

// Pack encodes a command as its kind and its value, for sending and storing. Values out of range become the nearest value
// in the range. Pack returns an error if the type is not a command of the protocol.
func (r *Players) Pack(v any) (string, error) {
	kind := r.Kind(reflect.TypeOf(v))
	if kind < 0 {
		return "", fmt.Errorf("%T is no command of the protocol: register it there with ecs.Command, and give a value of that type", v)
	}
	b, err := r.Commands[kind].Bytes(v)
	return string(append([]byte{byte(kind)}, b...)), err
}

// Next splits the first command off b, which has commands as encoded by Pack and may be untrusted. It checks only the kind and
// the length, which costs little: see [Players.Check]. Its error wraps [codec.ErrMalformed].
func (r *Players) Next(b []byte) (command, rest []byte, err error) {
	if len(b) == 0 || int(b[0]) >= len(r.Commands) {
		return nil, nil, fmt.Errorf("%w: no kind of commands", codec.ErrMalformed)
	}
	c := r.Commands[b[0]]
	n := 1 + c.Schema.RawSize()
	if len(b) < n {
		return nil, nil, fmt.Errorf("%w: %d bytes of %s, which has %d", codec.ErrMalformed, len(b)-1, c.Schema.Name, n-1)
	}
	return b[:n], b[n:], nil
}

// Check decodes the value of a command that Next returned. Its error is one of [schema.Table.ReadRaw].
func (r *Players) Check(command []byte) error {
	_, err := r.Commands[command[0]].Value(command[1:])
	return err
}

// Do runs a command encoded by Pack in a world.
func (r *Players) Do(w *World, client uint32, command string) {
	r.Commands[command[0]].Run(w, client, []byte(command[1:]))
}

// lines returns the lines of the protocol's text that are about players.
func (r *Players) lines() (lines []string) {
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
