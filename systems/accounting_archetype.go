package systems

import "github.com/tactusgo/tactus/codec/delta"

// ArchetypeTraffic is what the entities took that have the same replicated components.
type ArchetypeTraffic struct {
	// Components are the names of what they have.
	Components []string
	// Entities is how many there are in the newest send.
	Entities int
	// Bytes is what their fields took in blocks that were encoded, each block once, while
	// [Server.AccountEntities] was on.
	Bytes float64
}

// TrafficByArchetype returns the archetypes in the newest send, in order of their first
// entity. It is empty where there are no snapshots. Components that only the owner may see
// make no difference.
func (s *Server) TrafficByArchetype() (all []ArchetypeTraffic) {
	f := s.frames.At(s.sentAt)
	if f == nil {
		return nil
	}
	places := map[uint64]int{}
	for g := range f.Groups {
		group := &f.Groups[g]
		for m := group.Alive; m != 0; m &= m - 1 {
			k := trailing(m)
			mask := group.Masks[k]
			at, known := places[mask]
			if !known {
				at = len(all)
				places[mask] = at
				all = append(all, ArchetypeTraffic{Components: componentNames(s.shape.replicated, mask)})
			}
			all[at].Entities++
			all[at].Bytes += s.spentOn(group, k) / 8
		}
	}
	return all
}

// spentOn is how many bits the entity in a slot took.
func (s *Server) spentOn(group *delta.Group, slot int) (bits float64) {
	for _, m := range s.encoder.encodes.meters() {
		bits += m.SpentOn(group.IDs[slot])
	}
	return bits
}
