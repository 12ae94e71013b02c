package ownership

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/internal/roll"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config holds the game's decisions about client-owned components.
type Config struct {
	// Accept returns an error to refuse a client's value of a component; nil refuses none.
	Accept func(w *ecs.World, client uint32, e ecs.Entity, c *ecs.Component, value unsafe.Pointer) error
	// Sees reports whether a client may know of an entity; nil: of all.
	Sees func(e ecs.Entity, client uint32) bool
	// Wrote is called after a client's value has changed a component, with the new value in raw form; nil: it is not.
	Wrote func(netID uint32, c *ecs.Component, raw []byte)
	// Logger receives the first refusal of each client.
	Logger logging.Logger
}

// Server processes the values that clients write.
type Server struct {
	config   Config
	world    *ecs.World
	coder    wire.ChangeCoder
	grants   Grants
	clients  roll.Roll[Values] // in joining order
	departed Stats             // counters of clients that left
	scratch  []uint64          // room for one value
	words    []int32
	raw      [2][]byte // scratch
}

// NewServer prepares a server's world for client-owned components.
func NewServer(w *ecs.World, list []*ecs.Component, c Config) *Server {
	s := &Server{config: c, world: w, coder: wire.NewChangeCoder(list), clients: roll.New(func(v *Values) *int { return &v.index })}
	s.grants.by = make(map[ecs.Entity]int)
	ecs.SetResource(w, &s.grants)
	return s
}

// Join adds a client. notices receives the notices about refusals.
func (s *Server) Join(client uint32, notices *notice.Queue, logged *notice.Once) *Values {
	v := &Values{client: client, notices: notices, logged: logged}
	s.clients.Add(v)
	return v
}

// Leave removes a client.
func (s *Server) Leave(v *Values) {
	s.clients.Remove(v)
	s.departed.Add(v.Stats)
}

// Stats returns the sum of the counters of all clients, including those that left.
func (s *Server) Stats() Stats {
	st := s.departed
	for _, v := range s.clients.All() {
		st.Add(v.Stats)
	}
	return st
}

// ReadPrefix processes the changes at the start of a packet and returns the packet without them. After an error the
// rest cannot be read.
func (s *Server) ReadPrefix(v *Values, pk netsys.Packet) (netsys.Packet, error) {
	seq := v.RecordPacket(pk.Seq)
	if !HasPrefix(pk.Data) {
		return pk, nil
	}
	rest, err := s.coder.Read(pk.Data)
	if err != nil {
		return pk, err
	}
	for i := range s.coder.Received {
		s.receiveChange(v, seq, &s.coder.Received[i])
	}
	pk.Data = rest
	return pk, nil
}

// receiveChange stores one change of a packet.
func (s *Server) receiveChange(v *Values, seq uint32, m *wire.ReceivedChange) {
	e, ok := s.world.ByNetID(components.NetID(m.ID))
	if !ok {
		return // the entity is gone
	}
	if s.world.Netcode().Pointer(e, s.coder.Components[m.Component]) == nil || s.grants.writer(s.world, e) != v.client {
		v.Stats.Unowned++
		return
	}
	h := v.valueFor(e, m)
	if h == nil {
		v.Stats.Flooded++
		return
	}
	if seq <= h.seq {
		return
	}
	h.seq = seq
	if words := s.coder.Value(m); h.received || !slices.Equal(words, h.words) {
		h.undecided, h.received = true, false
		h.words = append(h.words[:0], words...)
	}
}

// Decide asks the game about new values, once per component and wake-up, and writes the accepted ones.
func (s *Server) Decide() {
	if len(s.coder.Components) == 0 {
		return
	}
	s.grants.removeDead(s.world)
	for _, v := range s.clients.All() {
		s.decideClient(v)
	}
}

// decideClient decides about the values of one client.
func (s *Server) decideClient(v *Values) {
	v.kept = slices.DeleteFunc(v.kept, func(h value) bool {
		return s.world.Netcode().Pointer(h.entity, s.coder.Components[h.component]) == nil ||
			s.grants.writer(s.world, h.entity) != v.client
	})
	for i := range v.kept {
		if h := &v.kept[i]; h.undecided {
			h.undecided = false
			s.decideValue(v, h)
		}
	}
	s.writeAccepted(v)
}

// decideValue asks the game about one value.
func (s *Server) decideValue(v *Values, h *value) {
	comp := s.coder.Components[h.component]
	s.scratch = reuse.Slice(s.scratch, int(comp.Schema.Size+7)/8+1)
	wanted := unsafe.Pointer(&s.scratch[0])
	comp.Schema.Dequantize(wanted, h.words, comp.Words, 1)
	if s.config.Accept != nil {
		if err := s.config.Accept(s.world, v.client, h.entity, comp, wanted); err != nil {
			v.Stats.Refused++
			if v.logged.First(notice.Change) {
				s.config.Logger.Warn("change refused; more from this client are only counted", "client", v.client, "entity", h.id, "component", comp.Name, "reason", err)
			}
			h.refused, h.reason = h.seq, err.Error()
			return
		}
	}
	v.Stats.Taken++
	h.accepted = append(h.accepted[:0], h.words...)
	h.refused = 0
}

// Restore writes the accepted values again after the server went back in time.
func (s *Server) Restore() {
	for _, v := range s.clients.All() {
		s.writeAccepted(v)
	}
}

// writeAccepted writes the accepted values of a client.
func (s *Server) writeAccepted(v *Values) {
	for i := range v.kept {
		h := &v.kept[i]
		comp := s.coder.Components[h.component]
		dst := s.world.Netcode().Pointer(h.entity, comp)
		if dst == nil || len(h.accepted) == 0 {
			continue
		}
		if s.config.Wrote == nil {
			comp.Schema.Dequantize(dst, h.accepted, comp.Words, 1)
			continue
		}
		s.raw[0] = comp.Schema.AppendRaw(s.raw[0][:0], dst)
		comp.Schema.Dequantize(dst, h.accepted, comp.Words, 1)
		if s.raw[1] = comp.Schema.AppendRaw(s.raw[1][:0], dst); !bytes.Equal(s.raw[0], s.raw[1]) {
			s.config.Wrote(h.id, comp, s.raw[1])
		}
	}
}
