package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Tap is an input of one byte that differs in every tick, so that the length of a
// packet says how many inputs it holds: 7 bytes, 8 bits for the first, 10 for
// each other.
type Tap struct {
	N uint8 `net:"0..255"`
}

func taps(seed uint64, clients int) systemstest.Config {
	return systemstest.Config{
		Protocol: func() *ecs.Protocol {
			p := ecs.NewProtocol("taps/1")
			ecs.Input[Tap](p)
			p.Simulate("nothing", func(*ecs.World) {})
			return p
		},
		Play:    systemstest.Play(func(k *systemstest.Client, in *Tap) { in.N = uint8(k.Input()) }),
		Clients: clients,
		Seed:    seed,
	}
}

// inputsIn is how many taps a payload of so many bytes holds, at least and at
// most.
func inputsIn(bytes uint64) (least, most int) {
	bits := 8 * (int(bytes) - 7)
	return (bits-7-8+9)/10 + 1, (bits-8)/10 + 1
}

// A packet holds the newest inputs: as many as are unacknowledged, but no more
// than the server's buffer is deep plus 8, and never more than 32.
//
//mutant:rule C2 systems/client_receive.go
//mutant:from c.ackedInput = max(c.ackedInput, s.input)
//mutant:to c.ackedInput = max(c.ackedInput, s.input-s.input)
func TestNetcodeC2_RedundancyIsWhatMayBeLost(t *testing.T) {
	for _, l := range []int{0, 1, 3, 6, 20, 60} {
		config := taps(1, 1)
		config.Link = lag(l)
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(15 * time.Second)
		k := c.Clients[0]
		before := k.Traffic().Session.PayloadOut
		packets := 0
		c.OnClientTick(func(k *systemstest.Client) {
			now := k.Traffic().Session.PayloadOut
			least, most := inputsIn(now - before)
			before = now
			packets++
			// An input is acknowledged by the snapshot after it: a round trip, and
			// up to a send gap more. Ticks of client and server interleave.
			fewest := min(2*l, k.Stats().InputBuffer+8, 32)
			limit := min(2*l+3+2, k.Stats().InputBuffer+8, 32)
			if most < fewest || least > max(limit, 1) {
				t.Fatalf("lag %d, input %d: a packet of %d to %d inputs, with %d waiting on the server; %d to %d are due",
					l, k.Input(), least, most, k.Stats().InputBuffer, fewest, limit)
			}
		})
		c.Run(5 * time.Second)
		if packets < 290 {
			t.Errorf("lag %d: %d packets", l, packets)
		}
	}
}

// Without acknowledgements the packets grow to the buffer's depth plus 8, and stay
// there.
//
//mutant:rule C2 systems/client_tick.go
//mutant:from uint32(c.depth)+8, maxRedundancy)
//mutant:to uint32(c.depth)+18, maxRedundancy)
//mutant:rule C2 systems/client_tick.go
//mutant:from uint32(c.depth)+8, maxRedundancy)
//mutant:to uint32(c.depth)+9, maxRedundancy)
func TestNetcodeC2_RedundancyIsCapped(t *testing.T) {
	config := taps(1, 1)
	config.Link = lag(3)
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(12 * time.Second)
	k := c.Clients[0]
	c.Lose(func(p systemstest.Packet) bool { return !p.Up })
	before, longest := k.Traffic().Session.PayloadOut, 0
	c.OnClientTick(func(k *systemstest.Client) {
		now := k.Traffic().Session.PayloadOut
		least, _ := inputsIn(now - before)
		before, longest = now, max(longest, least)
	})
	c.Run(5 * time.Second)
	if want := k.Stats().InputBuffer + 8; longest < want-1 || longest > want {
		t.Errorf("packets of %d inputs with %d waiting on the server, want %d", longest, k.Stats().InputBuffer, want)
	}
}

