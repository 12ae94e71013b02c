package wasm

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// ticket leads to a server at an address.
func (m *match) ticket(to netip.AddrPort) systems.Ticket {
	m.t.Helper()
	token, err := netcode.TokenConfig{Key: m.key, ClientID: 7, Servers: []netip.AddrPort{to}, Random: netsys.SeededRandom(uint64(m.now.UnixNano())), Lifetime: time.Minute}.Issue(m.now)
	if err != nil {
		m.t.Fatal(err)
	}
	return systems.Ticket{Kind: "wood\n", Schema: fmt.Sprintf("%x", m.module.protocol.Hash()), WS: "ws://" + to.String(), WebTransport: "https://" + to.String(), Token: token}
}

// told runs the match until the page receives a ticket, and returns its texts.
func (m *match) told(n int32) []string {
	m.t.Helper()
	for range 120 {
		m.frame()
		if size := m.module.ticket(n); size > 0 {
			if m.module.ticket(n) != 0 {
				m.t.Error("the ticket is told twice")
			}
			return strings.Split(string(m.module.memory[:size]), "\n")
		}
	}
	m.t.Fatal("no ticket is told")
	return nil
}

// until lets time pass until something holds.
func (m *match) until(what string, holds func() bool) {
	m.t.Helper()
	for range 60 * 20 {
		if holds() {
			return
		}
		m.frame()
	}
	m.t.Fatalf("never: %s", what)
}

// A host travels over a new link that the page serves, and plays over the old one until it has arrived.
func TestLinksTravel(t *testing.T) {
	m := newMatch(t)
	n := m.join(smooth)
	there := netip.MustParseAddrPort("10.0.0.2:7777")
	second := m.serve(there, systems.ServerConfig{Session: systems.ServerSession{Key: m.key}})
	if err := systems.HandOver(m.servers[0], 1, m.ticket(there)); err != nil {
		t.Fatal(err)
	}
	told := m.told(n)
	link := n + maxHosts
	if want := []string{fmt.Sprint(link), "wood ", fmt.Sprintf("%016x", m.module.protocol.Hash()), "ws://10.0.0.2:7777", "https://10.0.0.2:7777", ""}; !slices.Equal(told, want) {
		t.Fatalf("told %q, want %q", told, want)
	}
	m.leads[link] = there
	m.until("it plays there", func() bool {
		m.module.frame(n, ms(m.now))
		return m.module.out(n) == nil && m.stat(n, func(s *host.Stats) float64 { return s.Own }) > 0
	})
	if m.module.out(link) == nil || m.players(0) != 0 || m.players(1) != 1 {
		t.Errorf("%d and %d are in the rooms, link over: %t", m.players(0), m.players(1), m.module.out(link) == nil)
	}
	x := m.module.hash(n)
	for range 30 {
		m.module.input(n, m.input(keys{DX: 1}))
		m.frame()
	}
	if m.module.hash(n) == x {
		t.Error("inputs do nothing there")
	}
	if err := systems.HandOver(second, 1, m.ticket(m.at)); err != nil { // where no token is taken
		t.Fatal(err)
	}
	if told = m.told(n); told[0] != fmt.Sprint(link+maxHosts) {
		t.Fatalf("told %q", told)
	}
	m.until("it gives up", func() bool { return m.module.out(link+maxHosts) == nil })
	if m.module.out(link) == nil || m.module.end(n) != 0 {
		t.Errorf("it does not go on where it is: %s", m.text())
	}
}

// A ticket to a room of another protocol is the page's, with the token; one without a URL leads nowhere.
func TestLinksOfOtherGames(t *testing.T) {
	m := newMatch(t)
	n := m.join(thin)
	x := m.ticket(m.at)
	x.WS, x.WebTransport = "", ""
	for _, schema := range []string{x.Schema, "abc"} {
		x.Schema = schema
		if err := systems.HandOver(m.servers[0], 1, x); err != nil {
			t.Fatal(err)
		}
	}
	told := m.told(n)
	want := []string{"0", "wood ", "0000000000000abc", "", "", base64.StdEncoding.EncodeToString(x.Token.Append(nil))}
	if !slices.Equal(told, want) {
		t.Errorf("told %.200q, want %.200q", told, want)
	}
	if c := m.module.hosts[n-1].Client().Stats(); c.TravelsFailed != 1 || m.module.out(n+maxHosts) != nil {
		t.Errorf("%d travels failed", c.TravelsFailed)
	}
}

// Sockets that the page does not serve are no reason to make more and more.
func TestLinksAreFew(t *testing.T) {
	m := newMatch(t)
	n := m.join(smooth)
	told := 0
	for range 2 * maxLinks {
		if err := systems.HandOver(m.servers[0], 1, m.ticket(netip.MustParseAddrPort("10.0.0.9:1"))); err != nil {
			t.Fatal(err)
		}
		for range 90 { // the page serves the first link alone
			m.now = m.now.Add(time.Second / 60).Truncate(time.Millisecond)
			m.servers[0].Advance(m.now)
			l := m.module.hosts[n-1].links.get(n)
			m.nodes[l].Poll(m.now, func(d netsys.Datagram) { m.module.push(n, ms(m.now), m.put(d.Data...)) })
			m.module.advance(n, ms(m.now))
			for _, b := range m.out(n) {
				_ = m.nodes[l].Send(m.now, m.at, b)
			}
			m.module.sent(n)
			if m.module.ticket(n) > 0 {
				told++
			}
		}
		if got := len(m.module.hosts[n-1].links.all); got > maxLinks {
			t.Fatalf("%d links", got)
		}
	}
	if told != maxLinks-1 || m.module.hosts[n-1].Client().Stats().TravelsFailed == 0 || m.module.end(n) != 0 {
		t.Errorf("%d were told, then %s", told, m.text())
	}
}

// players returns how many players have an entity on a server.
func (m *match) players(server int) (n int) {
	for range ecs.All[struct{ Owner components.Owner }](m.servers[server].World()) {
		n++
	}
	return n
}
