package netsys

import (
	"encoding/binary"
	"errors"
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// arrivalAt is one datagram as a receiver saw it.
type arrivalAt struct {
	from netip.AddrPort
	at   time.Time
	n    uint32
}

// stream sends count numbered datagrams, one per interval, from a conditioned node to a plain one (out) or from a plain one to
// a conditioned one (in), and returns those that arrived.
func stream(t *testing.T, cfg ConditionerConfig, count int, interval time.Duration) (got []arrivalAt, sent []time.Time, c *Conditioner) {
	t.Helper()
	network := NewNetwork()
	a, b := network.Node(netip.AddrPort{}), network.Node(netip.AddrPort{})
	c = condition(t, a, cfg)
	collect := func(d Datagram) { got = append(got, arrivalAt{d.From, d.At, binary.LittleEndian.Uint32(d.Data)}) }
	now := epoch
	for i := range count {
		sent = append(sent, now)
		data := binary.LittleEndian.AppendUint32(nil, uint32(i))
		if cfg.Out != (Link{}) {
			must(t, c.Send(now, b.LocalAddr(), data))
		} else {
			must(t, b.Send(now, c.LocalAddr(), data))
		}
		now = now.Add(interval)
		c.Poll(now, collect)
		b.Poll(now, collect)
	}
	now = now.Add(time.Minute)
	c.Poll(now, collect)
	b.Poll(now, collect)
	return got, sent, c
}

func TestDelaysAreExactAndVary(t *testing.T) {
	link := Link{Latency: 100 * time.Millisecond, Jitter: 30 * time.Millisecond}
	for name, cfg := range map[string]ConditionerConfig{"in": {In: link}, "out": {Out: link}} {
		got, sent, _ := stream(t, cfg, 20_000, 10*time.Millisecond)
		if len(got) != len(sent) {
			t.Fatalf("%s: %d of %d arrived", name, len(got), len(sent))
		}
		var sum time.Duration
		overtaken, thirds := 0, [3]int{}
		for i, a := range got {
			delay := a.at.Sub(sent[a.n])
			if delay < 70*time.Millisecond || delay > 130*time.Millisecond {
				t.Fatalf("%s: delay %v", name, delay)
			}
			sum += delay
			thirds[min(2, int((delay-70*time.Millisecond)/(20*time.Millisecond)))]++
			if i > 0 && a.n < got[i-1].n {
				overtaken++
			}
			if i > 0 && a.at.Before(got[i-1].at) {
				t.Fatalf("%s: delivered out of the order of arrival", name)
			}
		}
		if mean := sum / time.Duration(len(got)); (mean - link.Latency).Abs() > time.Millisecond {
			t.Errorf("%s: mean delay %v", name, mean)
		}
		if overtaken == 0 {
			t.Errorf("%s: nothing was reordered", name)
		}
		if slices.Min(thirds[:]) < 6000 {
			t.Errorf("%s: delays are not uniform: %v", name, thirds)
		}
	}
}

func TestLossAndDuplication(t *testing.T) {
	t.Parallel()
	for _, link := range []Link{
		{Loss: 0.05}, {Loss: 0.5}, {Loss: 1}, {Duplicate: 0.2}, {Loss: 0.1, Duplicate: 0.3},
		{Loss: 0.1, Burst: 100 * time.Millisecond}, {Loss: 0.5, Burst: 50 * time.Millisecond}, {Loss: 1, Burst: time.Second},
		{Duplicate: 1, Burst: time.Second},
	} {
		const count = 50_000
		got, _, c := stream(t, ConditionerConfig{Seed: 5, In: link}, count, 10*time.Millisecond)
		want := count * (1 - link.Loss) * (1 + link.Duplicate)
		if off := math.Abs(float64(len(got)) - want); off > count/50 {
			t.Errorf("%+v: %d arrived, want about %v", link, len(got), want)
		}
		in, _ := c.Stats()
		if in.Delivered != uint64(len(got)) || in.Lost+in.Delivered-in.Duplicated != count {
			t.Errorf("%+v: stats %+v", link, in)
		}
	}
}

// Runs of losses are as long as Burst: on a channel that is probed every millisecond, their mean length is Burst.
func TestBurstsHaveTheirLength(t *testing.T) {
	t.Parallel()
	for _, burst := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond} {
		link := Link{Loss: 0.2, Burst: burst}
		const count = 200_000
		got, _, _ := stream(t, ConditionerConfig{Seed: 3, In: link}, count, time.Millisecond)
		next, runs, lost := uint32(0), 0, 0
		for _, a := range got {
			if a.n != next {
				runs++
				lost += int(a.n - next)
			}
			next = a.n + 1
		}
		mean := time.Duration(lost/runs) * time.Millisecond
		if mean < burst*9/10 || mean > burst*11/10+time.Millisecond {
			t.Errorf("mean run of %v, want %v", mean, burst)
		}
	}
}

