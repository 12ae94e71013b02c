package baseline

const (
	fewSends  = 16  // initial room for sends of a group by slot
	mostSends = 128 // most sends: six seconds at 20 a second
	fewFree   = 4   // unused records that are kept
)

// perSlot records which sends a client has of each slot of a group.
type perSlot struct {
	sends []heldSend // a ring by send, a power of two long
	since [64]uint32 // by slot: acknowledgements of earlier sends do not count
}

// heldSend holds the slots that the client has of a send.
type heldSend struct {
	held uint64
	send uint32
}

// at returns the entry for a send, which may hold another send.
func (s *perSlot) at(send uint32) *heldSend { return &s.sends[int(send)&(len(s.sends)-1)] }

// holds returns the slots that the client has of a send.
func (s *perSlot) holds(send uint32) uint64 {
	if x := s.at(send); x.send == send && send != 0 {
		return x.held
	}
	return 0
}

// hold records that the client has slots of a send. It returns false if the send is too old.
func (s *perSlot) hold(send uint32, slots uint64) bool {
	x := s.at(send)
	for len(s.sends) < mostSends && x.send < send && s.needs(x, send, slots) {
		s.grow()
		x = s.at(send)
	}
	switch {
	case x.send < send:
		*x = heldSend{slots, send}
	case x.send == send:
		x.held |= slots
	default:
		return false
	}
	return true
}

// needs reports whether x must be kept when send arrives: it is the newest send that the client has of a slot that is not in
// slots, and is less than mostSends old.
func (s *perSlot) needs(x *heldSend, send uint32, slots uint64) bool {
	if x.held&^slots == 0 || send-x.send >= mostSends {
		return false
	}
	for i := range s.sends {
		if s.sends[i].send > x.send {
			slots |= s.sends[i].held
		}
	}
	return x.held&^slots != 0
}

// grow makes room for twice as many sends.
func (s *perSlot) grow() {
	old := s.sends
	s.sends = make([]heldSend, 2*len(old))
	for i := range old {
		*s.at(old[i].send) = old[i]
	}
}

// freeSlots are a few records that are not in use.
type freeSlots []*perSlot

func (f *freeSlots) get() *perSlot {
	n := len(*f)
	if n == 0 {
		return &perSlot{sends: make([]heldSend, fewSends)}
	}
	x := (*f)[n-1]
	*f = (*f)[:n-1]
	*x = perSlot{sends: x.sends[:fewSends]}
	clear(x.sends)
	return x
}

func (f *freeSlots) put(s *perSlot) {
	if len(*f) < fewFree {
		*f = append(*f, s)
	}
}
