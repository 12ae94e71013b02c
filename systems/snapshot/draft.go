package snapshot

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
)

// draft is the snapshot of one client under construction. Each worker has a draft, in which it builds the snapshots of its clients
// one after the other. Each stage reads the results of the earlier stages and stores its own result in a field.
type draft struct {
	sys *System
	w   *ecs.World
	f   *frames.Frame // stage 1: the captured world, the same for all clients
	c   *Client

	// Stage 2: the views. The result is in the view.
	views viewScratch

	// Stage 3 and 4: first owner state and then the view as blocks. These are those being packed:
	v        *view
	h        *held
	own      bool // v is the private view
	gathered gathering
	part     part
	owner    ownerScratch

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
func (d *draft) startSend(w *ecs.World, f *frames.Frame) {
	d.w, d.f = w, f
	d.encoder.arena = d.encoder.arena[:0]
}

// begin builds the header and captures the owner state for the snapshot of one client. This part of the work reads the world.
func (d *draft) begin(c *Client) {
	d.start(c)
	d.sys.pace(c)
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
	c.recent.add(d.f.Send)
	c.updateFloor(d.f.Send, d.sys.maxAge())
	h := d.startDatagrams()
	d.fitOwner()
	d.fitView()
	d.writeDatagrams(&h)
	c.pace.cut = c.over || !d.ownWhole || c.starved
}

// selectView selects the view to be packed, the private one or that of the client.
func (d *draft) selectView(own bool) {
	d.v, d.h, d.own = d.c.view, &d.c.held, own
	if own {
		d.v, d.h = &d.c.private.view, &d.c.private.held
	}
}

// fitView packs the view of the client: all of it, or pieces of the state with which the client joins, or what matters most.
func (d *draft) fitView() {
	c := d.c
	d.selectView(false)
	switch {
	case c.join.state == joinStream:
		d.fitStream()
	case d.fitWhole():
		c.over = false
	case c.join.state == joinNow:
		d.sys.shared.joins.start(d)
		d.fitStream()
	default:
		if c.over = !d.fitPart(); c.over {
			d.noteOver()
		}
		c.starved = d.part.starved
	}
}

// start prepares the draft for a client, which may have asked for a new epoch, or may hold nothing that is still kept.
func (d *draft) start(c *Client) {
	d.c = c
	d.selectView(false)
	if c.join.at == 0 {
		c.join.at = d.f.Send
	}
	if c.startEpoch() || c.held.lost || c.join.state == joinNone && c.held.part == 0 && !c.held.wholeServes(d.f.Send, c.floor, d.oldestAge()) {
		d.rejoin(c)
		c.join.at = d.f.Send
	}
}

// rejoin lets a client join again.
func (d *draft) rejoin(c *Client) {
	d.sys.shared.joins.release(d.sys, c)
	c.held.releaseJoined(d.sys)
	c.held.forget()
	c.join.state = joinNow
}
