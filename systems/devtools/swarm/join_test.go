package swarm

import (
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Clients join and leave one by one. Their numbers are free again once they have left, and idle ones send no inputs.
func TestJoinAndLeave(t *testing.T) {
	in, ended := map[int]bool{}, map[int]error{}
	m := newMatch(t, systems.ServerConfig{}, Config{
		Clients: 3, OnDemand: true, Idle: true,
		OnConnect: func(n int) { in[n] = true },
		OnEnd:     func(n int, err error) { ended[n] = err },
	}, netsys.Link{})
	join := func() int {
		n, err := m.swarm.Join(m.now, nil)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	m.ticks(t, 60)
	if len(in) > 0 || m.server.Stats().Inputs.Consumed > 0 {
		t.Fatalf("clients joined by themselves: %v", in)
	}
	first := join()
	join()
	third := join()
	if _, err := m.swarm.Join(m.now, nil); err == nil || !strings.Contains(err.Error(), "all of 3 clients play") {
		t.Errorf("a fourth client: %v", err)
	}
	players := func() (n int) {
		for range m.server.Clients {
			n++
		}
		return n
	}
	m.until(t, "three clients are in", func() bool { return len(in) == 3 && players() == 3 })
	m.swarm.Leave(m.now, first)
	m.swarm.Leave(m.now, third)
	m.until(t, "two have left", func() bool { return players() == 1 })
	delete(in, first)
	if again := join(); again != first {
		t.Errorf("the next client has number %d, want %d", again, first)
	}
	m.until(t, "one joins again", func() bool { return in[first] && players() == 2 })
	m.swarm.Look(m.now)
	if r := m.swarm.Report(); r.Connected != 2 || r.Lost+r.Refused != 0 || len(ended) > 0 || m.server.Stats().Inputs.Consumed > 0 {
		t.Errorf("%d inputs consumed, ended %v, %+v", m.server.Stats().Inputs.Consumed, ended, r)
	}
	if err := m.server.Close(m.now); err != nil {
		t.Fatal(err)
	}
	m.until(t, "the others lose their sessions", func() bool { return len(ended) == 2 })
}
