package snapshot

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
)

// draft is the snapshot of one client under construction. Each worker has a draft, in which it builds the snapshots of its clients
// one after the other. Each stage reads the results of the earlier stages and stores its own result in a field.
type draft struct {
	sys *System
	w   *ecs.World
	f   *capture.Frame // stage 1: the captured world, the same for all clients
	c   *Client

	// Stage 2: visible entities. The result is in the client: its set or, if nothing can be hidden, the left-out slots in its
	// baselines.
	withheld withheld
	sets     setPacking

	// Stage 3: the difference to the client's baselines.
	owner  ownerScratch
	own    source // owner state
	hidden []hiddenBlock
	world  source

	// Stage 4: the order of the parts of the difference.
	ranking ranking

	// Stage 5: blocks and datagrams.
	encoder  encoder
	pack     packing
	ownWhole bool // the snapshot has all owner state
	starved  bool // owner state left no room for anything else in the previous snapshot

	stats Stats // not merged yet
	notes notes // not merged yet
}

func newDraft(s *System) *draft {
	d := &draft{sys: s}
	if s.config.Interest != nil {
		d.sets.room = s.config.Interest.Room()
	}
	d.encoder.prepare(s)
	return d
}

// startSend prepares the draft for the clients of a send tick.
func (d *draft) startSend(w *ecs.World, f *capture.Frame) {
	d.w, d.f = w, f
	d.encoder.send, d.encoder.arena = f.Send, d.encoder.arena[:0]
}

// begin builds the first part of the snapshot of one client, which reads the world: the visible entities, the owner state and the
// header.
func (d *draft) begin(c *Client) {
	d.start(c)
	d.updateInterest()
	c.head = d.sys.ackHeader(c, d.f)
	d.captureOwner()
	c.started = d.f.Send
}

// end builds the snapshot of one client and queues its datagrams. Each stage runs once. Stage 4 (rankOwner, rankWorld)
// runs only if not everything fits.
func (d *draft) end(c *Client) {
	d.c, d.withheld.known = c, false
	d.encoder.once = d.encoder.once[:0]
	if !c.recorder {
		d.stats.Updates++
		d.stats.Delay += uint64(d.sys.config.Clock.Tick() - d.f.Tick)
	}
	c.baselines.UpdateFloor(d.f.Send, min(c.join.oldestNeeded(d.f.Send), c.set.oldestNeeded(d.f.Send)))
	h := d.startDatagrams()

	d.diffOwner()
	if c.limited {
		d.fitOwner()
		d.fitSet()
	} else {
		d.diffHidden()
		d.diffWorld()
		d.fitOwner()
		d.fitHidden()
		d.fitWorld()
	}
	d.writeDatagrams(&h)
}

// start prepares the draft for a client, which may have asked for a new epoch.
func (d *draft) start(c *Client) {
	d.c = c
	if c.join.at == 0 {
		c.join.at = d.f.Send
	}
	if c.baselines.StartEpoch() {
		d.sys.shared.joins.release(c)
		c.set.forget()
		c.join.state, c.join.at = joinNow, d.f.Send
	}
}

// placeholders are groups in which the client sees nothing.
var placeholders = func() (p struct{ unseen, empty [1]delta.Group }) {
	for k := range delta.GroupSize {
		p.unseen[0].Clear(k, true)
		p.empty[0].Clear(k, false)
	}
	return p
}()
