package report

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stats counts what became of results.
type Stats struct {
	Agreed      uint64 // with what the server had after the same input
	Differed    uint64 // those aside of who has a correction coming
	Asked       uint64 // requests for own state
	Corrections uint64 // opened
	OpenTicks   uint64 // sum over clients of ticks with an open correction
}

// Judge compares what clients report with the server's world. A nil one stands for a server whose
// clients report nothing.
type Judge struct {
	coder   *Coder
	world   *ecs.World
	secrets uint64
	clients map[uint32]*Client
	stats   Stats
}

// NewJudge makes the judge of a server's world.
func NewJudge(w *ecs.World) *Judge {
	c := NewCoder(w.Protocol())
	return &Judge{coder: c, world: w, secrets: wire.Private(w.Protocol()) &^ c.predicted, clients: make(map[uint32]*Client)}
}

// Stats are the counters.
func (j *Judge) Stats() (st Stats) {
	if j != nil {
		st = j.stats
	}
	return st
}

// Join begins with a client, and with a correction: who joins knows nothing yet.
func (j *Judge) Join(id uint32) *Client {
	if j == nil {
		return nil
	}
	c := &Client{open: true, secrets: j.secrets}
	j.clients[id] = c
	return c
}

// Leave ends with a client.
func (j *Judge) Leave(id uint32) {
	if j != nil {
		delete(j.clients, id)
	}
}

// List brings the lists of all clients' own entities up to date. It precedes
// [Judge.Compare], once a tick.
func (j *Judge) List() {
	if j == nil {
		return
	}
	for _, c := range j.clients {
		c.own = c.own[:0]
	}
	var last *Client // rows of one owner mostly stand together
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

// Compare judges, at the end of a tick, what a client reported of the input that
// was consumed last; running says that any was. Where a client's entities took
// no step the same result is looked at again: something else may have moved them.
func (j *Judge) Compare(c *Client, input uint32, running bool) {
	if c == nil {
		return
	}
	if c.open {
		j.stats.OpenTicks++
	}
	r := &c.results[input%kept]
	if c.agreed = 0; !running || r.input != input {
		return
	}
	c.judge(r, !r.asks && j.coder.agrees(j.world, c.own, r.bytes), &j.stats)
}

// Tells reports whether own state, in groups as of a send, has to travel with it: while a
// correction is open, and until the client holds the secrets in it. Where it need not on
// account of the first, it has to in every group of which the client does not hold a send
// from since on.
func (j *Judge) Tells(c *Client, send uint32, groups []delta.Group) (tells bool, since uint32) {
	if c == nil {
		return true, 0
	}
	parts, values := j.secretHash(groups)
	if values != c.secret {
		c.secret, c.since = values, send
	}
	if c.open {
		c.parts = parts
		return true, 0
	}
	if parts != c.parts {
		c.begin(&j.stats) // because what is gone can only be told with what is left
	}
	return false, c.since
}

// secretHash is over which entities have secrets, and over these with their values.
func (j *Judge) secretHash(groups []delta.Group) (parts, values hash) {
	for g := range groups {
		group := &groups[g]
		for m := group.Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			mask := group.Masks[k] & j.secrets
			if mask == 0 {
				continue
			}
			parts.entity(&entity{id: components.NetID(group.IDs[k]), mask: mask})
			rec := group.Record(k)
			for set := group.Masks[k]; set != 0; set &= set - 1 {
				comp := j.coder.comps[bits.TrailingZeros64(set)]
				if comp.Words == 0 {
					continue
				}
				n := (comp.Schema.RawSize() + 3) / 4
				if mask&(set&-set) != 0 {
					for _, v := range rec[:n] {
						values.add(uint32(v))
					}
				}
				rec = rec[n:]
			}
		}
	}
	values.add(uint32(parts))
	values.add(uint32(parts >> 32))
	return parts, values
}
