package snapshot

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/report"
)

// Peer is what a snapshot says of a client that other rooms know.
type Peer interface {
	// Ack is what became of its inputs: the last one consumed, how many wait, and the shift
	// of its clock that is asked for.
	Ack() (input uint32, depth uint8, shift int16)
	// Report is what its reports came to; nil: own state always travels.
	Report() *report.Client
	// Own is where a component of an entity of its is, as its own state tells it.
	Own(e ecs.Entity, c *ecs.Component) unsafe.Pointer
	// Allowance is how many bytes its path takes now.
	Allowance(now time.Time) int
	// RoundTrip is how long the way there and back takes at most, 0 while that is not known.
	RoundTrip() time.Duration
}

// Client is what is told to one client.
type Client struct {
	id        uint32
	peer      Peer
	model     *delta.Model // of the world's blocks
	control   control
	packets   []Packet
	send      uint32 // whose they are
	logged    bool   // that its budget does not hold everything
	baselines *baseline.Client
	contest   clientContest
	join      clientJoin
	own       ownState
}

func newClient(id uint32, p Peer, model *delta.Model, budget int) *Client {
	c := &Client{id: id, peer: p, model: model, baselines: baseline.New()}
	c.contest.budget = budget
	return c
}

// Packet is a packet that waits to be sent.
type Packet struct {
	Bytes []byte
	Holds []baseline.Block // what it tells of
}

// Packets are what waits to be sent to the client.
func (c *Client) Packets() []Packet { return c.packets }

// Sent notes that a packet went out under a session sequence.
func (c *Client) Sent(seq uint16, p *Packet) { c.baselines.Sent(seq, c.send, p.Holds) }

// Clear takes away what was sent, or could not be.
func (c *Client) Clear() { c.packets = c.packets[:0] }

// Ask notes the epoch that the client asks for.
func (c *Client) Ask(epoch uint8) { c.baselines.Ask(epoch) }

// Baselines is what the client has acknowledged.
func (c *Client) Baselines() *baseline.Client { return c.baselines }

// Budget bounds the client's snapshots in bytes, and over says that the newest did not hold
// all there was to tell.
func (c *Client) Budget() (bytes int, over bool) { return c.contest.budget, c.contest.over }

// Joining reports whether the client has yet to acknowledge the state it joins with.
func (c *Client) Joining() bool { return c.join.state != joinNone }

// OwnState returns the client's own entities at full precision as of a send, nil where that
// is no longer kept.
func (c *Client) OwnState(send uint32) []delta.Group { return c.own.at(send) }

// allowed is how many bytes a snapshot may have now: what the path takes in the estimate of
// the session, within the budget. An entity that needs more waits until that has grown.
func (c *Client) allowed(now time.Time) int {
	return min(c.contest.budget, max(c.peer.Allowance(now), MinBudget))
}
