package systems

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/saved"
)

// A save contains the grants, and so does a save of the loaded server.
func TestGrantsAreSaved(t *testing.T) {
	type cursor struct {
		X int16 `net:"raw"`
	}
	open := func(load []byte) *Server {
		p := ecs.NewProtocol("cursors/1")
		ecs.Replicate[cursor](p, ecs.ClientOwned)
		s, err := NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), p, ServerConfig{Load: load})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(nil)
	e := s.World().Spawn(cursor{3})
	Grant(s.World(), e, 9)
	for range 2 {
		b, err := s.Save()()
		if err != nil {
			t.Fatal(err)
		}
		x, err := saved.Parse(b)
		if want := []saved.Grant{{NetID: uint32(s.World().NetID(e)), Client: 9}}; err != nil || !slices.Equal(x.Grants, want) {
			t.Fatalf("grants %+v, want %+v: %v", x.Grants, want, err)
		}
		s = open(b)
	}
}
