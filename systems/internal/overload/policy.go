package overload

import (
	"fmt"
	"time"
)

// Policy is when newcomers are turned away, and what is measured by. Load is the share of their
// time that wake-ups of the server take; above 1 it is behind. Where a load of more than 0.95 lasts
// for 0.2 s, the server gives up the next of these, and takes them back one by one when there is
// time again:
//
//  1. clients are told of what is far from them in every second send, then in every fourth;
//  2. clients are sent every second snapshot, then every fourth;
//  3. ticks that are behind are dropped, so that the world goes slower than the clock.
//
// Inputs are taken in and reliable messages sent whatever happens, and nobody is disconnected. What
// is far follows from ServerConfig.Interest and Priorities; without these nothing is.
type Policy struct {
	// Off says that nothing is given up, and nobody is turned away, but what the server cannot
	// avoid: ticks that are more than five behind are dropped.
	Off bool
	// Admit is the load above which newcomers are turned away with netsys.ErrBusy, before anything
	// has to be given up: above 0, up to 1. Players that are waited for may always come back.
	// Default (0): 0.85.
	Admit float64
	// Clock says for how long the process has run. Default (nil): under systems.Server.Run the
	// machine's clock; where others call Advance, none, and then nothing is measured and nothing given
	// up, so that a match in virtual time is a function of its seed.
	Clock func() time.Duration
}

// Validate returns an error for an Admit that is no share.
func (p Policy) Validate() error {
	if !(p.Admit >= 0 && p.Admit <= 1) {
		return fmt.Errorf("Overload.Admit %v is not between 0 and 1 (0: %v)", p.Admit, DefaultAdmit)
	}
	return nil
}
