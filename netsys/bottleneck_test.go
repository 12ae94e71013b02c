package netsys

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// narrow is two nodes of a network, the first behind a conditioner.
type narrow struct {
	t     *testing.T
	near  *Conditioner
	far   *Node
	sends func(now time.Time, b []byte)
	got   []arrivalAt
}

// newNarrow returns a wire with the link for outgoing or incoming datagrams of the near end.
func newNarrow(t *testing.T, link Link, incoming bool) *narrow {
	t.Helper()
	network := NewNetwork()
	node, far := network.Node(netip.AddrPort{}), network.Node(netip.AddrPort{})
	cfg, to := ConditionerConfig{Seed: 1, Out: link}, far.LocalAddr()
	if incoming {
		cfg, to = ConditionerConfig{Seed: 1, In: link}, node.LocalAddr()
	}
	n := &narrow{t: t, near: condition(t, node, cfg), far: far}
	from := Wire(n.near)
	if incoming {
		from = far
	}
	n.sends = func(now time.Time, b []byte) { must(t, from.Send(now, to, b)) }
	return n
}

// send sends numbered datagrams that take size bytes of the bandwidth each, at a time after epoch.
func (n *narrow) send(after time.Duration, size int, numbers ...uint32) {
	n.t.Helper()
	for _, number := range numbers {
		b := make([]byte, size-headerBytes)
		binary.LittleEndian.PutUint32(b, number)
		n.sends(epoch.Add(after), b)
	}
	n.poll(after)
}

func (n *narrow) poll(after time.Duration) {
	collect := func(d Datagram) {
		n.got = append(n.got, arrivalAt{d.From, d.At, binary.LittleEndian.Uint32(d.Data)})
	}
	n.near.Poll(epoch.Add(after), collect)
	n.far.Poll(epoch.Add(after), collect)
}

// expect compares all arrivals up to an hour later: number i at the i-th time, in milliseconds after epoch.
func (n *narrow) expect(numbers []uint32, ms ...float64) {
	n.t.Helper()
	n.poll(time.Hour)
	var gotNumbers []uint32
	var gotMS []float64
	for _, a := range n.got {
		gotNumbers = append(gotNumbers, a.n)
		gotMS = append(gotMS, float64(a.at.Sub(epoch))/1e6)
	}
	if !slices.Equal(gotNumbers, numbers) || !slices.Equal(gotMS, ms) {
		n.t.Errorf("arrived %v at %v ms, want %v at %v", gotNumbers, gotMS, numbers, ms)
	}
}

// Datagrams of 100 bytes with their headers pass 10,000 bytes a second in 10 ms each, one after the other, and
// then take the latency; after a pause nothing waits.
func TestBandwidthGivesExactTimes(t *testing.T) {
	for _, incoming := range []bool{false, true} {
		n := newNarrow(t, Link{Latency: 40 * time.Millisecond, Bandwidth: 10_000}, incoming)
		n.send(0, 100, 0, 1, 2)
		n.send(25*time.Millisecond, 50, 3)
		n.send(100*time.Millisecond, 1000, 4)
		n.send(100*time.Millisecond, 40, 5)
		n.expect([]uint32{0, 1, 2, 3, 4, 5}, 50, 60, 70, 75, 240, 244)
	}
}

// A datagram that would wait longer than Queue is lost and leaves no trace, the others are on time.
func TestBandwidthDropsAtTheTail(t *testing.T) {
	for _, incoming := range []bool{false, true} {
		n := newNarrow(t, Link{Bandwidth: 10_000, Queue: 20 * time.Millisecond}, incoming)
		n.send(0, 100, 0, 1, 2, 3, 4) // 2 waits for 20 ms, 3 and 4 would for 30
		n.send(5*time.Millisecond, 100, 5)
		n.send(10*time.Millisecond, 100, 6)
		n.expect([]uint32{0, 1, 2, 6}, 10, 20, 30, 40)
		in, out := n.near.Stats()
		want := LinkStats{Delivered: 4, Overflowed: 3}
		if incoming && (in != want || out != LinkStats{}) || !incoming && (out != want || in != LinkStats{}) {
			t.Errorf("in %+v, out %+v", in, out)
		}
	}
}

// A datagram that is larger than the MTU crosses the link in fragments. One lost fragment loses it, unless a burst loses all, and each
// fragment after the first takes 20 bytes of the bandwidth.
func TestLargeDatagramsCrossInFragments(t *testing.T) {
	for _, x := range []struct {
		size  int
		burst time.Duration
		loss  float64
	}{{576, 0, 0.1}, {577, 0, 0.19}, {1228, 0, 0.271}, {1228, 50 * time.Millisecond, 0.1}} {
		n := newNarrow(t, Link{MTU: 576, Loss: 0.1, Burst: x.burst}, true)
		const count = 20_000
		for i := range uint32(count) {
			n.send(time.Duration(i)*10*time.Millisecond, x.size, i)
		}
		n.poll(time.Hour)
		if lost := 1 - float64(len(n.got))/count; lost < x.loss-0.015 || lost > x.loss+0.015 {
			t.Errorf("of packets of %d bytes, with bursts of %v, %.3f were lost, want %v", x.size, x.burst, lost, x.loss)
		}
	}
	n := newNarrow(t, Link{MTU: 576, Bandwidth: 100_000}, false)
	n.send(0, 576, 0)
	n.send(100*time.Millisecond, 577, 1)
	n.send(200*time.Millisecond, 1228, 2)
	n.expect([]uint32{0, 1, 2}, 5.76, 105.97, 212.68)
}

