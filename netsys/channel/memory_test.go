package channel

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/heapuse"
)

// An endpoint with idle channels, in a session that sends a datagram per tick, uses no more memory than the package comment
// states. Unused channels use none.
func TestMemoryAtRest(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the heap")
	}
	const endpoints = 100
	profile := heapuse.Begin(t)
	var all []*Endpoint
	for range endpoints {
		all = append(all, mustNew(t, Config{}))
	}
	now, buf := time.Unix(0, 0), make([]byte, 0, 1150)
	for seq := range uint16(2000) {
		for _, e := range all {
			e.Carried(now, seq, 200)
			buf = e.Fill(now, seq, buf[:0], 900)
			if seq%50 > 0 {
				e.Acked(now, seq-6)
			}
		}
		now = now.Add(time.Second / 60)
	}
	use := profile.Under([]string{"github.com/tactusgo/tactus/netsys/channel."}, nil)
	each := use.Bytes / endpoints
	t.Logf("%d bytes an endpoint:\n%s", each, use.Table(20, endpoints))
	if each > 7<<10 || all[0].Stats().Acked < 1900 {
		t.Errorf("%d bytes an endpoint, %+v", each, all[0].Stats())
	}
}

// A late acknowledgement of a packet that counts as lost is accepted within the configured history, even if the memory of
// packets under way is small. Its message is not resent again.
func TestLateAcknowledgementsCountForTheWholeHistory(t *testing.T) {
	const history = 200
	for late := history - 20; late < history+20; late++ {
		e := mustNew(t, Config{History: history})
		now := time.Unix(0, 0)
		_ = e.Send(0, []byte("hello"))
		for seq := range uint16(late) + 1 {
			e.Carried(now, seq, 100)
			_ = e.Fill(now, seq, nil, 0)
			if seq == 0 {
				_ = e.Fill(now, seq, nil, 1000)
			}
			if seq > 3 {
				e.Acked(now, seq-3)
			}
			now = now.Add(50 * time.Millisecond)
		}
		if s := e.Stats(); s.Lost == 0 || e.Channel(0).Resent != 1 {
			t.Fatalf("nothing was lost: %+v", s)
		}
		e.Acked(now, 0)
		want := 0
		if late >= history {
			want = 1
		}
		if n := e.Channel(0).Queued; n != want {
			t.Errorf("%d packets later %d messages wait, want %d", late, n, want)
		}
	}
}

// A peer cannot make a channel remember more early messages than the queue of an honest peer holds.
func TestSlotsAreBounded(t *testing.T) {
	e := mustNew(t, Config{})
	r := mustNew(t, Config{})
	for i := range 255 {
		_ = e.Send(0, []byte{byte(i)})
	}
	now, delivered := time.Unix(0, 0), 0
	for seq := range uint16(20) {
		b := e.Fill(now, seq, nil, 1000)
		if seq > 0 { // the first messages never come
			must(t, r.Receive(now, b, func(int, []byte) { delivered++ }))
		}
	}
	in := &r.channels[0].sure.in
	if n := len(in.slots); n < 64 || n > 256 || delivered > 0 {
		t.Errorf("%d slots, %d messages were delivered", n, delivered)
	}
	if n := len(mustNew(t, Config{}).channels[0].sure.in.slots); n > 0 {
		t.Errorf("%d slots of a channel that was never used", n)
	}
}

// The memory for long messages, bursts and outages is released when they are over, and kept while they repeat.
func TestMemoryIsGivenBack(t *testing.T) {
	bulk := Config{}.Channel("bulk")
	a, b := mustNew(t, Config{}), mustNew(t, Config{})
	now, seq := time.Unix(0, 0), uint16(0)
	delivered := 0
	run := func(seconds int, lost bool) {
		for range 60 * seconds {
			for a.Carried(now, seq, 100); ; {
				p := a.Fill(now, seq, nil, 1150)
				if !lost {
					must(t, b.Receive(now, p, func(int, []byte) { delivered++ }))
				}
				b.Carried(now, seq, 100)
				_ = b.Fill(now, seq, nil, 0)
				if !lost && seq > 8 {
					a.Acked(now, seq-8)
					b.Acked(now, seq-8)
				}
				if seq++; len(p) == 0 {
					break
				}
			}
			now = now.Add(time.Second / 60)
		}
	}
	out, in := &a.channels[bulk].sure.out, &b.channels[bulk].sure.in
	for range 3 {
		must(t, a.Send(bulk, make([]byte, 300_000)))
		for i := range 200 {
			must(t, a.Send(0, []byte{byte(i)}))
		}
		run(5, false)
		if delivered != 201 || len(out.ring) < 300_000 || len(b.store.slabs) < 70 || cap(b.store.scratch) < 300_000 || len(in.partial) == 0 {
			t.Fatalf("%d delivered, a queue of %d bytes, %d slabs, room for a message of %d, %d places", delivered, len(out.ring), len(b.store.slabs), cap(b.store.scratch), len(in.partial))
		}
		delivered = 0
	}
	run(10, true)
	run(60, false)
	if len(out.ring)+len(out.entries)+len(b.store.slabs)+cap(b.store.scratch)+len(in.partial)+len(a.channels[0].sure.out.entries) > leastEntries {
		t.Errorf("a queue of %d bytes and %d messages, %d slabs, room for a message of %d, %d places, %d events", len(out.ring), len(out.entries), len(b.store.slabs),
			cap(b.store.scratch), len(in.partial), len(a.channels[0].sure.out.entries))
	}
	if len(a.flight.refs) > 4*leastRefs {
		t.Errorf("%d refs", len(a.flight.refs))
	}
	must(t, a.Send(bulk, make([]byte, 300_000)))
	if run(5, false); delivered != 1 {
		t.Error("the next long message does not come")
	}
}