// Stalls hold the share of the datagrams that Stalled says, for up to Stall, and those of one stall arrive together.
func TestStalls(t *testing.T) {
	t.Parallel()
	for _, link := range []Link{{Stall: 150 * time.Millisecond, Stalled: 0.05}, {Latency: time.Second, Stall: 40 * time.Millisecond, Stalled: 0.5}} {
		const count, every = 200_000, 5 * time.Millisecond
		got, sent, _ := stream(t, ConditionerConfig{Seed: 7, In: link}, count, every)
		late, together, longest := 0, 0, time.Duration(0)
		for i, a := range got {
			wait := a.at.Sub(sent[a.n]) - link.Latency
			if wait > 0 {
				late++
				longest = max(longest, wait)
			}
			if wait > 0 && i > 0 && a.at.Equal(got[i-1].at) {
				together++
			}
			if a.n != uint32(i) {
				t.Fatalf("%+v: datagram %d arrived as number %d", link, a.n, i)
			}
		}
		if share := float64(late) / count; math.Abs(share-link.Stalled) > link.Stalled/10 {
			t.Errorf("%+v: %.3f of the datagrams waited", link, share)
		}
		if longest > link.Stall+1 || longest < link.Stall*9/10 || together < late/2 {
			t.Errorf("%+v: the longest wait is %v; %d of %d arrived together with the one before", link, longest, together, late)
		}
	}
}

// The fate of a peer's datagrams depends only on the seed and on that peer.
func TestLinksAreIndependent(t *testing.T) {
	link := Link{Latency: 50 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.3, Burst: 30 * time.Millisecond, Duplicate: 0.1,
		Stall: 50 * time.Millisecond, Stalled: 0.2}
	run := func(seed uint64, others int) (got []arrivalAt) {
		network := NewNetwork()
		node := network.Node(netip.AddrPort{})
		c := condition(t, node, ConditionerConfig{Seed: seed, In: link, Out: link})
		peer := network.Node(netip.MustParseAddrPort("127.0.0.2:1000"))
		var crowd []*Node
		for range others {
			crowd = append(crowd, network.Node(netip.AddrPort{}))
		}
		now := epoch
		for i := range 2000 {
			for _, o := range crowd {
				_ = o.Send(now, c.LocalAddr(), []byte("other"))
				_ = c.Send(now, o.LocalAddr(), []byte("other"))
			}
			_ = peer.Send(now, c.LocalAddr(), binary.LittleEndian.AppendUint32(nil, uint32(i)))
			c.Poll(now, func(d Datagram) {
				if d.From == peer.LocalAddr() {
					got = append(got, arrivalAt{d.From, d.At, binary.LittleEndian.Uint32(d.Data)})
				}
			})
			now = now.Add(10 * time.Millisecond)
		}
		return got
	}
	alone := run(1, 0)
	if !slices.Equal(alone, run(1, 0)) {
		t.Error("the same seed gave another result")
	}
	if !slices.Equal(alone, run(1, 5)) {
		t.Error("other peers changed this one's fate")
	}
	if slices.Equal(alone, run(2, 0)) {
		t.Error("another seed gave the same result")
	}
}

