package explain

import (
	"slices"

	"github.com/tactusgo/tactus/components"
)

// What is remembered of decisions, of whom somebody asks about: so many clients and entities, so many sends of each, and for so long
// after the last question.
const (
	mostWatched = 8
	// Sends is how many sends of each are remembered.
	Sends = 256
	// Seconds is for how long after the last question.
	Seconds = 15
)

// Watches are the clients and entities that somebody asks about, whom nobody has asked about for longest first. The zero value is nobody.
type Watches []Watch

// Watch is a client and an entity that somebody asks about, and what was decided.
type Watch struct {
	Client uint32
	Entity components.NetID

	until uint32     // send
	kept  []Decision // by send
}

// Lapse ends what nobody has asked about for a while.
func (l *Watches) Lapse(send uint32) {
	if len(*l) > 0 {
		*l = slices.DeleteFunc(*l, func(x Watch) bool { return send > x.until })
	}
}

// Leave ends what is asked about a client that leaves.
func (l *Watches) Leave(client uint32) {
	*l = slices.DeleteFunc(*l, func(x Watch) bool { return x.Client == client })
}

// Of is what is remembered of a client and an entity, from now on until a send. It is good until the next call.
func (l *Watches) Of(client uint32, id components.NetID, until uint32) *Watch {
	x := Watch{Client: client, Entity: id}
	if i := slices.IndexFunc(*l, func(x Watch) bool { return x.Client == client && x.Entity == id }); i >= 0 {
		x = (*l)[i]
		*l = slices.Delete(*l, i, i+1)
	} else if x.kept = make([]Decision, Sends); len(*l) == mostWatched {
		*l = slices.Delete(*l, 0, 1) // what was asked about longest ago
	}
	x.until = until
	*l = append(*l, x)
	return &(*l)[len(*l)-1]
}

// At is what was decided at a send, nil where that is not remembered.
func (x *Watch) At(send uint32) *Decision {
	if d := x.Place(send); send > 0 && d.Send == send {
		return d
	}
	return nil
}

// Place is where to write what is decided at a send.
func (x *Watch) Place(send uint32) *Decision { return &x.kept[send%Sends] }