func TestBandwidthQueueDefaults(t *testing.T) {
	n := newNarrow(t, Link{Bandwidth: 10_000}, false)
	for i := range uint32(40) {
		n.send(0, 100, i)
	}
	n.poll(time.Hour)
	if last := n.got[len(n.got)-1]; len(n.got) != 21 || last.at != epoch.Add(210*time.Millisecond) {
		t.Errorf("%d arrived, the last at %v; want 21, the last after a wait of 200 ms", len(n.got), last.at.Sub(epoch))
	}
}

// New links apply to later datagrams. Delayed datagrams keep their arrival times, and datagrams that follow them over a wider
// link still wait for them.
func TestBandwidthChangesWhileRunning(t *testing.T) {
	n := newNarrow(t, Link{Bandwidth: 10_000}, false)
	set := func(bandwidth int) {
		t.Helper()
		must(t, n.near.SetLinks(Link{}, Link{Bandwidth: bandwidth}))
	}
	n.send(0, 100, 0, 1)
	set(100_000)
	n.send(0, 100, 2, 3)
	set(1000)
	n.send(22*time.Millisecond, 100, 4)
	set(0)
	n.send(30*time.Millisecond, 100, 5)
	set(10_000)
	n.send(122*time.Millisecond, 100, 6)
	n.expect([]uint32{0, 1, 2, 3, 5, 4, 6}, 10, 20, 21, 22, 30, 122, 132)
}

// Every peer has a bottleneck of its own, and so has each direction.
func TestBandwidthIsOfOneFlow(t *testing.T) {
	network := NewNetwork()
	node := network.Node(netip.AddrPort{})
	link := Link{Bandwidth: 10_000}
	c := condition(t, node, ConditionerConfig{In: link, Out: link})
	b := make([]byte, 100-headerBytes)
	var peers []*Node
	for range 3 {
		p := network.Node(netip.AddrPort{})
		peers = append(peers, p)
		for range 2 {
			_ = c.Send(epoch, p.LocalAddr(), b)
			_ = p.Send(epoch, c.LocalAddr(), b)
		}
	}
	var at []int64
	note := func(d Datagram) { at = append(at, d.At.Sub(epoch).Milliseconds()) }
	c.Poll(epoch, note)
	c.Poll(epoch.Add(time.Second), note)
	for _, p := range peers {
		p.Poll(epoch.Add(time.Second), note)
	}
	if want := []int64{10, 10, 10, 20, 20, 20, 10, 20, 10, 20, 10, 20}; !slices.Equal(at, want) {
		t.Errorf("arrived at %v ms, want %v", at, want)
	}
}

// A bandwidth delays datagrams. It changes none of the losses, jitter and duplicates that the seed decides.
func TestBandwidthLeavesFatesAlone(t *testing.T) {
	link := Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.2, Duplicate: 0.1}
	limited := link
	limited.Bandwidth = 64_000 // 32 bytes pass in 500 µs, and nothing ever waits
	free, _, _ := stream(t, ConditionerConfig{Seed: 9, Out: link}, 5000, 10*time.Millisecond)
	slow, _, _ := stream(t, ConditionerConfig{Seed: 9, Out: limited}, 5000, 10*time.Millisecond)
	for i := range slow {
		slow[i].at = slow[i].at.Add(-500 * time.Microsecond)
	}
	if !slices.Equal(free, slow) {
		t.Error("a bandwidth without a queue did more than shift arrivals")
	}
}

// On a socket, arrivals are at least as far apart as the bandwidth demands.
func TestBandwidthOnASocket(t *testing.T) {
	receiver, sender := listenLoopback(t), listenLoopback(t)
	const size = 200
	c := condition(t, receiver, ConditionerConfig{In: Link{Bandwidth: 100_000}})
	for range 40 { // the network may lose some
		must(t, sender.Send(time.Now(), receiver.LocalAddr(), make([]byte, size-headerBytes)))
	}
	var at []time.Time
	note := func(d Datagram) { at = append(at, d.At) }
	for deadline := time.Now().Add(10 * time.Second); len(at) < 20 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		c.Poll(time.Now(), note)
	}
	if len(at) < 20 {
		t.Fatalf("%d of 40 arrived, want 20", len(at))
	}
	for i := 1; i < len(at); i++ {
		if gap := at[i].Sub(at[i-1]); gap < 2*time.Millisecond {
			t.Errorf("arrivals %d and %d are %v apart, 2 ms at least", i-1, i, gap)
		}
	}
}

func TestBandwidthRejects(t *testing.T) {
	for _, l := range []Link{{Bandwidth: -1}, {Queue: -1}, {Queue: 2 * time.Hour}} {
		if l.Validate() == nil {
			t.Errorf("%+v accepted", l)
		}
	}
}
