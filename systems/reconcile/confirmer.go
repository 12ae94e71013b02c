package reconcile

import "github.com/tactusgo/tactus/systems/internal/mirror"

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
