package clients

import (
	"fmt"
	"math"
)

// Kinds of values for [Clients.Send].
const (
	Message = iota
	Event
	Command
)

// SetInput gives the input of the coming ticks: see host.Host.SetInput.
func (c *Clients) SetInput(n uint32, input []byte) Code {
	s, x := c.of(n)
	if x == nil {
		return NoClient
	}
	defer s.mu.Unlock()
	return x.setError(x.Host.SetInput(input))
}

// Advance receives datagrams, runs the due ticks, and sends datagrams. It returns the number of ticks or a [Code].
func (c *Clients) Advance(n uint32, now int64) int32 {
	s, x := c.of(n)
	if x == nil {
		return int32(NoClient)
	}
	defer s.mu.Unlock()
	ticks, err := x.Host.Advance(c.time(now))
	if err == nil {
		return int32(min(ticks, math.MaxInt32))
	}
	code := x.setError(err)
	if reason, _ := x.Host.End(); reason != 0 && code != Time {
		return int32(Ended)
	}
	return int32(code)
}

// Next returns the time of the next tick as a number, or 0 if there is no such client.
func (c *Clients) Next(n uint32) int64 {
	s, x := c.of(n)
	if x == nil {
		return 0
	}
	defer s.mu.Unlock()
	return c.number(x.Host.Next())
}

// Send sends a message, an event or a command, according to what. which is its number in the game's Book or protocol.
func (c *Clients) Send(n uint32, what int, which uint32, value []byte) Code {
	s, x := c.of(n)
	if x == nil {
		return NoClient
	}
	defer s.mu.Unlock()
	number := int(min(which, math.MaxInt32))
	switch what {
	case Message:
		return x.setError(x.Host.Send(number, value))
	case Event:
		return x.setError(x.Host.Raise(number, value))
	case Command:
		return x.setError(x.Host.Command(number, value))
	}
	panic(fmt.Sprintf("clients: Send of %d: give Message, Event or Command", what))
}

// Replay controls the recording of a client: see host.Host.Control. It returns NaN on an error.
func (c *Clients) Replay(n uint32, command int, value float64) float64 {
	s, x := c.of(n)
	if x == nil {
		return math.NaN()
	}
	defer s.mu.Unlock()
	result, text, err := x.Host.Control(command, value)
	if x.setError(err) != OK {
		return math.NaN()
	}
	if text != "" {
		Say(x.text[:], text)
	}
	return result
}

// End returns the host.Reason why the session ended, and sets the text to it. It returns 0 while the session continues, and
// NoClient if there is no such client.
func (c *Clients) End(n uint32) int32 {
	s, x := c.of(n)
	if x == nil {
		return int32(NoClient)
	}
	defer s.mu.Unlock()
	reason, why := x.Host.End()
	if reason != 0 {
		Say(x.text[:], why)
	}
	return int32(reason)
}

// Refuse sets the text of a client to the description of an invalid argument.
func (c *Clients) Refuse(n uint32, why string) Code {
	s, x := c.of(n)
	if x == nil {
		return NoClient
	}
	defer s.mu.Unlock()
	Say(x.text[:], why)
	return Argument
}
