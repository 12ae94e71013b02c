package commands

import "slices"

// Executor executes commands in the next tick.
type Executor interface {
	// Command runs a command of a player in that tick.
	Command(client uint32, command string)
}

// Issue adds a command of a player to the next tick, after the clients' commands. The player does not have to be in
// the game.
func (d *Receiver) Issue(e Entry) { d.issued = append(d.issued, e) }

// AppendPending appends to dst the commands that the next calls of Deliver pass on, in order. plays reports whether a client
// may command. AppendPending leaves out commands that the game refuses.
func (d *Receiver) AppendPending(dst []Entry, plays func(client uint32) bool) []Entry {
	for _, in := range d.waiting {
		for _, command := range in.Waiting {
			if plays(in.client) && d.check(in.client, command) == nil {
				dst = append(dst, Entry{Player: in.client, Value: command})
			}
		}
	}
	return append(dst, d.issued...)
}

// markWaiting adds a client with waiting commands to the list.
func (d *Receiver) markWaiting(in *Inbox) {
	if !in.listed {
		in.listed = true
		d.waiting = append(d.waiting, in)
	}
}

// Deliver passes waiting commands to the next tick: first those of the clients whose players are in the game, in
// joining order, then those of Issue.
func (d *Receiver) Deliver(to Executor, plays func(client uint32) bool) {
	slices.SortFunc(d.waiting, func(a, b *Inbox) int { return int(int64(a.number) - int64(b.number)) })
	d.waiting = slices.DeleteFunc(d.waiting, func(in *Inbox) bool {
		if len(in.Waiting) > 0 && plays(in.client) {
			d.Forward(in, to)
		}
		in.listed = len(in.Waiting) > 0
		return !in.listed
	})
	for _, o := range d.issued {
		to.Command(o.Player, o.Value)
	}
	d.issued = slices.Delete(d.issued, 0, len(d.issued))
}
