package host

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/systems"
)

// Send sends a message of a type of the [Book], given as it lies in memory; numbers out of their range go as the nearest
// in it. The error wraps [ErrValue], systems.ErrNotConnected, or those of channel.Type.Send.
func (h *Host) Send(which int, value []byte) error {
	if h.config.Book == nil {
		return unknown("message", which, 0)
	}
	return h.give("message", h.config.Book.messages, which, value)
}

// Raise raises an event of a type of the [Book] for the server. The error wraps [ErrValue] or systems.ErrNotConnected.
func (h *Host) Raise(which int, value []byte) error {
	if h.config.Book == nil {
		return unknown("event", which, 0)
	}
	return h.give("event", h.config.Book.events, which, value)
}

// Command gives a command of the protocol, by its number in the order of registration. The error wraps [ErrValue],
// systems.ErrNotConnected or systems.ErrCommands.
func (h *Host) Command(which int, value []byte) error {
	if which < 0 || which >= len(h.commands) {
		return unknown("command", which, len(h.commands))
	}
	c := &h.commands[which]
	v, err := c.value(value)
	switch {
	case err != nil:
		return err
	case h.closed:
		return fmt.Errorf("%w: the host is closed", systems.ErrNotConnected)
	}
	return systems.Command(h.client, reflect.NewAt(c.table.Type, v).Elem().Interface())
}

// give sends a value.
func (h *Host) give(what string, list []entry, which int, value []byte) error {
	if which < 0 || which >= len(list) || list[which].send == nil {
		return unknown(what, which, len(list))
	}
	e := &list[which]
	v, err := e.clean.value(value)
	switch {
	case err != nil:
		return err
	case h.closed || !h.client.Connected():
		return fmt.Errorf("%w: a %s needs a session", systems.ErrNotConnected, what)
	}
	return e.send(h, v)
}

// value is a new value, of bytes that anybody may have made.
func (c *cleaner) value(b []byte) (unsafe.Pointer, error) {
	if len(b) != int(c.table.Size) {
		return nil, fmt.Errorf("%w: a %s of %d bytes; it has %d", ErrValue, c.table.Name, len(b), c.table.Size)
	}
	v := reflect.New(c.table.Type).UnsafePointer()
	c.read(v, b)
	return v, nil
}

func unknown(what string, which, n int) error {
	return fmt.Errorf("%w: there is no %s %d to send; the game has %d", ErrValue, what, which, n)
}
