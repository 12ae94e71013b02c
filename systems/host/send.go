package host

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/systems"
)

// Send sends a message of type which of the [Book]. value is in memory layout. Numbers outside their range become the
// nearest number inside. The error wraps [ErrValue] or systems.ErrNotConnected, or comes from channel.Type.Send.
func (h *Host) Send(which int, value []byte) error {
	if h.config.Book == nil {
		return unknownTypeError("message", which, 0)
	}
	return h.sendValue("message", h.config.Book.messages, which, value)
}

// Raise raises an event of type which of the [Book] on the server. The error wraps [ErrValue] or systems.ErrNotConnected.
func (h *Host) Raise(which int, value []byte) error {
	if h.config.Book == nil {
		return unknownTypeError("event", which, 0)
	}
	return h.sendValue("event", h.config.Book.events, which, value)
}

// Command sends a command of the protocol. which is its number in the order of registration. The error wraps [ErrValue],
// systems.ErrNotConnected or systems.ErrCommands.
func (h *Host) Command(which int, value []byte) error {
	if which < 0 || which >= len(h.commands) {
		return unknownTypeError("command", which, len(h.commands))
	}
	c := &h.commands[which]
	v, err := c.value(value)
	switch {
	case err != nil:
		return err
	case h.closed:
		return fmt.Errorf("%w: the host is closed", systems.ErrNotConnected)
	}
	if h.replay != nil {
		return nil
	}
	return systems.Command(h.client, reflect.NewAt(c.table.Type, v).Elem().Interface())
}

// sendValue sends a message or raises an event.
func (h *Host) sendValue(what string, list []entry, which int, value []byte) error {
	if which < 0 || which >= len(list) || list[which].send == nil {
		return unknownTypeError(what, which, len(list))
	}
	e := &list[which]
	v, err := e.clean.value(value)
	switch {
	case err != nil:
		return err
	case h.closed || !h.client.Connected():
		return fmt.Errorf("%w: a %s needs a session: wait until the client is connected", systems.ErrNotConnected, what)
	}
	if h.replay != nil {
		return nil
	}
	return e.send(h, v)
}

// value returns a new value of the sanitizer's type from untrusted bytes.
func (c *sanitizer) value(b []byte) (unsafe.Pointer, error) {
	if len(b) != int(c.table.Size) {
		return nil, fmt.Errorf("%w: %s has %d bytes: pass the %d bytes of its layout", ErrValue, c.table.Name, len(b), c.table.Size)
	}
	v := reflect.New(c.table.Type).UnsafePointer()
	c.read(v, b)
	return v, nil
}

func unknownTypeError(what string, which, n int) error {
	return fmt.Errorf("%w: there is no %s %d to send; the game has %d", ErrValue, what, which, n)
}
