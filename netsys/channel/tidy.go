package channel

import (
	"slices"
	"time"
)

// tidyEvery is how often unused memory is released, for example after a level was sent or an outage ended.
const tidyEvery = 10 * time.Second

// tidy releases unused memory once per tidyEvery.
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

// idle returns partial, or nil if no fragmented message has used it since the last call.
func idle(partial []arriving, busy *bool) []arriving {
	used := slices.ContainsFunc(partial, func(a arriving) bool { return a.used })
	if !used && !*busy {
		partial = nil
	}
	*busy = false
	return partial
}
