package ownership

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// MaxValues is how many components of a client's the server keeps values of.
const MaxValues = 256

// Stats counts what became of values that a client sent.
type Stats struct {
	Taken   uint64 // accepted, and written to the world
	Refused uint64 // by the game
	Unowned uint64 // of components that are not the client's: forged, or taken back while they were on their way
	Flooded uint64 // of more components than are kept for a client
}

// Add adds what became of others.
func (s *Stats) Add(o Stats) {
	s.Taken += o.Taken
	s.Refused += o.Refused
	s.Unowned += o.Unowned
	s.Flooded += o.Flooded
}

// Values is what a server keeps of the values of one client, and what that client knows of
// who may write what.
type Values struct {
	Stats Stats

	client  uint32
	place   int // on the list of all
	notices *notice.Queue
	logged  *notice.Once
	newest  uint32 // packet
	kept    []value
	told    []toldGrant
	idle    int    // wake-ups since told was looked at
	seen    uint32 // version of the grants that told follows from
}

// value is the one that a client gave a component.
type value struct {
	entity    ecs.Entity
	id        uint32
	component int
	seq       uint32  // newest packet that had one
	words     []int32 // in it
	asked     bool    // not decided yet
	received  bool    // what was refused the client knows, so that it may ask for the same again
	standing  []int32 // accepted last; empty: none

	refused uint32 // packet whose value was refused, after which none was accepted; 0: none
	telling bool   // the client is being told of that one or an earlier one
	reason  string
}

// toldGrant is what a client knows, or is being told, of who may write an entity.
type toldGrant struct {
	entity ecs.Entity
	id     uint32
	may    bool
}

// Len is of how many components values are kept.
func (v *Values) Len() int { return len(v.kept) }

// Newest is the newest packet, as the session numbers it.
func (v *Values) Newest() uint16 { return uint16(v.newest) }

// HasPrefix reports whether a packet begins with changes.
func HasPrefix(packet []byte) bool {
	return len(packet) > 0 && packet[0]&wire.KindMask == wire.KindChanges
}

// Pass notes the number of a packet that came, and returns it in full.
func (v *Values) Pass(number uint16) (seq uint32) {
	seq = codec.Lift(number, max(v.newest, 1<<16)) // 0 stands for none
	v.newest = max(v.newest, seq)
	return seq
}

// of is where the value of a component is kept; nil where there is no room.
func (v *Values) of(e ecs.Entity, m *wire.ToldChange) *value {
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

// Received notes that the client has heard of a notice, which may be of a refusal.
func (v *Values) Received(n *wire.Notice) {
	if n.Kind != wire.NoticeChange {
		return
	}
	for i := range v.kept {
		if h := &v.kept[i]; h.id == n.ID && h.component == n.Component {
			h.telling, h.received = false, h.refused == 0
		}
	}
}
