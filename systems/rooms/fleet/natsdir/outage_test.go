package natsdir

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// long is the environment variable that asks for the long form of tests.
const long = "TACTUS_LONG"

// venue is a process with rooms in real time, and its players.
type venue struct {
	*rooms.Server
	t       *testing.T
	fleet   *fleet.Fleet // all rooms, asked from here
	players []*systems.Client
	rooms   []*rooms.Room
	next    uint64 // player
}

// newVenue starts one with two rooms, in each of which two play.
func newVenue(t *testing.T, name string, key netcode.Key, d fleet.Directory) *venue {
	t.Helper()
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	kind := rooms.Kind{
		Name: "field", Protocol: roomstest.Field, Capacity: 200, Linger: -1,
		Server: systems.ServerConfig{TickRate: 20, Overload: systems.Overload{Off: true}},
	}
	s, err := rooms.New(rooms.Config{Process: name, Kinds: []rooms.Kind{kind}, Key: key}, wire)
	if err != nil {
		t.Fatal(err)
	}
	v := &venue{Server: s, t: t, next: 1}
	if d != nil {
		if v.fleet, err = fleet.New(fleet.Config{Directory: d, Here: s, RequestTimeout: time.Second}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for range 2 {
		r, err := s.Create(kind.Name, rooms.Creation{})
		if err != nil {
			t.Fatal(err)
		}
		v.rooms = append(v.rooms, r)
		all, err := r.Reserve(rooms.Player{ID: v.player()}, rooms.Player{ID: v.player()})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			c, err := systems.Dial(ctx, a.Addresses[0].String(), roomstest.Field(), systems.ClientConfig{Session: systems.ClientSession{Token: a.Token}})
			if err != nil {
				t.Fatal(err)
			}
			v.players = append(v.players, c)
		}
	}
	return v
}

// player returns the ID of a new player.
func (v *venue) player() uint64 { v.next++; return v.next }

// dropped returns how many ticks were due and not run, of the room that has dropped most.
func (v *venue) dropped() (most uint64) {
	v.t.Helper()
	for _, r := range v.rooms {
		if err := r.Do(func(s *systems.Server) { most = max(most, s.Stats().TicksDropped) }); err != nil {
			v.t.Fatal(err)
		}
	}
	return most
}

// joins lets a player join here. Whatever the directory does, this works as long as the process owns its rooms: for most of a
// lease.
func (v *venue) joins(since time.Time) {
	v.t.Helper()
	_, err := v.Join(v.Kinds()[0].Name, nil, rooms.Player{ID: v.player()})
	if down := time.Since(since); err != nil && (!v.Membership().Fenced || down < fleet.ProcessLease/2) {
		v.t.Fatalf("a join to rooms of this process, %v after writes were refused: %v", down, err)
	}
}

// joinsAt lets a player request a seat of another venue's room here, and reports whether there was an answer. Otherwise the
// caller retries.
func (v *venue) joinsAt(other *venue) bool {
	v.t.Helper()
	_, err := v.fleet.Reserve(v.t.Context(), other.rooms[0].ID(), rooms.Player{ID: rand.Uint64() | 1<<40})
	switch {
	case err == nil, errors.Is(err, rooms.ErrFull): // it has answered
		return true
	case errors.Is(err, rooms.ErrUnavailable):
		return false
	}
	v.t.Fatalf("a join to rooms of another process: %v", err)
	return false
}

// play lets the players of venues play until stop is closed, and then counts them.
func play(t *testing.T, stop <-chan struct{}, all ...*venue) {
	for {
		now := time.Now()
		for _, v := range all {
			for _, c := range v.players {
				c.Advance(now)
			}
		}
		select {
		case <-stop:
			for _, v := range all {
				for n, c := range v.players {
					if !c.Connected() {
						t.Errorf("%s: player %d of 4 does not play to the end: %v", v.Process(), n+1, c.Err())
					}
					if err := c.Close(now); err != nil {
						t.Error(err)
					}
				}
			}
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// While the leader of three servers is killed repeatedly, rooms play on: they lose no more ticks than rooms without a fleet,
// no player is disconnected, and joins to rooms of the same process always work. Writes work again after each failure.
func TestRoomsOutliveLeaders(t *testing.T) {
	t.Parallel()
	kills := 1
	if os.Getenv(long) != "" {
		kills = 10
	}
	outlive(t, newCluster(t), kills)
}

// outlive kills the leader of a cluster several times while players are in rooms.
func outlive(t *testing.T, c *cluster, kills int) {
	t.Helper()
	var directories []*Directory
	for range 2 {
		ctx, enough := context.WithTimeout(t.Context(), patience)
		d, err := Open(ctx, c.Config)
		enough()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		directories = append(directories, d)
	}
	c.settled(directories[0])
	key := netcode.GenerateKey(nil)
	alone := newVenue(t, "alone", key, nil)
	one, two := newVenue(t, "one", key, directories[0]), newVenue(t, "two", key, directories[1])
	stop, played := make(chan struct{}), make(chan struct{})
	go func() { defer close(played); play(t, stop, alone, one, two) }()
	hears := func(d *Directory, process string) bool {
		_, known := d.cache.load(fleet.ProcessKey(process))
		return known
	}
	within(t, "they hear of each other", func() bool { return hears(directories[0], "two") && hears(directories[1], "one") })
	knows := func(v, other *venue) bool { _, ok := v.fleet.Find(other.rooms[0].ID().String()); return ok }
	within(t, "they know each other's rooms", func() bool { return knows(one, two) && knows(two, one) })
	for n := range kills {
		c.settled(directories[0])
		name := c.leader(directories[0])
		c.kill(name)
		refused, began := 0, time.Now()
		within(t, "writes go on", func() bool {
			one.joins(began)
			two.joins(began)
			_, err := directories[0].Save(t.Context(), "test.kill", nil, 0, time.Second)
			switch {
			case err == nil, errors.Is(err, fleet.ErrConflict):
				return true
			case !errors.Is(err, rooms.ErrUnavailable):
				t.Fatal(err)
			}
			refused++
			if !hears(directories[0], "two") || !hears(directories[1], "one") {
				t.Fatal("a process that could not say that it is there is taken for dead")
			}
			return false
		})
		if refused == 0 {
			t.Errorf("kill %d: no write was refused: the one that was killed did not lead", n+1)
		}
		writes, tries := time.Since(began), 0
		within(t, "joins to rooms of another process go on", func() bool { tries++; return one.joinsAt(two) && two.joinsAt(one) })
		t.Logf("kill %d, of %s: writes again after %v, %d were refused; joins elsewhere after %v, %d tries", n+1, name,
			writes.Round(time.Millisecond), refused, time.Since(began).Round(time.Millisecond), tries)
		c.begin(name)
	}
	within(t, "they renew their leases", func() bool {
		down, _ := directories[1].health.down(time.Now())
		return !down && hears(directories[0], "two") && hears(directories[1], "one")
	})
	close(stop)
	<-played
	// A machine that is too slow drops ticks of all of them alike; who waits for the directory drops some hundred a kill.
	most := alone.dropped() + 10
	for _, v := range []*venue{one, two} {
		if n := v.dropped(); n > most {
			t.Errorf("rooms of %s have lost %d ticks, those without a fleet %d", v.Process(), n, most-10)
		}
	}
}

// A directory that reconnects again and again, or reads the stream anew, has one consumer.
func TestOneConsumer(t *testing.T) {
	ctx, enough := context.WithTimeout(t.Context(), patience)
	defer enough()
	d, err := Open(ctx, embedded(t, 1).Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	consumers := func() int {
		i, err := d.stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return i.State.Consumers
	}
	within(t, "it follows the stream", func() bool { return consumers() == 1 })
	for n := range 20 {
		before := d.heard.Load()
		if n%2 == 0 {
			if err := d.conn.ForceReconnect(); err != nil {
				t.Fatal(err)
			}
		} else {
			d.readAgain()
		}
		within(t, "the stream is read again", func() bool { return d.heard.Load() != before && d.conn.IsConnected() })
	}
	within(t, "one consumer is left", func() bool { return consumers() <= 1 })
}
