package event_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/event"
)

// sink is channels that keep only the last messages, in the same memory.
type sink struct {
	last [8]message
	n    int
}

func (s *sink) Send(number int, data []byte) error {
	m := &s.last[s.n%len(s.last)]
	m.channel, m.data = number, append(m.data[:0], data...)
	s.n++
	return nil
}

// Raised, simulated again, final, refused and handled on both sides, without an
// allocation.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	r := kit()
	sw, cw := world(), world()
	server, client := event.NewServer(r, event.ServerConfig{}), event.NewClient(r, event.ClientConfig{})
	var up, down sink
	server.Attach(sw, event.Hooks{})
	server.Join(1, 0, &down)
	client.Join(cw, 0, &up)
	calls := 0
	event.OnServer(server, event.Handlers[note]{Handle: func(*ecs.World, event.Sender, *note) { calls++ }})
	event.OnServer(server, event.Handlers[ask]{Handle: func(*ecs.World, event.Sender, *ask) { calls++ }})
	event.OnClient(client, func(*ecs.World, event.Origin, *note) { calls++ })
	event.OnClient(client, func(*ecs.World, event.Origin, *verdict) { calls++ })
	entity := sw.Spawn(components.Heading{}, components.Owner{Client: 1})
	tick := uint32(10)
	step := func() {
		tick++
		up.n, down.n = 0, 0
		for n := tick - 4; n <= tick; n++ {
			server.Start(n)
			event.Raise(sw, event.ToViewers(entity), note{n})
			event.Raise(sw, event.ToAll(), verdict{n + tick})
			server.Done()
			client.Start(n)
			event.Raise(cw, event.ToServer(), note{n})
			client.Done()
		}
		event.Raise(cw, event.ToServer(), ask{1}) // more than its rate
		client.Settle(tick - 4)
		for i := range up.n {
			if _, err := server.Receive(1, up.last[i].channel, up.last[i].data); err != nil {
				t.Error(err)
			}
		}
		server.Settle(tick - 4)
		for i := range down.n {
			if _, err := client.Receive(down.last[i].channel, down.last[i].data); err != nil {
				t.Error(err)
			}
		}
		client.Deliver(tick-2, nil)
	}
	for range 50 {
		step()
	}
	calls = 0
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
	if calls < 300 {
		t.Errorf("%d calls", calls)
	}
}
