package systems

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Refusal is what a client is told that the server did not accept.
type Refusal struct {
	Cause RefusalCause
	// Tick is the server tick in which that was.
	Tick uint32
	// Input is the sequence of the input, of RefusedInput.
	Input uint32
	// NetID and Component are what was to be changed, of RefusedChange.
	NetID     components.NetID
	Component string
	// Inputs is how many inputs there were too many in all, of TooFast.
	Inputs uint64
	// Reason is what the game said, up to [MaxReason] bytes.
	Reason string
}

// RefusalCause says what a [Refusal] is about.
type RefusalCause uint8

const (
	// RefusedInput is an input that ServerConfig.Refuse did not let pass.
	RefusedInput RefusalCause = iota
	// RefusedChange is a value of an ecs.ClientOwned component that ServerConfig.Accept
	// did not let pass. In the client's world the component is back to the server's value,
	// unless a newer one is on its way.
	RefusedChange
	// TooFast are inputs beyond one a tick. None of them makes a player faster.
	TooFast
)

// String names the cause.
func (c RefusalCause) String() string {
	switch c {
	case RefusedInput:
		return "refused input"
	case RefusedChange:
		return "refused change"
	}
	return "too fast"
}

// RefuseFunc looks at one input before it is simulated. Make one with [Refuse].
type RefuseFunc struct {
	look func(w *ecs.World, client uint32, in unsafe.Pointer) error
	of   func(*ecs.Protocol) *ecs.Component
}

// Refuse makes a RefuseFunc of a typed function, whose error refuses the input and is the
// reason. T must be the protocol's input type; [NewServer] says so when it is not. The
// input must not be written, nor the world.
func Refuse[T any](look func(w *ecs.World, client uint32, in *T) error) RefuseFunc {
	return RefuseFunc{
		look: func(w *ecs.World, client uint32, p unsafe.Pointer) error { return look(w, client, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}

// refuseInput asks the game whether an input may be simulated in a tick. Where it may
// not, that is counted and the client is told.
func (s *Server) refuseInput(client, input, tick uint32, words []int32) (refused bool) {
	in := s.protocol.Input()
	if s.config.Refuse.look == nil || in == nil {
		return false
	}
	s.applying.scratch = reuse.Slice(s.applying.scratch, int(in.Schema.Size+7)/8+1)
	value := unsafe.Pointer(&s.applying.scratch[0])
	in.Schema.Dequantize(value, words, in.Schema.Words, 1)
	err := s.config.Refuse.look(s.world, client, value)
	if err == nil {
		return false
	}
	for _, p := range s.sessions.peers {
		if p.id == client {
			p.inputs.stats.Refused++
			if p.logged.First(notice.Input) {
				s.config.Logger.Warn("input refused; more from this client are only counted", "client", client, "tick", tick, "reason", err)
			}
			p.notices.Tell(&wire.Notice{Kind: wire.NoticeInput, Tick: tick, Input: input, Reason: err.Error()}, s.config.TickRate, s.link.tick)
		}
	}
	return true
}

// A client sends one input a tick, in the long run. Its clock may be off by a little,
// and the path may deliver many at once.
const (
	paceShare = 1.05
	paceBurst = inputWindow
)

// inputLimit counts inputs that come faster than ticks.
type inputLimit struct {
	credit float64 // inputs that may come now
	at     time.Time
	told   uint64 // too many, when the client was told last
}

// advance takes in that a client's newest input is so many further.
func (c *inputLimit) advance(now time.Time, tickRate int, inputs uint32) (tooMany uint64) {
	switch {
	case c.at.IsZero():
		c.credit = paceBurst
	case now.After(c.at):
		c.credit = min(c.credit+now.Sub(c.at).Seconds()*float64(tickRate)*paceShare, paceBurst)
	}
	c.at = now
	if c.credit -= float64(inputs); c.credit < 0 {
		tooMany = uint64(-c.credit + 0.5)
		c.credit = 0
	}
	return tooMany
}

// limitInputs looks at what a packet of inputs changed: before is the newest input that was
// there or filled in for.
func (s *Server) limitInputs(p *peer, before uint32) {
	in := p.inputs
	if in.newest <= before || in.newest-before >= inputWindow {
		return // not a series: the buffer was set afresh
	}
	in.stats.Fast += p.limits.inputs.advance(s.link.now, s.config.TickRate, in.newest-before)
	if in.stats.Fast-p.limits.inputs.told >= uint64(s.config.TickRate) {
		p.limits.inputs.told = in.stats.Fast
		if p.logged.First(notice.Fast) {
			s.config.Logger.Warn("inputs come faster than ticks; more from this client are only counted", "client", p.id, "inputs", in.stats.Fast)
		}
		p.notices.Tell(&wire.Notice{Kind: wire.NoticeFast, Tick: s.link.tick, Inputs: in.stats.Fast}, s.config.TickRate, s.link.tick)
	}
}

// tellNotices sends clients what they have not heard.
func (s *Server) tellNotices() {
	for _, p := range s.sessions.peers {
		s.owned.Tell(&p.owned, s.link.tick)
		sent, err := s.link.notices.Send(&p.notices, p.session, s.link.now)
		if err != nil {
			s.unsent(err)
		}
		p.liveness.unacked = p.liveness.unacked || sent
	}
}
