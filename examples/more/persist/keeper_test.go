package main

import (
	"errors"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

var address = netip.MustParseAddrPort("127.0.0.1:7777")

// match is a server on a virtual network with at most one client.
type match struct {
	*testing.T
	network *netsys.Network
	now     time.Time
	*keeper
	client *systems.Client
}

func newMatch(t *testing.T, store Store) *match {
	m := &match{T: t, network: netsys.NewNetwork(), now: time.Unix(0, 0)}
	var err error
	if m.keeper, err = newKeeper(m.network.Node(address), store, config{Interval: time.Second, Log: slog.New(slog.DiscardHandler)}, m.now); err != nil {
		t.Fatal(err)
	}
	return m
}

// join connects a client of player 7.
func (m *match) join(think func(*systems.Client, *Move)) {
	m.Helper()
	var err error
	m.client, err = systems.NewClient(m.network.Node(netip.AddrPort{}), address, protocol(), systems.ClientConfig{
		Start: m.now, Gather: systems.Gather(think), Schedule: systems.Thin, Session: systems.ClientSession{ClientID: 7},
	})
	if err != nil {
		m.Fatal(err)
	}
}

// until runs ticks until holds returns true.
func (m *match) until(holds func() bool) {
	for !holds() {
		m.now = m.now.Add(time.Second / 60)
		m.server.Advance(m.now)
		m.step(m.now)
		m.client.Advance(m.now)
		time.Sleep(100 * time.Microsecond) // for the goroutines of the keeper
	}
}

// sees returns the state of its player on the client.
func (m *match) sees() (p Player, confirmed uint32, ok bool) {
	if m.client.World() == nil {
		return
	}
	for e, p := range ecs.All[struct {
		Place Place
		Score Score
		Bag   Bag
	}](m.client.World()) {
		if r := ecs.Get[Receipt](m.client.World(), e); r != nil {
			return Player{7, p.Place, p.Score, p.Bag}, r.Bought, true
		}
	}
	return
}

// stay is a client without keys.
func stay(*systems.Client, *Move) {}

// A player who left has the same place, score and bag in the next process, and the coins are still there.
func TestReturn(t *testing.T) {
	store, err := OpenSQLite(filepath.Join(t.TempDir(), "persist.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m := newMatch(t, store)
	m.join(new(bot).think)
	m.until(func() bool { _, confirmed, _ := m.sees(); return confirmed >= 2 })
	if err := m.client.Close(m.now); err != nil {
		t.Fatal(err)
	}
	var row Player
	m.until(func() bool {
		row, _, err = store.Player(7)
		return err != nil || len(m.written) == 0 && row.Bag.Bought > 0
	})
	if err != nil || row.Score.Points < 2*price {
		t.Fatalf("the row has %+v: %v", row, err)
	}
	if err := m.server.Close(m.now); err != nil {
		t.Fatal(err)
	}

	m = newMatch(t, store)
	m.join(stay)
	m.until(func() bool { _, _, ok := m.sees(); return ok })
	for _, p := range ecs.All[player](m.server.World()) {
		if p.stored() != row || p.Receipt.Bought != row.Bag.Bought {
			t.Errorf("the player is %+v with receipt %d, want the row %+v", p.stored(), p.Receipt.Bought, row)
		}
	}
	total := int(row.Bag.Coins)
	for range ecs.All[struct{ Coin Coin }](m.server.World()) {
		total++
	}
	if total != coins {
		t.Errorf("%d coins, want %d", total, coins)
	}
}

// fragile is a store whose commits fail for a time.
type fragile struct {
	Store
	broken atomic.Bool
}

func (f *fragile) Commit(world []byte, players []Player) error {
	if f.broken.Load() {
		return errors.New("disk full")
	}
	return f.Store.Commit(world, players)
}

// While the store fails, the game continues, a player who leaves and returns has everything, and no purchase is confirmed.
func TestStoreFails(t *testing.T) {
	file, err := OpenSQLite(filepath.Join(t.TempDir(), "persist.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	store := &fragile{Store: file}
	store.broken.Store(true)
	m := newMatch(t, store)
	m.join(new(bot).think)
	var before, after Player
	m.until(func() bool { before, _, _ = m.sees(); return before.Bag.Bought == 1 })
	if err := m.client.Close(m.now); err != nil {
		t.Fatal(err)
	}
	m.until(func() bool { return len(m.left) == 1 })
	m.join(stay)
	confirmed, ok := uint32(0), false
	m.until(func() bool { after, confirmed, ok = m.sees(); return ok })
	if after.Bag.Bought != 1 || after.Score.Points < before.Score.Points || confirmed != 0 {
		t.Errorf("the player returns with %+v after %+v; %d purchases are confirmed, want none", after, before, confirmed)
	}
	for range 300 {
		ticks := m.server.Tick()
		m.until(func() bool { return m.server.Tick() > ticks })
	}
	if _, confirmed, _ = m.sees(); confirmed != 0 {
		t.Error("a purchase is confirmed that is not stored")
	}
	store.broken.Store(false)
	m.until(func() bool { _, confirmed, _ = m.sees(); return confirmed == 1 })
}
