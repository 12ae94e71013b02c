package systems

import "fmt"

func dbgWhy(c *campaign) {
	for i, k := range c.clients {
		err := Difference(c.server, k)
		if err == nil { continue }
		fmt.Println("client", i, err, "budget", c.server.peers[i].budget, "flickers", c.flickers, "most", c.most, "rate", c.server.config.SendRate, "over", c.server.peers[i].over, "joining", c.server.peers[i].joining, "big", c.server.peers[i].big, "oversized", c.server.stats.Oversized)
		var id, slot, group int
		if n, _ := fmt.Sscanf(err.Error(), "entity %d", &id); n == 1 {
			g, s, ok := c.server.frames.Slot(netID(uint32(id)))
			fmt.Println("   server slot", g, s, ok)
			if ok && c.server.peers[i].world[g].split != nil { sp := c.server.peers[i].world[g].split; fmt.Println("   hidden", sp.hidden>>s&1, "told", sp.told>>s&1, "vacant", sp.vacant>>s&1, "since", sp.since[s]) }
			if r := k.byID[uint32(id)]; r != nil { fmt.Printf("   %+v told %d newest %d\n", *r, k.groups[r.group].told[r.slot], k.newestSend) } else { fmt.Println("   unknown", k.world == nil) }
			if ok { x := k.groups[g]; fmt.Println("   told", x.told[s], "fresh", x.fresh>>s&1, x.here[s]) 
			if st := x.at(x.told[s]); st != nil { fmt.Println("   state alive", st.Alive>>s&1, "hidden", st.Hidden>>s&1, st.IDs[s]) } }
		}
		if n, _ := fmt.Sscanf(err.Error(), "slot %d of group %d", &slot, &group); n == 2 {
			h := &c.server.peers[i].world[group]
			if sp := h.split; sp != nil { fmt.Println("   hidden", sp.hidden>>slot&1, "told", sp.told>>slot&1, onesIn(sp.hidden), "since", sp.since[slot]) }
			fmt.Println("   alive now", c.server.frames.At(k.newestSend).Groups[group].Alive>>slot&1, "units", len(c.server.units))
		}
	}
}

func dbgSlot(c *campaign, i, g, k int) {
	p := c.server.peers[i]
	h := &p.world[g]
	fmt.Println("group", g, "slot", k, "split", h.split != nil, "newest", h.newest, "spoken", h.spoken>>k&1, "gained", p.gained[g][k], "floor", p.floor, "send", c.server.sentAt)
	if sp := h.split; sp != nil {
		fmt.Println("hidden", sp.hidden>>k&1, "told", sp.told>>k&1)
		for a := uint32(0); a < 120; a++ { if h.holds(c.server.sentAt-a)>>k&1 != 0 { f := c.server.frames.At(c.server.sentAt-a); fmt.Println("held age", a, f.Groups[g].Alive>>k&1, f.Groups[g].IDs[k]) } }
	}
	for n, u := range c.server.units { if int(u.first) == g { fmt.Println("unit", n, u.age, u.slots>>k&1, u.eager, onesIn(u.slots)) } }
	fmt.Println(len(c.server.units), c.server.units[0].eager, c.server.units[len(c.server.units)/2].eager)
	for _, b := range c.server.packing.blocks { fmt.Println("  block", b.own, b.hidden, b.first, b.count, b.age, onesIn(b.slots), len(b.body)) }
}
