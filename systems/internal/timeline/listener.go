package timeline

// Listener is told what the timeline does, for what must follow it: outcomes that
// can be withdrawn, events that are sent once. Calls come within Pass, Open and Close, or
// within Put when passes are not merged. An outcome.Log is one.
type Listener interface {
	// Rewind says that everything from tick on is undone and simulated again.
	Rewind(tick uint32)
	// Start says that tick is about to be simulated, for the first time or again:
	// who leaves and joins, Simulate, and Authority.
	Start(tick uint32)
	// Done says that it has been.
	Done()
	// Settle ends each tick, after Done. No tick before horizon will change.
	Settle(horizon uint32)
}

// Listeners are told one after the other.
type Listeners []Listener

// Rewind tells them that everything from tick on is undone.
func (l Listeners) Rewind(tick uint32) {
	for _, x := range l {
		x.Rewind(tick)
	}
}

// Start tells them that tick is about to be simulated.
func (l Listeners) Start(tick uint32) {
	for _, x := range l {
		x.Start(tick)
	}
}

// Done tells them that it has been.
func (l Listeners) Done() {
	for _, x := range l {
		x.Done()
	}
}

// Settle tells them that no tick before horizon will change.
func (l Listeners) Settle(horizon uint32) {
	for _, x := range l {
		x.Settle(horizon)
	}
}
