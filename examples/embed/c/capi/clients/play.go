package clients

import (
	"errors"
	"math"

	"github.com/tactusgo/tactus/systems/host"
)

// SetInput gives the input of the coming ticks: see host.Host.SetInput.
func (c *Clients) SetInput(n uint32, input []byte) Code {
	return c.do(n, func(x *client) error { return x.Host.SetInput(input) })
}

// Advance receives datagrams, runs the due ticks, and sends datagrams. It returns the number of ticks or a [Code].
func (c *Clients) Advance(n uint32, now int64) int32 {
	ticks, ended := 0, false
	code := c.do(n, func(x *client) (err error) {
		if ticks, err = x.Host.Advance(c.time(now)); err != nil && !errors.Is(err, host.ErrTime) {
			reason, _ := x.Host.End()
			ended = reason != 0
		}
		return err
	})
	switch {
	case ended:
		return int32(Ended)
	case code != OK:
		return int32(code)
	}
	return int32(min(ticks, math.MaxInt32))
}

// Next returns the time of the next tick as a number, or 0 if there is no such client.
func (c *Clients) Next(n uint32) (at int64) {
	c.do(n, func(x *client) error {
		at = c.number(x.Host.Next())
		return nil
	})
	return at
}

// Send sends a message: see host.Host.Send. which is its number in the game's Book.
func (c *Clients) Send(n, which uint32, value []byte) Code {
	return c.do(n, func(x *client) error { return x.Host.Send(int(min(which, math.MaxInt32)), value) })
}

// Raise raises an event: see host.Host.Raise. which is its number in the game's Book.
func (c *Clients) Raise(n, which uint32, value []byte) Code {
	return c.do(n, func(x *client) error { return x.Host.Raise(int(min(which, math.MaxInt32)), value) })
}

// Command sends a command: see host.Host.Command. which is its number in the protocol.
func (c *Clients) Command(n, which uint32, value []byte) Code {
	return c.do(n, func(x *client) error { return x.Host.Command(int(min(which, math.MaxInt32)), value) })
}

// Replay controls the recording of a client: see host.Host.Control. It returns NaN on an error.
func (c *Clients) Replay(n uint32, command int, value float64) float64 {
	result := math.NaN()
	c.do(n, func(x *client) error {
		r, text, err := x.Host.Control(command, value)
		if err == nil {
			result = r
		}
		if text != "" {
			Say(x.text[:], text)
		}
		return err
	})
	return result
}

// End returns the host.Reason why the session ended, and sets the text to it. It returns 0 while the session continues, and
// NoClient if there is no such client.
func (c *Clients) End(n uint32) int32 {
	reason := int32(NoClient)
	c.do(n, func(x *client) error {
		r, why := x.Host.End()
		if reason = int32(r); r != 0 {
			Say(x.text[:], why)
		}
		return nil
	})
	return reason
}

// errArgument describes memory from C that cannot be read. Its code is [Argument].
var errArgument = errors.New("capi: a value that is NULL, or longer than any")

// Refuse sets the text of a client to the description of an invalid argument, and returns [Argument].
func (c *Clients) Refuse(n uint32) Code { return c.do(n, func(*client) error { return errArgument }) }
