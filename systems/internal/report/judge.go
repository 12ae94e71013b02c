package report

import (
	"math/bits"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stats counts results.
type Stats struct {
	Agreed      uint64 // results that agreed with the server's state after the same input
	Differed    uint64 // results that differed, except while a correction is on its way
	Asked       uint64 // requests for owner state
	Corrections uint64 // corrections that were opened
	OpenTicks   uint64 // sum over clients of ticks with an open correction
}

// Judge compares the results of clients with the server's world. A nil Judge belongs to a server whose clients
// report nothing.
type Judge struct {
	coder   *Coder
	world   *ecs.World
	secrets uint64
	clients map[uint32]*Client
	stats   Stats
}

// NewJudge returns the judge of a server's world.
func NewJudge(w *ecs.World) *Judge {
	c := NewCoder(w.Protocol())
	return &Judge{coder: c, world: w, secrets: wire.Private(w.Protocol()) &^ c.predicted, clients: make(map[uint32]*Client)}
}

// Stats returns the counters.
func (j *Judge) Stats() (st Stats) {
	if j != nil {
		st = j.stats
	}
	return st
}

// Join adds a client and opens a correction, because a joining client has no state.
func (j *Judge) Join(id uint32) *Client {
	if j == nil {
		return nil
	}
	c := &Client{open: true, secrets: j.secrets}
	j.clients[id] = c
	return c
}

// Leave removes a client.
func (j *Judge) Leave(id uint32) {
	if j != nil {
		delete(j.clients, id)
	}
}

// List updates the lists of all clients' own entities. Call it once per tick before [Judge.Compare].
func (j *Judge) List() {
	if j == nil {
		return
	}
	for _, c := range j.clients {
		c.own = c.own[:0]
	}
	var last *Client // rows of one owner are usually adjacent
	var whose uint32
	for t := range j.world.Netcode().Tables {
		owners := ownersOf(j.coder.comps[0], &t)
		mask := t.Mask & j.coder.predicted
		if owners == nil || mask == 0 {
			continue
		}
		for i, o := range owners {
			if o.Client == 0 {
				continue
			}
			if o.Client != whose {
				whose, last = o.Client, j.clients[o.Client]
			}
			if last != nil {
				last.own = append(last.own, entity{t.NetIDs[i], t.Entities[i], j.coder.reported(&t, i, mask)})
			}
		}
	}
	for _, c := range j.clients {
		j.coder.sort(c.own)
	}
}

// Compare judges, at the end of a tick, the result of a client's last consumed input. running reports that an input
// was consumed. If the client's entities took no step, the same result is compared again, because other entities
// may have moved them.
func (j *Judge) Compare(c *Client, input uint32, running bool) {
	if c == nil {
		return
	}
	if c.open {
		j.stats.OpenTicks++
	}
	r := &c.results[input%Kept]
	if c.agreed = 0; !running || r.input != input {
		return
	}
	c.judge(r, !r.asks && j.coder.agrees(j.world, c.own, r.bytes), &j.stats)
}

// Owned is an entity in owner state: the bits of its components there, and their record.
type Owned struct {
	ID     uint32
	Mask   uint64
	Record []int32
}

// Tells reports whether owner state of a send must be sent: while a correction is open, and until the client holds its secrets. If
// tells is false, owner state must still be sent to a client that does not hold that of since or of a later send.
func (j *Judge) Tells(c *Client, send uint32, own []Owned) (tells bool, since uint32) {
	if c == nil {
		return true, 0
	}
	parts, values := j.secretHash(own)
	if values != c.secret {
		c.secret, c.since = values, send
	}
	if c.open {
		c.parts = parts
		return true, 0
	}
	if parts != c.parts {
		c.openCorrection(&j.stats) // a removed component can only be sent with the remaining ones
	}
	return false, c.since
}

// secretHash returns a hash of which entities have secrets, and one of these with their values.
func (j *Judge) secretHash(own []Owned) (parts, values hash) {
	for _, x := range own {
		mask := x.Mask & j.secrets
		if mask == 0 {
			continue
		}
		parts.addEntity(&entity{id: components.NetID(x.ID), mask: mask})
		for set := x.Mask; set != 0; set &= set - 1 {
			comp := j.coder.comps[bits.TrailingZeros64(set)]
			if comp.Words == 0 {
				continue
			}
			n := (comp.Schema.RawSize() + 3) / 4
			if mask&(set&-set) != 0 {
				for _, v := range x.Record[:n] {
					values.add(uint32(v))
				}
			}
			x.Record = x.Record[n:]
		}
	}
	values.add(uint32(parts))
	values.add(uint32(parts >> 32))
	return parts, values
}
