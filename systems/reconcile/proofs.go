package reconcile

import "github.com/tactusgo/tactus/systems/internal/mirror"

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