// Inputs lost with as many packets in a row as the redundancy covers arrive with
// the next one.
//
//mutant:rule C2 systems/client_tick.go
//mutant:from uint32(c.depth)+8, maxRedundancy)
//mutant:to uint32(1), maxRedundancy)
func TestNetcodeC2_RedundancyBridgesLosses(t *testing.T) {
	c := systemstest.New(t, onField(1, 1, lag(12)))
	c.Connect()
	c.Run(12 * time.Second)
	j := journalOf(c.Server.World())
	k := c.Clients[0]
	c.Mark()
	for range 20 {
		lost := 0
		c.Lose(func(p systemstest.Packet) bool {
			if p.Up {
				lost++
			}
			return p.Up && lost <= 2
		})
		c.RunTicks(30)
	}
	steps := j.of(k.ID())
	for i := 1; i < len(steps); i++ {
		if steps[i].in.N != steps[i-1].in.N+1 {
			t.Fatalf("tick %d consumed input %d after %d", steps[i].tick, steps[i].in.N, steps[i-1].in.N)
		}
	}
	c.NothingMissing()
	if f := k.Figures(); f.Consumed < 599 {
		t.Errorf("%d inputs consumed", f.Consumed)
	}
}

// Sequences and sends wrap at 65,536 on the wire and nowhere else.
//
//mutant:rule C2 systems/inputbuffer.go
//mutant:from newest := codec.Lift(m.newest, near)
//mutant:to newest := codec.Lift(m.newest, near%60_000)
//mutant:rule C2 systems/client_receive.go
//mutant:from send := codec.Lift(h.send, c.newestSend)
//mutant:to send := codec.Lift(h.send, c.newestSend&0xffff)
func TestNetcodeC2_SequencesWrap(t *testing.T) {
	if testing.Short() && raceEnabled {
		t.Skip("70,000 ticks under the race detector")
	}
	config := onField(1, 2, systemstest.RoundTrip(150*time.Millisecond, 20*time.Millisecond, 0.02))
	config.Server.SendRate = 60 // sends wrap as well
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(15 * time.Second)
	c.Mark()
	c.RunUntil(time.Hour, func() bool { return c.Server.Tick() >= 65_400 })
	bytes := c.Clients[0].Traffic().Session.PayloadOut
	c.RunTicks(300)
	across := c.Clients[0].Traffic().Session.PayloadOut - bytes
	c.RunUntil(time.Hour, func() bool { return c.Server.Tick() >= 70_000 })
	for _, k := range c.Clients {
		f := k.Figures()
		if k.Input() < 1<<16+1000 || k.Status().LastInput < 1<<16+1000 {
			t.Fatalf("%v: inputs up to %d, consumed up to %d: nothing wrapped", k, k.Input(), k.Status().LastInput)
		}
		if f.Consumed < 69_000 || f.Rejected != 0 || f.Resyncs != 0 || f.StaleStates != 0 || f.Jumps != 0 || k.Stats().Renewals != 0 {
			t.Errorf("%v: %+v, %d renewals", k, f, k.Stats().Renewals)
		}
	}
	if across > 300*40 {
		t.Errorf("%d bytes of inputs in 300 ticks across the wrap", across)
	}
	c.NothingMissing()
	c.NoCorrections()
	c.NoStalls()
	c.Settle()
	c.Converged()
}

// Sequences of a puppet wrap as well, however far the first one is.
//
//mutant:rule C2 systems/inputbuffer.go
//mutant:from seq := newest - uint32(m.count-1-i)
//mutant:to seq := uint32(uint16(newest - uint32(m.count-1-i)))
func TestNetcodeC2_NewestPlusCount(t *testing.T) {
	p := newPuppet(t, systems.ServerConfig{})
	j := ecs.Resource[journal](p.server.World())
	for i := uint32(0); i < 400; i++ {
		// Every packet but each fifth gets lost; each holds the five before.
		if seq := 65_400 + i; i%5 == 4 {
			p.tick(input(seq, 5, 2))
		} else {
			p.tick()
		}
	}
	if len(j.steps) < 380 {
		t.Fatalf("%d steps", len(j.steps))
	}
	for i := 100; i < len(j.steps); i++ {
		if j.steps[i].in.N != j.steps[i-1].in.N+1 {
			t.Fatalf("tick %d consumed input %d after %d", j.steps[i].tick, j.steps[i].in.N, j.steps[i-1].in.N)
		}
	}
}
