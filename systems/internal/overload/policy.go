package overload

import (
	"fmt"
	"time"
)

// Policy configures what a server does under load. Load is the share of the available time that the server's wake-ups take, and
// that late ticks wait for other work of the process; above 1 the server is behind. When a load above 0.95 lasts for 0.2 s, the
// server takes the next of these steps. When the load falls, the server undoes the steps one by one, the last step first:
//
//  1. send every second snapshot, then every fourth;
//  2. drop late ticks, so that the world runs slower than the clock.
//
// Before that, if Snapshots.SendRate is 0, the server sends as many snapshots as it has time for: from one every wake-up, while its
// load is below 0.4, down to the usual rate, at most 20 a second.
//
// Before all of these, and without giving anything up: if a wake-up takes more than half of its time, the server spreads the
// snapshots of a send over the ticks until the next one. They then leave up to one send later.
//
// The server always processes inputs and sends reliable messages, and disconnects no player.
type Policy struct {
	// Off disables all steps and admits all players. The server still drops ticks that are more than five behind. It sends snapshots
	// at the usual rate.
	Off bool
	// Admit is the load above which new players are refused with netsys.ErrBusy, to avoid further steps: above 0,
	// up to 1. Players with a reserved seat are always admitted. Default (0): 0.85.
	Admit float64
	// Process returns the share of its processors' time that the whole process uses, if other servers run in it: then the rate of
	// snapshots follows that. Package rooms sets it. Default (nil): this server's load counts.
	Process func() float64
	// Clock returns how long the process has run. Default (nil): the machine's clock under systems.Server.Run and in rooms. If
	// the game calls Advance itself, there is no default clock, and nothing is measured or given up, so that a
	// match in virtual time is a function of its seed.
	Clock func() time.Duration
}

// Validate returns an error if Admit is out of range.
func (p Policy) Validate() error {
	if !(p.Admit >= 0 && p.Admit <= 1) {
		return fmt.Errorf("Overload.Admit %v is not between 0 and 1 (0: %v)", p.Admit, DefaultAdmit)
	}
	return nil
}
