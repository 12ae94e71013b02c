package systems

import "github.com/tactusgo/tactus/systems/internal/traffic"

// Traffic is what snapshots were made of, since the server began, in bytes without what
// sessions add.
type Traffic = traffic.Traffic

// ComponentTraffic is what a component took, the sum over its fields.
type ComponentTraffic = traffic.Component

// FieldTraffic is what a field of a component took.
type FieldTraffic = traffic.Field

// TrafficBytes is what something took in the blocks of the world.
type TrafficBytes = traffic.Bytes

// EntityTraffic is what an entity took.
type EntityTraffic = traffic.Entity

// ArchetypeTraffic is what the entities took that have the same replicated components.
type ArchetypeTraffic = traffic.Archetype

// SnapshotStats counts what snapshots consisted of, over all clients.
type SnapshotStats = traffic.Stats

// CoderStats counts the blocks that were sent in the coding of one coder.
type CoderStats = traffic.CoderStats

// Traffic writes what snapshots were made of to t, whose memory is used again.
func (s *Server) Traffic(t *Traffic) {
	s.snapshots.Traffic(t)
	t.Inputs = s.stats.InputBytes
}

// AccountEntities makes the server count what each entity takes too, from now on, or
// no longer. It takes memory for each entity that has news, measures every block, and
// counts nothing where zstd alone is to be used.
func (s *Server) AccountEntities(on bool) { s.snapshots.Meters().AccountEntities(on) }

// TopEntities appends to dst the n entities of the newest send that took most since
// [Server.AccountEntities] was switched on, the first the most.
func (s *Server) TopEntities(dst []EntityTraffic, n int) []EntityTraffic {
	f := s.snapshots.Newest()
	if f == nil {
		return dst
	}
	return s.snapshots.Meters().Top(dst, f.Groups, n)
}

// TrafficByArchetype returns the archetypes in the newest send, in order of their first
// entity. It is empty where there are no snapshots. Components that only the owner may see
// make no difference. Bytes are of the time while [Server.AccountEntities] was on.
func (s *Server) TrafficByArchetype() []ArchetypeTraffic {
	f := s.snapshots.Newest()
	if f == nil {
		return nil
	}
	return s.snapshots.Meters().Archetypes(s.shape.replicated, f.Groups)
}
