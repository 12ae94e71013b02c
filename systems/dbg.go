package systems

import "github.com/tactusgo/tactus/codec/snapshot"

var dbgServer *Server

func dbgCompare(c *Client, h *blockHead, send uint32, parts []snapshot.Part) {
	s := dbgServer
	if s == nil {
		return
	}
	println("own", h.own, "coder", h.coder, "age", h.age, "two", h.two, "count", h.count, "some", h.slots != allSlots, "send", send, "joined", c.loaded, "newest", s.sentAt)
	var p *peer
	for _, x := range s.peers {
		if x.id == c.id {
			p = x
		}
	}
	for i := range parts {
		x := &parts[i]
		g := h.first + uint32(i)
		for which, b := range []*snapshot.Group{x.Base, x.Base2} {
			if b == nil {
				continue
			}
			var truth []snapshot.Group
			if h.own {
				truth = p.ownAt(send - h.age - uint32(which))
			} else if f := s.frames.At(send - h.age - uint32(which)); f != nil {
				truth = f.Groups
			}
			if truth == nil {
				println("  no truth", which)
				continue
			}
			tr := &truth[g]
			for m := h.slots; m != 0; m &= m - 1 {
				k := trailing(m)
				if (tr.Alive^b.Alive)>>k&1 != 0 {
					println("  group", g, "slot", k, "base", which, "alive on server", tr.Alive>>k&1, "client", b.Alive>>k&1, "hidden", b.Hidden>>k&1)
					continue
				}
				if tr.Alive>>k&1 != 0 && (tr.IDs[k] != b.IDs[k] || tr.Masks[k] != b.Masks[k]) {
					println("  group", g, "slot", k, "ids", tr.IDs[k], b.IDs[k])
				}
				if tr.Alive>>k&1 != 0 {
					x, y := tr.Record(k), b.Record(k)
					for i := range x {
						if x[i] != y[i] {
							println("  group", g, "slot", k, "word", i, x[i], y[i])
						}
					}
				}
			}
			if d := (tr.Alive ^ b.Alive) &^ h.slots; d != 0 {
				println("  outside slots: alive differs", onesIn(d))
			}
		}
	}
}
