package channel

import (
	"testing"
	"time"
)

// Packets that carry nothing of the channels count in the estimates, and their bytes in the budget.
func TestCarried(t *testing.T) {
	e := mustNew(t, Config{})
	now := time.Unix(0, 0)
	before := e.Allowance(now)
	e.Carried(now, 0, 500)
	if b := e.Fill(now, 0, nil, 600); len(b) != 0 {
		t.Fatalf("filled %x", b)
	}
	if got := before - e.Allowance(now); got != 500 {
		t.Errorf("the budget knows of %d bytes", got)
	}
	e.Acked(now.Add(40*time.Millisecond), 0)
	if s := e.Stats(); s.RTT != 40*time.Millisecond || s.Acked != 1 || s.PacketsOut != 0 {
		t.Errorf("%+v", s)
	}
	// Filled first and carried then is the same packet.
	event := number(t, "event")
	_ = e.Send(event, []byte("x"))
	if b := e.Fill(now.Add(50*time.Millisecond), 1, nil, 600); len(b) == 0 {
		t.Fatal("nothing filled")
	}
	e.Carried(now.Add(50*time.Millisecond), 1, 30)
	e.Acked(now.Add(90*time.Millisecond), 1)
	if got := e.Channel(event).Queued; got != 0 {
		t.Errorf("%d queued", got)
	}
	// One that is lost is seen to be lost.
	e.Carried(now.Add(100*time.Millisecond), 2, 30)
	e.Carried(now.Add(110*time.Millisecond), 3, 30)
	e.Acked(now.Add(150*time.Millisecond), 3)
	e.Carried(now.Add(time.Second), 4, 30)
	if s := e.Stats(); s.Lost != 1 || s.Acked != 3 {
		t.Errorf("%+v", s)
	}
}

// Datagrams beyond the budget leave events their share, use all of the bulk's share, and raise the rate.
func TestCarriedDebt(t *testing.T) {
	e := mustNew(t, Config{})
	now := time.Unix(0, 0)
	event, bulk := number(t, "event"), number(t, "bulk")
	rate := e.Stats().Rate
	seq := uint16(0)
	for range 600 {
		now = now.Add(time.Second / 60)
		for range 10 { // 600 kB/s
			e.Carried(now, seq, 1000)
			seq++
			e.Acked(now, seq-1)
		}
	}
	if e.Allowance(now) != 0 {
		t.Errorf("%d bytes may go", e.Allowance(now))
	}
	if got := e.Stats().Rate; got != rate {
		t.Errorf("rate %d without a Fill, which judges", got)
	}
	_ = e.Send(bulk, make([]byte, 5000))
	if b := e.Fill(now, seq, nil, 1000); len(b) != 0 {
		t.Errorf("%d bytes of bulk", len(b))
	}
	_ = e.Send(event, []byte("first things first"))
	if b := e.Fill(now, seq, nil, 1000); len(b) == 0 || len(b) > 40 {
		t.Errorf("%d bytes with an event", len(b))
	}
	if got := e.Stats().Rate; got <= rate {
		t.Errorf("rate %d after %d", got, rate)
	}
}
