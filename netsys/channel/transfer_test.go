package channel

import (
	"bytes"
	"testing"
	"time"
)

// TestTransferDelaysNoSnapshot sends 1 MiB reliably at 5 % loss beside a snapshot per tick. Each snapshot is whole and in the
// first packet of its tick, as without the transfer.
func TestTransferDelaysNoSnapshot(t *testing.T) {
	link := path{delay: 50 * time.Millisecond, jitter: 20 * time.Millisecond, loss: 0.05}
	p := newPair(t, Config{}, 3, link)
	state, bulk := number(t, "state"), number(t, "bulk")
	big := make([]byte, 1<<20)
	for i := range big {
		big[i] = byte(i * i >> 7)
	}
	var whole []byte
	snapshots, offered := 0, 0
	p.b.got = func(number int, b []byte) {
		switch number {
		case state:
			snapshots++
		case bulk:
			whole = bytes.Clone(b)
		}
	}
	must(t, p.a.e.Send(bulk, big))
	const size = 700
	missed := 0
	ticks := 0
	p.a.observe = func(packet []byte) {
		if p.a.filled > 1 {
			return
		}
		// Of what there is the snapshot has the highest priority: its record is the first.
		if len(packet) < size || int(packet[0]&channelMask) != state || packet[0]&flagPieces != 0 {
			missed++
		}
	}
	for ; whole == nil; ticks++ {
		if ticks > 60*60 {
			t.Fatalf("not there after a minute: %+v", p.a.e.Stats())
		}
		p.step(func() {
			must(t, p.a.e.Send(state, text(uint64(offered), size)))
			offered++
		})
	}
	if !bytes.Equal(whole, big) {
		t.Fatal("the transfer is damaged")
	}
	s := p.a.e.Stats()
	if missed > 0 || p.a.e.Channel(state).Dropped > 0 {
		t.Errorf("%d of %d snapshots were not in the packet that they were offered for, %d dropped", missed, offered, p.a.e.Channel(state).Dropped)
	}
	if most := offered * 88 / 100; snapshots < most {
		t.Errorf("%d of %d snapshots arrived", snapshots, offered)
	}
	t.Logf("%d ticks, %d B out, rate %d, loss %.3f, resent %d pieces of %d, spurious %d", ticks, s.BytesOut, s.Rate, s.Loss,
		p.a.e.Channel(bulk).Resent, 1<<20/256, s.Spurious)
	if s.Loss < 0.02 || s.Loss > 0.1 || s.Jitter <= 0 || s.MinRTT < 100*time.Millisecond || s.RTT < s.MinRTT || s.RTT > 200*time.Millisecond ||
		s.Timeout < s.RTT {
		t.Errorf("measured loss %.3f, RTT %v, at least %v, jitter %v, timeout %v", s.Loss, s.RTT, s.MinRTT, s.Jitter, s.Timeout)
	}
	if ticks > 60*30 {
		t.Errorf("%d ticks for 1 MiB", ticks)
	}
}

// TestPriorities offers more than a packet holds on each level: the highest go first and lower ones wait.
func TestPriorities(t *testing.T) {
	c := Config{Channels: []ChannelConfig{
		{Name: "low", Kind: ReliableOrdered, Priority: -5},
		{Name: "high", Kind: ReliableOrdered, Priority: 5},
		{Name: "middle", Kind: Unreliable},
	}}
	e := mustNew(t, c)
	for i := range 4 {
		for number := range 3 {
			must(t, e.Send(number, text(uint64(i), 300)))
		}
	}
	order := []int{}
	r := mustNew(t, c)
	now := time.Unix(0, 0)
	for seq := range uint16(6) {
		b := e.Fill(now, seq, nil, 1150)
		must(t, r.Receive(now, b, func(number int, _ []byte) { order = append(order, number) }))
	}
	want := []int{1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0}
	// Three messages of 300 bytes and some pieces fit a packet; whatever is lower comes behind.
	if len(order) != len(want) {
		t.Fatalf("delivered %v", order)
	}
	for i := range want {
		if order[i] != want[i] {
			t.Fatalf("delivered %v, want %v", order, want)
		}
	}
}

// TestReserve drains the budget with bulk: the next levels still find theirs, each its own.
func TestReserve(t *testing.T) {
	c := Config{Rate: 16 << 10, MinRate: 16 << 10, MaxRate: 16 << 10, Channels: []ChannelConfig{
		{Name: "bulk", Kind: ReliableOrdered, Priority: 0},
		{Name: "event", Kind: ReliableOrdered, Priority: 1, Queue: 1000, QueueBytes: 1 << 20},
		{Name: "state", Kind: UnreliableSequenced, Priority: 2},
	}}
	e := mustNew(t, c)
	now := time.Unix(0, 0)
	var seq uint16
	drain := func() (n int) {
		for {
			b := e.Fill(now, seq, nil, 1150)
			if len(b) == 0 {
				return n
			}
			seq++
			n += len(b)
		}
	}
	must(t, e.Send(0, make([]byte, 60000)))
	bulk := drain()
	for range 100 {
		must(t, e.Send(1, make([]byte, 1000)))
	}
	event := drain()
	if bulk < 2300 || bulk > 2300+1150 || event < 2300 || event > 2300+1150 {
		t.Errorf("bulk took %d, events %d: want one reserve of two packets each", bulk, event)
	}
	if e.Available(now, 0, 1150) != 0 || e.Available(now, 1, 1150) != 0 || e.Available(now, 2, 1150) != 1147 {
		t.Errorf("available %d, %d, %d", e.Available(now, 0, 1150), e.Available(now, 1, 1150), e.Available(now, 2, 1150))
	}
	must(t, e.Send(2, make([]byte, 1000)))
	if state := drain(); state < 1000 {
		t.Errorf("a snapshot behind bulk and events: %d bytes", state)
	}
	// The debt is paid before bulk continues, at the rate.
	now = now.Add(100 * time.Millisecond)
	if n := drain(); n > 1640+1150 {
		t.Errorf("%d bytes after 100 ms at 16 KiB/s", n)
	}
	total := 0
	for range 100 {
		now = now.Add(100 * time.Millisecond)
		total += drain()
	}
	if total > 10*16<<10+1150 {
		t.Errorf("%d bytes in 10 s at 16 KiB/s", total)
	}
}
