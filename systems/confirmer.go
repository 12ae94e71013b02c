package systems

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/report"
)

// confirmer says what the server has told of this client's predictions. One compares the
// state of own entities that comes with snapshots: [compared]; one hears whether the results
// that the client reports are right, and gets state where they are not: [reported].
type confirmer interface {
	// told takes in what a snapshot of a tick says in its header.
	told(tick uint32, input uint16, agreed bool)
	// next is what Reconcile has to look at, now that inputs up to one are applied. It is
	// told of each piece of news once.
	next(applied uint32) verdict
	// took hears that own state was taken in: it was the prediction, or is the world now.
	took(own mirror.OwnState)
}

// verdict is what the server says of what this client predicted.
type verdict struct {
	input  uint32          // newest that the server is known to have consumed
	agreed bool            // without own state: the results after it are right
	own    mirror.OwnState // to compare with, or to take over
	fresh  bool            // there is own state to look at
	exact  bool            // it has to be the prediction bit by bit, not within tolerance
}

// compared is the confirmer where own state comes all the time.
type compared struct {
	from *mirror.OwnState // the newest that came

	// Where inputs number ticks the server waits for nobody: over a short way it may tell of a
	// tick that is due here, too, but in this frame, and the prediction has come to the one
	// before. So that state waits for its tick, also where newer ones come every frame.
	waits   bool
	kept    func(send uint32) bool // whether own state of a send is at hand
	reached mirror.OwnState        // newest of a tick that was predicted here
	later   mirror.OwnState        // one that was told before that tick
}

func (x *compared) told(uint32, uint16, bool) {}

func (x *compared) took(mirror.OwnState) {}

func (x *compared) next(applied uint32) verdict {
	if x.waits {
		x.reach(applied)
	} else {
		x.reached, x.from.Fresh = *x.from, false
	}
	v := verdict{input: x.reached.Input, own: x.reached, fresh: x.reached.Fresh}
	x.reached.Fresh = false
	return v
}

// reach settles which own state the prediction has come to.
func (x *compared) reach(applied uint32) {
	told := *x.from
	switch {
	case told.Input <= applied:
		x.reached, x.later = told, mirror.OwnState{}
	case x.later.Fresh && x.later.Input <= applied && x.kept(x.later.Send):
		x.reached, x.later = x.later, told
	case !x.later.Fresh || x.later.Input <= applied:
		x.later = told
	}
	x.from.Fresh = told.Input > applied
}

// reported is the confirmer where this client reports its results: a snapshot says whether
// the server had the same after the input that it names, and own state comes as a correction.
type reported struct {
	from    *mirror.OwnState
	log     *inputgather.Log
	results *report.Coder

	// what the newest snapshot said, whether it had own state or not
	tick, input uint32
	agreed      bool // the result after that input agrees with the server
	fresh       bool // newer than what Reconcile has seen

	any   bool  // own state was taken in
	taken uint8 // the number of its correction
}

func (x *reported) told(tick uint32, input uint16, agreed bool) {
	if tick <= x.tick {
		return
	}
	x.tick, x.input = tick, codec.Lift(input, max(x.input, x.log.Newest))
	x.agreed, x.fresh = agreed, true
}

// next compares own state that was taken in before within tolerance. Of a correction that is
// new all has to be taken over that is not the same: a result is coarser than that.
func (x *reported) next(uint32) verdict {
	v := verdict{input: x.input, agreed: x.agreed && x.fresh, own: *x.from}
	v.fresh = v.own.Fresh && v.own.Predicted // else it was for secrets
	v.exact = !x.any || v.own.Number != x.taken
	x.fresh, x.from.Fresh = false, false
	return v
}

func (x *reported) took(own mirror.OwnState) { x.any, x.taken = true, own.Number }