func TestNextDue(t *testing.T) {
	network := NewNetwork()
	a, b := network.Node(netip.AddrPort{}), network.Node(netip.AddrPort{})
	c := condition(t, a, ConditionerConfig{In: Link{Latency: 30 * time.Millisecond}, Out: Link{Latency: 50 * time.Millisecond}})
	expect := func(want time.Duration) {
		t.Helper()
		due, ok := c.NextDue()
		if want < 0 {
			if ok {
				t.Errorf("something is due at %v", due.Sub(epoch))
			}
		} else if !ok || due.Sub(epoch) != want {
			t.Errorf("due at %v (%v), want %v", due.Sub(epoch), ok, want)
		}
	}
	expect(-1)
	_ = c.Send(epoch, b.LocalAddr(), []byte("out"))
	expect(50 * time.Millisecond)
	_ = b.Send(epoch.Add(time.Millisecond), a.LocalAddr(), []byte("in"))
	expect(time.Millisecond) // it waits in the node
	c.Poll(epoch.Add(2*time.Millisecond), func(Datagram) { t.Error("too early") })
	expect(31 * time.Millisecond)
	n := 0
	c.Poll(epoch.Add(31*time.Millisecond), func(d Datagram) { n++ })
	expect(50 * time.Millisecond)
	c.Flush(epoch.Add(time.Second))
	b.Poll(epoch.Add(time.Second), func(d Datagram) {
		n++
		if d.At != epoch.Add(50*time.Millisecond) {
			t.Errorf("arrived at %v", d.At.Sub(epoch))
		}
	})
	expect(-1)
	if n != 2 {
		t.Errorf("%d arrived", n)
	}
}

func TestConditionerIsBounded(t *testing.T) {
	network := NewNetwork()
	a, b := network.Node(netip.AddrPort{}), network.Node(netip.AddrPort{})
	slow := Link{Latency: time.Minute}
	c := condition(t, a, ConditionerConfig{In: slow, Out: slow, Queue: 10})
	full := 0
	for range 25 {
		if err := c.Send(epoch, b.LocalAddr(), []byte("x")); errors.Is(err, ErrFull) {
			full++
		}
		_ = b.Send(epoch, a.LocalAddr(), []byte("x"))
	}
	c.Poll(epoch, func(Datagram) {})
	in, out := c.Stats()
	if full != 15 || out.Full != 15 || in.Full != 15 {
		t.Errorf("%d refused, in %+v, out %+v", full, in, out)
	}
	for i := range uint32(3 * maxFlows) {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 9, byte(i >> 8), byte(i)}), uint16(1+i>>16))
		c.collect(Datagram{From: from, At: epoch})
	}
	if len(c.in.flows) > maxFlows {
		t.Errorf("%d flows", len(c.in.flows))
	}
}

// Datagrams that were sent before Close still arrive, at the time that the link decides.
func TestConditionerCloseKeepsWhatWasSent(t *testing.T) {
	network := NewNetwork()
	a, b := network.Node(netip.AddrPort{}), network.Node(netip.AddrPort{})
	c := condition(t, a, ConditionerConfig{Out: Link{Latency: 50 * time.Millisecond}})
	_ = c.Send(epoch, b.LocalAddr(), []byte("bye"))
	must(t, c.Close())
	var at []time.Duration
	note := func(d Datagram) { at = append(at, d.At.Sub(epoch)) }
	b.Poll(epoch.Add(49*time.Millisecond), note)
	b.Poll(epoch.Add(51*time.Millisecond), note)
	if !slices.Equal(at, []time.Duration{50 * time.Millisecond}) {
		t.Errorf("arrived at %v", at)
	}
}

func TestLinkRejects(t *testing.T) {
	nan := math.NaN()
	for _, l := range []Link{
		{Latency: -1}, {Latency: 2 * time.Hour}, {Jitter: 1}, {Latency: 5, Jitter: 6}, {Jitter: -1},
		{Loss: -0.1}, {Loss: 1.1}, {Loss: nan}, {Burst: -1}, {Duplicate: -1}, {Duplicate: 2}, {Duplicate: nan},
		{MTU: -1}, {MTU: 67}, {MTU: 1 << 16}, {Stall: -1}, {Stall: 2 * time.Hour}, {Stalled: -0.1}, {Stalled: 1}, {Stalled: nan},
	} {
		if l.Validate() == nil {
			t.Errorf("%+v accepted", l)
		}
		if _, err := Condition(nil, ConditionerConfig{Out: l}); err == nil {
			t.Errorf("Condition accepted %+v", l)
		}
	}
	c := condition(t, NewNetwork().Node(netip.AddrPort{}), ConditionerConfig{})
	if err := c.SetLinks(Link{Latency: time.Second}, Link{Loss: 2}); err == nil {
		t.Error("SetLinks accepted a bad link")
	}
	if in, _ := c.Links(); in != (Link{}) {
		t.Error("SetLinks changed something and failed")
	}
	if (ConditionerConfig{Queue: -1}).Validate() == nil {
		t.Error("negative queue accepted")
	}
}
