package snapshot

import (
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

	// Stage 2: the views. The result is in the view.
	views viewScratch

	// Owner state.
	owner ownerScratch
	own   source

	// Stage 3 and 4: the view as blocks.
	gathered gathering
	part     part
	ranking  ranking // of owner state

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
		d.views.room = s.config.Interest.Room()
	}
	d.encoder.prepare(s)
	return d
}

// startSend prepares the draft for the clients of a send tick.
func (d *draft) startSend(w *ecs.World, f *capture.Frame) {
	d.w, d.f = w, f
	d.encoder.arena = d.encoder.arena[:0]
}

// begin builds the first part of the snapshot of one client, which reads the world: the owner state and the header.
func (d *draft) begin(c *Client) {
	d.start(c)
	c.head = d.sys.ackHeader(c, d.f)
	d.captureOwner()
	c.started = d.f.Send
}

// end builds the snapshot of one client and queues its datagrams.
func (d *draft) end(c *Client) {
	d.c = c
	d.encoder.once = d.encoder.once[:0]
	if !c.recorder {
		d.stats.Updates++
		d.stats.Delay += uint64(d.sys.config.Clock.Tick() - d.f.Tick)
	}
	streams := d.f.Send
	if c.join.stream != nil {
		streams = c.join.stream.kept.send
	}
	c.baselines.UpdateFloor(d.f.Send, c.held.oldestNeeded(d.f.Send), streams)
	h := d.startDatagrams()
	d.diffOwner()
	d.fitOwner()
	d.fitView()
	d.writeDatagrams(&h)
}

// fitView packs the view of the client: all of it, or pieces of the state with which the client joins, or what matters most.
func (d *draft) fitView() {
	c := d.c
	switch {
	case c.join.state == joinStream:
		d.fitStream()
	case d.fitWhole():
	case c.join.state == joinNow:
		d.sys.shared.joins.start(d)
		d.fitStream()
	default:
		d.fitPart()
	}
}

// start prepares the draft for a client, which may have asked for a new epoch, or may hold nothing that is still kept.
func (d *draft) start(c *Client) {
	d.c = c
	if c.join.at == 0 {
		c.join.at = d.f.Send
	}
	if c.baselines.StartEpoch() || c.lost || c.join.state == joinNone && !c.held.anyBaseline(d.f.Send, c.baselines.Floor(), d.oldestAge()) {
		d.rejoin(c)
		c.join.at = d.f.Send
	}
}

// rejoin lets a client join again.
func (d *draft) rejoin(c *Client) {
	d.sys.shared.joins.release(d.sys, c)
	c.held.releaseJoined(d.sys)
	c.held.forget()
	c.join.state, c.lost = joinNow, false
}
