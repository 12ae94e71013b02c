package mirror

// join is the state with which the client joins.
type join struct {
	Sent       // 0: none yet
	groups     int
	loaded     bool // it has joined
	loadedTick uint32
}

// whole reports whether all of it is here.
func (j *join) whole(s *Store) bool {
	return j.Send != 0 && s.whole(j.Send, j.groups)
}

// collected is the send of which all is kept; 0: none.
func (j *join) collected() uint32 {
	if j.loaded {
		return 0
	}
	return j.Send
}

// start begins to collect the state of a send; what was collected of another one is kept as
// far back as floor says.
func (j *join) start(of Sent, groups int, s *Store, floor uint32) {
	s.unpin(floor)
	j.Sent, j.groups = of, groups
	for _, x := range s.World {
		x.pin(of.Send)
	}
	grow(&s.World, groups)
}

// load makes the world the one of the send with which the client joins, but for own
// entities, which may be ahead already.
func (m *Mirror) load() {
	send := m.join.Send
	m.Load(m.join.Tick)
	for g, x := range m.Store.World[:m.join.groups] {
		st := x.At(send)
		for s := st.Alive; s != 0; s &= s - 1 {
			k := trailing(s)
			if old := x.Here[k]; old != nil && old.ID != st.IDs[k] && old.Newest > send {
				continue // an own entity, which did not wait, has come to stand there
			}
			if x.Told[k] > send && x.Fresh>>k&1 == 0 && x.Here[k] == nil {
				continue // nor did one that is gone by now
			}
			if r := m.stand(int32(g), x, k, st); r != nil && (r.Entity.IsZero() || !m.simulates(r.Entity)) {
				if !m.placeRecord(r, st, k) {
					continue
				}
			}
			if x.Told[k] == send {
				x.Fresh &^= 1 << k
			}
		}
	}
	m.Store.unpin(m.baselines.floor)
	if m.config.Loaded != nil {
		m.config.Loaded(m.config.World, m.join.Tick)
	}
}
