package reconcile

import (
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// confirmer says what the server has told of this client's predictions. One compares the
// state of own entities that comes with snapshots: [compared]; one hears whether the results
// that the client reports are right, and gets state where they are not: [reported].
type confirmer interface {
	// next is what there is to look at, now that inputs up to one are applied. It is told of
	// each piece of news once.
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
	mirror *mirror.Own

	// Where inputs number ticks the server waits for nobody: over a short way it may tell of a
	// tick that is due here, too, but in this frame, and the prediction has come to the one
	// before. So that state waits for its tick, also where newer ones come every frame.
	waits   bool
	reached mirror.OwnState // newest of a tick that was predicted here
	later   mirror.OwnState // one that was told before that tick
}

func (x *compared) took(mirror.OwnState) {}

func (x *compared) next(applied uint32) verdict {
	if x.waits {
		x.reach(applied)
	} else {
		x.reached = x.mirror.Look()
	}
	v := verdict{input: x.reached.Input, own: x.reached, fresh: x.reached.Fresh}
	x.reached.Fresh = false
	return v
}

// reach settles which own state the prediction has come to.
func (x *compared) reach(applied uint32) {
	told := x.mirror.Look()
	switch {
	case told.Input <= applied:
		x.reached, x.later = told, mirror.OwnState{}
	case x.later.Fresh && x.later.Input <= applied && x.mirror.Kept(x.later.Send):
		x.reached, x.later = x.later, told
	case !x.later.Fresh || x.later.Input <= applied:
		x.later = told
	}
	if told.Input > applied {
		x.mirror.LookAgain()
	}
}

// What a client predicts is proven entity by entity: own state that had no room for all of
// them, and the snapshots of co-simulated ones, say nothing of the others. An outcome of an
// input can follow from anything that is simulated here, so it is final when each of these
// entities was found right after that input, or a later one, and not before.
//
// What turns out wrong is simulated again, from the newest own state at most; of the inputs
// before that everything that waits for proof is withdrawn.

// proofs is how far predictions are known to be right.
type proofs struct {
	parts           *Parts
	predicted       uint64 // components
	records         mirror.Records[record]
	settled         uint32 // input
	takeServerState bool
	void            uint32 // of inputs up to it nothing waits for proof any more
}

// record is what is known of how an entity was predicted.
type record struct {
	confirmedInput uint32 // newest input after which the server had it as predicted here

	// where it is co-simulated:
	confirmed       uint32 // send of the newest state
	unseen          bool   // by Reconcile
	takeServerState bool   // take that over without comparing
	wrong           bool   // was predicted wrongly, to be replayed
}

// input is the last one whose results are known to be the server's.
func (p *proofs) input() uint32 {
	if p.takeServerState { // something is wrong, and own state to correct it is on its way
		return p.void
	}
	confirmed := p.consumed()
	for _, r := range p.parts.Mirror.Entities.All() {
		if p.awaited(r) {
			confirmed = min(confirmed, p.records.Of(r).confirmedInput)
		}
	}
	return max(confirmed, p.void)
}

// consumed is the newest input whose results are told of.
func (p *proofs) consumed() uint32 {
	return min(max(p.parts.Predict.Numbering.Newest().Input, p.settled), p.parts.Predict.Applied())
}

// awaited reports whether outcomes can follow from an entity: one that is simulated
// here, until its end, which was foreseen, has come on the server, too.
func (p *proofs) awaited(r *mirror.Replica) bool {
	n := p.parts.World.Netcode()
	return r.Simulated && !r.Entity.IsZero() && n.Mask(r.Entity)&p.predicted != 0 &&
		(r.Removed.Tick == 0 || !n.Suspended(r.Entity))
}

// predictsOwn reports whether any entity of this client is simulated here.
func (p *proofs) predictsOwn() bool {
	for _, r := range p.parts.Mirror.Entities.All() {
		if r.Predicted() {
			return true
		}
	}
	return false
}

// own notes that those own entities that own state tells of stand as it says.
func (p *proofs) own(own mirror.OwnState) {
	p.parts.Mirror.Own.EachEntity(own.Send, func(id uint32) {
		if r := p.parts.Mirror.Entities.Of(id); r != nil {
			p.of(r, own.Input)
		}
	})
}

// allOwn notes that all own entities were predicted right after an input.
func (p *proofs) allOwn(input uint32) {
	for _, r := range p.parts.Mirror.Entities.All() {
		if r.Predicted() {
			p.of(r, input)
		}
	}
}

// of notes that an entity was predicted right after an input, or is made so.
func (p *proofs) of(r *mirror.Replica, input uint32) {
	x := p.records.Of(r)
	x.confirmedInput = max(x.confirmedInput, input)
}

// withdrawn notes that what followed from inputs from one on is withdrawn, and all that waited
// for proof of those before.
func (p *proofs) withdrawn(from uint32) { p.void = max(p.void, from-1) }
