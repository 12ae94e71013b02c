package timeline

// Listener follows the timeline: for example outcomes that can be withdrawn, and events that are sent once. The
// timeline calls it within Resimulate, BeginTick and EndTick, or within Put if passes are not merged. [outcome.Log]
// implements it.
type Listener interface {
	// Rewind reports that all ticks from tick on are undone and will be simulated again.
	Rewind(tick uint32)
	// Start reports that tick is about to be simulated, for the first time or again: leaves and joins, Simulate,
	// and Authority.
	Start(tick uint32)
	// Done reports that the tick has been simulated.
	Done()
	// Settle follows Done at the end of each new tick. No tick before horizon will change.
	Settle(horizon uint32)
}

// Listeners calls several listeners in order.
type Listeners []Listener

// Rewind calls Rewind of each listener.
func (l Listeners) Rewind(tick uint32) {
	for _, x := range l {
		x.Rewind(tick)
	}
}

// Start calls Start of each listener.
func (l Listeners) Start(tick uint32) {
	for _, x := range l {
		x.Start(tick)
	}
}

// Done calls Done of each listener.
func (l Listeners) Done() {
	for _, x := range l {
		x.Done()
	}
}

// Settle calls Settle of each listener.
func (l Listeners) Settle(horizon uint32) {
	for _, x := range l {
		x.Settle(horizon)
	}
}
