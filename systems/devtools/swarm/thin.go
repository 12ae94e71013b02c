package swarm

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// thin is a client that decodes every snapshot but neither predicts nor draws.
type thin struct {
	common
	client *systems.Client
	wire   *waiting
	counts thinCounts
	told   told
	tell   func(id uint32, sum uint64)
}

// thinCounts are the client's counters that were already added to the shard's.
type thinCounts struct{ ticks, snapshots, renewals, malformed uint64 }

// waiting is a transport that holds arrivals until the client's next tick.
type waiting struct {
	netsys.Wire
	inbox *netsys.Inbox
	put   func(netsys.Datagram)
}

// waitingMost is the largest number of waiting arrivals.
const waitingMost = 256

func newWaiting(w netsys.Wire) *waiting {
	x := &waiting{Wire: w, inbox: netsys.NewInbox(waitingMost)}
	x.put = func(d netsys.Datagram) { x.inbox.Put(d.From, d.At, d.Data) }
	return x
}

// Poll implements [netsys.Wire].
func (w *waiting) Poll(now time.Time, deliver func(netsys.Datagram)) { w.inbox.Drain(now, deliver) }

// newThin creates client n.
func newThin(s *shard, n int, on netsys.Wire, config systems.ClientConfig) (*thin, error) {
	t := &thin{common: common{shard: s, number: n}, wire: newWaiting(on)}
	if of := s.config.Input.thin; of != nil {
		config.Gather = of(n)
	}
	config.Schedule = systems.Thin
	c, err := systems.NewClient(t.wire, s.carrier.RemoteAddr(), s.config.Protocol(), config)
	if err != nil {
		return nil, err
	}
	t.client, t.tell = c, t.told.add
	return t, nil
}

// arrived stores the received datagrams for the next tick.
func (t *thin) arrived(now time.Time) { t.wire.Wire.Poll(now, t.wire.put) }

// advance runs the due ticks and returns when the next tick is due.
func (t *thin) advance(now time.Time) time.Time {
	c := t.client
	if hook := t.shard.config.OnTick; hook != nil && !c.Next().After(now) {
		hook(t.number, c)
	}
	ran := c.Advance(now)
	if c.Err() != nil {
		t.fail(c.Err())
		return never
	}
	if c.Connected() && t.state == connecting {
		t.connected()
	}
	if ran > 0 && t.state == playing {
		t.verify()
		t.count()
	}
	return c.Next()
}

// verify compares this client's newest decoded entities with those of other clients.
func (t *thin) verify() {
	w := &t.told
	last := w.send
	w.ids, w.sums = w.ids[:0], w.sums[:0]
	if w.send = systems.NewestEntities(t.client, t.tell); w.send == last {
		return
	}
	compared, different := t.shard.config.witness(t.number).compare(w)
	t.shard.figures.Compared += compared
	t.shard.figures.Different += different
}

// count adds this client's counts since the last call.
func (t *thin) count() {
	st, f, before := t.client.Stats(), &t.shard.figures, &t.counts
	f.Inputs += st.Ticks - before.ticks
	f.Decoded += st.Snapshots - before.snapshots
	f.Renewals += st.Renewals - before.renewals
	f.Malformed += st.MalformedMessages - before.malformed
	*before = thinCounts{st.Ticks, st.Snapshots, st.Renewals, st.MalformedMessages}
}

// stats returns the figures of the session.
func (t *thin) stats() (netsys.Stats, bool) {
	if t.state != playing {
		return netsys.Stats{}, false
	}
	return t.client.Stats().Session, true
}

// close ends the session cleanly.
func (t *thin) close(now time.Time) { _ = t.client.Close(now) }
