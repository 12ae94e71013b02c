package allowance

import "time"

// Rate limits a rate by the generic cell rate algorithm (ITU-T I.371). Its value is the time at which all events so far would have
// arrived at exactly the allowed rate, since any start. The zero value is unused.
//
// An event costs the time between two events at the rate, or a multiple. burst is how much may be used at once, as a time at the
// rate. now must not decrease: take it from ticks, or from internal/clock, because the time of day may be set back.
type Rate time.Duration

// Wait returns the time from now until cost is available, 0 if it is.
func (r Rate) Wait(now, cost, burst time.Duration) time.Duration {
	return max(max(time.Duration(r)-now, 0)+cost-burst, 0)
}

// Use uses cost, whether it is available or not.
func (r *Rate) Use(now, cost time.Duration) { *r = Rate(max(time.Duration(*r), now) + cost) }

// Take uses cost if it is available. Otherwise it uses nothing and returns the time until it is.
func (r *Rate) Take(now, cost, burst time.Duration) (wait time.Duration) {
	if wait = r.Wait(now, cost, burst); wait == 0 {
		r.Use(now, cost)
	}
	return wait
}
