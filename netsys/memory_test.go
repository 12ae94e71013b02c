package netsys

import (
	"net/netip"
	"slices"
	"testing"
)

// After Rebind a node sends from its new address and receives only there. Datagrams that were on their way still arrive.
func TestRebindMovesANode(t *testing.T) {
	network := NewNetwork()
	a, b := network.Node(netip.AddrPort{}), network.Node(netip.AddrPort{})
	was := a.LocalAddr()
	_ = b.Send(epoch, was, []byte("before"))
	now := a.Rebind(netip.MustParseAddrPort("10.0.0.1:0"))
	if now != a.LocalAddr() || now.Addr() != netip.MustParseAddr("10.0.0.1") || now.Port() == 0 {
		t.Fatalf("rebound to %v, at %v", now, a.LocalAddr())
	}
	_ = b.Send(epoch, was, []byte("lost"))
	_ = b.Send(epoch, now, []byte("after"))
	_ = a.Send(epoch, b.LocalAddr(), []byte("here"))
	var got []string
	note := func(d Datagram) { got = append(got, d.From.String()+" "+string(d.Data)) }
	a.Poll(epoch, note)
	b.Poll(epoch, note)
	want := []string{b.LocalAddr().String() + " before", b.LocalAddr().String() + " after", now.String() + " here"}
	if !slices.Equal(got, want) || network.Unroutable() != 1 {
		t.Errorf("got %q, want %q; %d unroutable", got, want, network.Unroutable())
	}
	if network.Node(was).LocalAddr() != was {
		t.Error("the old address cannot be given to another node")
	}
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	panics("a taken address", func() { a.Rebind(was) })
	_ = a.Close()
	panics("a closed node", func() { a.Rebind(netip.AddrPort{}) })
}

func TestVirtualWires(t *testing.T) {
	node := NewNetwork().Node(netip.AddrPort{})
	socket := listenLoopback(t)
	condition := func(w Wire) Wire {
		c := condition(t, w, ConditionerConfig{})
		return c
	}
	for _, w := range []Wire{node, condition(node), condition(condition(node))} {
		if !isVirtual(w) {
			t.Errorf("%T on a network is not virtual", w)
		}
	}
	for _, w := range []Wire{socket, condition(socket)} {
		if isVirtual(w) {
			t.Errorf("%T on a socket is virtual", w)
		}
	}
}
