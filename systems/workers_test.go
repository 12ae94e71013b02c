package systems

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// deal processes the packets of a tick of the crowd, divided among workers.
func (x *crowd) deal() {
	s := x.server
	receivers := s.sessions.receivers
	s.workers.Each(len(x.seats), func(worker, i int) {
		c := x.seats[i]
		if (i+int(x.seq))%3 == 0 {
			receivers[worker].Acked(c, x.seq)
		}
		for range 1 + i%7/6 { // some send everything twice, and so too much
			receivers[worker].Received(s.link.now, c, netsys.Packet{Seq: x.seq, At: s.link.now, Newest: true, Data: x.packet})
		}
		if i%50 == 3 {
			receivers[worker].Received(s.link.now, c, netsys.Packet{Seq: x.seq, At: s.link.now, Newest: true, Data: []byte{99}})
		}
	})
}

// The inputs of hundreds of clients, decoded and consumed by any number of workers, give the same world and the same counters,
// including clients that send nonsense.
func TestInputsOnWorkers(t *testing.T) {
	t.Parallel()
	var want string
	for _, workers := range []int{1, 2, 4} {
		x := newCrowd(t, 300, ServerConfig{Workers: workers, Session: ServerSession{Timeout: time.Hour}})
		x.dealt = true
		for range 120 {
			x.tick()
		}
		st := x.server.Stats()
		if st.Inputs.Consumed < 300*100 || st.MalformedMessages != 6*120 {
			t.Fatalf("%d workers: %+v", workers, st)
		}
		got := fmt.Sprintf("%x %+v %d %d", x.server.World().Hash(), st.Inputs, st.MalformedMessages, st.InputBytes)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: %s, one has %s", workers, got, want)
		}
	}
}

// The server's workers run systems whose rows declare what they write: two workers are in one function at the same time, and
// the first waits for the second.
func TestRowsOnTheServersWorkers(t *testing.T) {
	var came atomic.Int32
	var once sync.Once
	met := make(chan bool)
	g := newGame(t, func() *ecs.Protocol {
		p := plazaParts("meeting/1")
		p.Authority("meet", ecs.Rows(func(r struct{ Shots *shots }, s ecs.Step) {
			r.Shots.Count++
			if came.Add(1) == 2 {
				once.Do(func() { close(met) })
			}
			select {
			case <-met:
			case <-time.After(20 * time.Second):
				once.Do(func() { t.Error("the others do not come"); close(met) })
			}
		}))
		return p
	}, ServerConfig{Workers: 2})
	for range 2000 {
		g.server.World().Spawn(shots{})
	}
	g.server.stages.onTick.Run(g.server.World())
	for _, r := range ecs.All[struct{ Shots shots }](g.server.World()) {
		if r.Shots.Count != 1 {
			t.Fatalf("a row was done %d times", r.Shots.Count)
		}
	}
	g.server.workers.Close()
}
