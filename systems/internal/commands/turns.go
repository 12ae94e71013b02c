package commands

import "slices"

// Taker takes the commands of the tick that comes.
type Taker interface {
	// Command makes a player do something in that tick.
	Command(client uint32, command string)
}

// Order makes a player do something in the tick that comes, whether or not it is there, behind what clients command.
func (d *Desk) Order(e Entry) { d.orders = append(d.orders, e) }

// wait notes that commands of a client may wait.
func (d *Desk) wait(in *Inbox) {
	if !in.waits && len(in.Waiting) > 0 {
		in.waits = true
		d.waiting = append(d.waiting, in)
	}
}

// Deliver gives what waits to the tick that comes: client by client in the order in which they came, of those whose
// player plays by now; and then the orders.
func (d *Desk) Deliver(to Taker, plays func(client uint32) bool) {
	slices.SortFunc(d.waiting, func(a, b *Inbox) int { return int(int64(a.nth) - int64(b.nth)) })
	d.waiting = slices.DeleteFunc(d.waiting, func(in *Inbox) bool {
		if len(in.Waiting) > 0 && plays(in.client) {
			d.Give(in, to)
		}
		in.waits = len(in.Waiting) > 0
		return !in.waits
	})
	for _, o := range d.orders {
		to.Command(o.Player, o.Value)
	}
	d.orders = slices.Delete(d.orders, 0, len(d.orders))
}
