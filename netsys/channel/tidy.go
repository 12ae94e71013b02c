package channel

import (
	"slices"
	"time"
)

// tidyEvery is how often memory is given back that was made for more than came since: a level that was sent once, what
// waited in an outage.
const tidyEvery = 10 * time.Second

// tidy gives memory back, now and then.
func (e *Endpoint) tidy() {
	if e.now-e.tidied < tidyEvery {
		return
	}
	e.tidied = e.now
	e.store.tidy()
	e.flight.tidy()
	for i := range e.channels {
		if c := &e.channels[i]; c.sure != nil {
			c.sure.out.tidy()
			c.sure.in.partial = idle(c.sure.in.partial, &c.sure.in.busy)
		} else {
			c.loose.out.tidy()
			c.loose.in.partial = idle(c.loose.in.partial, &c.loose.in.busy)
		}
	}
}

// idle is the places of messages in pieces, none where there was no such message since it was asked last.
func idle(partial []arriving, busy *bool) []arriving {
	used := slices.ContainsFunc(partial, func(a arriving) bool { return a.used })
	if !used && !*busy {
		partial = nil
	}
	*busy = false
	return partial
}
