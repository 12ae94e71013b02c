package ownership

import (
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

// Config is what a server has to say to what clients write.
type Config struct {
	// Accept may refuse a value that a client gave a component; nil refuses none.
	Accept func(w *ecs.World, client uint32, e ecs.Entity, c *ecs.Component, value unsafe.Pointer) error
	// Sees says whether a client may know of an entity that is alive; nil: of all.
	Sees func(e ecs.Entity, client uint32) bool
	// Logger is told of the first refusal of each client.
	Logger logging.Logger
}

// Server takes over what clients write.
type Server struct {
	config  Config
	world   *ecs.World
	coder   wire.ChangeCoder
	grants  Grants
	clients roll.Roll[Values] // in the order in which they joined
	left    Stats             // of clients that are gone
	scratch []uint64          // room for one value
	words   []int32
}

// NewServer prepares a server's world for components that clients write.
func NewServer(w *ecs.World, list []*ecs.Component, c Config) *Server {
	s := &Server{config: c, world: w, coder: wire.NewChangeCoder(list), clients: roll.New(func(v *Values) *int { return &v.place })}
	s.grants.by = make(map[ecs.Entity]int)
	ecs.SetResource(w, &s.grants)
	return s
}

// Join begins with a client, who is told of refusals in notices.
func (s *Server) Join(client uint32, notices *notice.Queue, logged *notice.Once) *Values {
	v := &Values{client: client, notices: notices, logged: logged}
	s.clients.Add(v)
	return v
}

// Leave ends with a client.
func (s *Server) Leave(v *Values) {
	s.clients.Remove(v)
	s.left.Add(v.Stats)
}

// Stats counts what became of the values of all clients, those that are gone included.
func (s *Server) Stats() Stats {
	st := s.left
	for _, v := range s.clients.All() {
		st.Add(v.Stats)
	}
	return st
}

// TakePrefix takes in the changes in front of a packet and returns the packet without
// them. With an error there is nothing more to be read of it.
func (s *Server) TakePrefix(v *Values, pk netsys.Packet) (netsys.Packet, error) {
	seq := v.Pass(pk.Seq)
	if !HasPrefix(pk.Data) {
		return pk, nil
	}
	rest, err := s.coder.Read(pk.Data)
	if err != nil {
		return pk, err
	}
	for i := range s.coder.Told {
		s.take(v, seq, &s.coder.Told[i])
	}
	pk.Data = rest
	return pk, nil
}

// take takes in one change of a packet.
func (s *Server) take(v *Values, seq uint32, m *wire.ToldChange) {
	e, ok := s.world.ByNetID(components.NetID(m.ID))
	if !ok {
		return // it is gone
	}
	if s.world.Netcode().Pointer(e, s.coder.Components[m.Component]) == nil || s.grants.writer(s.world, e) != v.client {
		v.Stats.Unowned++
		return
	}
	h := v.of(e, m)
	if h == nil {
		v.Stats.Flooded++
		return
	}
	if seq <= h.seq {
		return
	}
	h.seq = seq
	if words := s.coder.Value(m); h.received || !slices.Equal(words, h.words) {
		h.asked, h.received = true, false
		h.words = append(h.words[:0], words...)
	}
}

// Decide asks the game about what clients want, once a component and wake-up,
// and writes what stands.
func (s *Server) Decide() {
	if len(s.coder.Components) == 0 {
		return
	}
	s.grants.sweep(s.world)
	for _, v := range s.clients.All() {
		s.settle(v)
	}
}

// settle decides what one client wants.
func (s *Server) settle(v *Values) {
	v.kept = slices.DeleteFunc(v.kept, func(h value) bool {
		return s.world.Netcode().Pointer(h.entity, s.coder.Components[h.component]) == nil ||
			s.grants.writer(s.world, h.entity) != v.client
	})
	for i := range v.kept {
		if h := &v.kept[i]; h.asked {
			h.asked = false
			s.decide(v, h)
		}
	}
	s.write(v)
}

// decide asks the game about one value.
func (s *Server) decide(v *Values, h *value) {
	comp := s.coder.Components[h.component]
	s.scratch = reuse.Slice(s.scratch, int(comp.Schema.Size+7)/8+1)
	told := unsafe.Pointer(&s.scratch[0])
	comp.Schema.Dequantize(told, h.words, comp.Words, 1)
	if s.config.Accept != nil {
		if err := s.config.Accept(s.world, v.client, h.entity, comp, told); err != nil {
			v.Stats.Refused++
			if v.logged.First(notice.Change) {
				s.config.Logger.Warn("change refused; more from this client are only counted", "client", v.client, "entity", h.id, "component", comp.Name, "reason", err)
			}
			h.refused, h.reason = h.seq, err.Error()
			return
		}
	}
	v.Stats.Taken++
	h.standing = append(h.standing[:0], h.words...)
	h.refused = 0
}

// Restore writes again what a server that went back in time has undone.
func (s *Server) Restore() {
	for _, v := range s.clients.All() {
		s.write(v)
	}
}

// write writes what a client was allowed to.
func (s *Server) write(v *Values) {
	for i := range v.kept {
		h := &v.kept[i]
		comp := s.coder.Components[h.component]
		if dst := s.world.Netcode().Pointer(h.entity, comp); dst != nil && len(h.standing) > 0 {
			comp.Schema.Dequantize(dst, h.standing, comp.Words, 1)
		}
	}
}
