package systems

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// Delay is the time from the frame in which a client gathers an input to the frame in which another player sees it, in its parts. The
// client does not know the paths and screens of others: Down, Interpolation and Frame assume that they are like its own.
type Delay struct {
	Up            time.Duration // to the server: half the round trip
	Waiting       time.Duration // in the server's input buffer
	Tick          time.Duration // until the tick that uses the input is simulated: half a tick
	Send          time.Duration // until the next snapshot: half of the ticks between two, less one; a mean
	Down          time.Duration // to the other player: half the round trip
	Interpolation time.Duration // from the newest received state to the drawn one
	Frame         time.Duration // half the time between two frames until the snapshot is received, and as much until the state is drawn
}

// Sum returns the sum of the parts.
func (d Delay) Sum() time.Duration {
	return d.Up + d.Waiting + d.Tick + d.Send + d.Down + d.Interpolation + d.Frame
}

// delay returns the parts of the delay between this client's screen and another's.
func (c *Client) delay(s *ClientStats) (d Delay) {
	tick := c.world.StepDuration()
	d.Up, d.Down = s.Session.RTT/2, s.Session.RTT/2
	if s.InputBuffer != wire.DepthUnread {
		d.Waiting = time.Duration(s.InputBuffer) * tick
	}
	d.Tick, d.Frame = tick/2, c.steps.frames.mean
	if !policy.TraitsOf(c.played).RelaysInputs {
		d.Send = time.Duration(c.interpolator.Every()-1) * tick / 2
	}
	d.Interpolation = time.Duration(max(float64(c.ServerTick())-c.DrawnTick(), 0) * float64(tick))
	return d
}

// frameTimes measures the time between frames.
type frameTimes struct {
	last time.Time
	mean time.Duration // of about the last 16; 0 before the second frame
}

// longFrame is a time between frames that says nothing about the screen: the page was hidden, or the process stood still.
const longFrame = time.Second

func (f *frameTimes) note(now time.Time) {
	took := now.Sub(f.last)
	switch {
	case f.last.IsZero() || took <= 0 || took > longFrame:
	case f.mean == 0:
		f.mean = took
	default:
		f.mean += (took - f.mean) / 16
	}
	f.last = now
}
