package explain

import (
	"slices"

	"github.com/tactusgo/tactus/components"
)

// Limits of the stored decisions: pairs of client and entity, sends for each pair, and seconds after the last query.
const (
	mostWatched = 8
	// Sends is the number of sends that are stored for each pair.
	Sends = 256
	// Seconds is how long decisions are recorded after the last query.
	Seconds = 15
)

// Watches is the list of watched clients and entities, the least recently queried first. The zero value is an empty
// list.
type Watches []Watch

// Watch stores the decisions about one client and one entity.
type Watch struct {
	Client uint32
	Entity components.NetID

	until uint32     // last send that is recorded
	kept  []Decision // ring, by send
}

// Lapse removes expired watches.
func (l *Watches) Lapse(send uint32) {
	if len(*l) > 0 {
		*l = slices.DeleteFunc(*l, func(x Watch) bool { return send > x.until })
	}
}

// Leave removes the watches of a client that leaves.
func (l *Watches) Leave(client uint32) {
	*l = slices.DeleteFunc(*l, func(x Watch) bool { return x.Client == client })
}

// Of returns the watch of a client and an entity, adds it if necessary, and extends it to the send until. If the list
// is full, the least recently queried watch is removed. The pointer is valid until the next call.
func (l *Watches) Of(client uint32, id components.NetID, until uint32) *Watch {
	x := Watch{Client: client, Entity: id}
	if i := slices.IndexFunc(*l, func(x Watch) bool { return x.Client == client && x.Entity == id }); i >= 0 {
		x = (*l)[i]
		*l = slices.Delete(*l, i, i+1)
	} else if x.kept = make([]Decision, Sends); len(*l) == mostWatched {
		*l = slices.Delete(*l, 0, 1) // the least recently queried
	}
	x.until = until
	*l = append(*l, x)
	return &(*l)[len(*l)-1]
}

// At returns the decision at a send, nil if it is not stored.
func (x *Watch) At(send uint32) *Decision {
	if d := x.Place(send); send > 0 && d.Send == send {
		return d
	}
	return nil
}

// Place returns the slot in which to write the decision at a send.
func (x *Watch) Place(send uint32) *Decision { return &x.kept[send%Sends] }
