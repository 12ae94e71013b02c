package ownership

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// MaxValues is the maximum number of components of one client whose values the server stores.
const MaxValues = 256

// Stats counts the values that clients sent.
type Stats struct {
	Taken   uint64 // accepted and written to the world
	Refused uint64 // refused by the game
	Unowned uint64 // of components that the client may not write: forged, or revoked while they were in flight
	Flooded uint64 // of more than MaxValues components
}

// Add adds the counters of o.
func (s *Stats) Add(o Stats) {
	s.Taken += o.Taken
	s.Refused += o.Refused
	s.Unowned += o.Unowned
	s.Flooded += o.Flooded
}

// Values holds the values of one client on the server, and the grants that the client knows.
type Values struct {
	Stats Stats

	client         uint32
	index          int // index in Server.clients
	notices        *notice.Queue
	logged         *notice.Once
	newest         uint32 // packet
	kept           []value
	knownGrants    []knownGrant
	idle           int    // wake-ups since knownGrants was checked
	checkedVersion uint32 // version of the grants when knownGrants was checked
}

// value is a client's value of a component.
type value struct {
	entity    ecs.Entity
	id        uint32
	component int
	seq       uint32  // newest packet with a value
	words     []int32 // value in that packet
	undecided bool    // not decided yet
	received  bool    // the client knows of the refusal and may request the same value again
	accepted  []int32 // last accepted value; empty: none

	refused  uint32 // packet with the refused value, if none was accepted since; 0: none
	notified bool   // a notice about that refusal or an earlier one is queued
	reason   string
}

// knownGrant is a grant that the client knows, or that is in its notices.
type knownGrant struct {
	entity ecs.Entity
	id     uint32
	may    bool
}

// Len returns the number of components with values.
func (v *Values) Len() int { return len(v.kept) }

// Newest returns the newest packet, as numbered by the session.
func (v *Values) Newest() uint16 { return uint16(v.newest) }

// HasPrefix reports whether a packet starts with changes.
func HasPrefix(packet []byte) bool {
	return len(packet) > 0 && packet[0]&wire.KindMask == wire.KindChanges
}

// RecordPacket records the number of a received packet and returns it extended to 32 bits.
func (v *Values) RecordPacket(number uint16) (seq uint32) {
	seq = codec.Lift(number, max(v.newest, 1<<16)) // 0 stands for none
	v.newest = max(v.newest, seq)
	return seq
}

// valueFor returns the place for the value of a component, or nil if there is no room.
func (v *Values) valueFor(e ecs.Entity, m *wire.ReceivedChange) *value {
	for i := range v.kept {
		if h := &v.kept[i]; h.entity == e && h.component == m.Component {
			return h
		}
	}
	if len(v.kept) == MaxValues {
		return nil
	}
	v.kept = append(v.kept, value{entity: e, id: m.ID, component: m.Component})
	return &v.kept[len(v.kept)-1]
}

// Received records that the client received a notice, possibly of a refusal.
func (v *Values) Received(n *wire.Notice) {
	if n.Kind != wire.NoticeChange {
		return
	}
	for i := range v.kept {
		if h := &v.kept[i]; h.id == n.ID && h.component == n.Component {
			h.notified, h.received = false, h.refused == 0
		}
	}
}
