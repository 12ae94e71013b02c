package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/internal/faulty"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

const (
	campaignStep     = 50 * time.Millisecond
	campaignTime     = 4 * time.Minute
	campaignPromise  = 5 * time.Second
	campaignCapacity = 3
	askTime          = 500 * time.Millisecond
)

var dawn = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// process is a process of the fleet. A killed process that is started again is another one.
type process struct {
	name   string
	server *rooms.Server
	fleet  *fleet.Fleet
	wire   *netsys.Node
	view   *faulty.View
	skew   time.Duration // of its clock at the beginning
	rate   float64       // of its clock, more or less than 1
	paused time.Time     // until then
	healed time.Time     // it is cut off until then
	dead   bool
	left   map[rooms.ID]map[uint64]int // who is seated by room, as its hooks say
}

// local is the wire of a process: on its way a datagram knows no clock, and both ends count by their own.
type local struct {
	*netsys.Node
	campaign *campaign
	clock    func() time.Time
}

// Poll implements netsys.Wire.
func (l local) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	l.Node.Poll(l.campaign.now, func(d netsys.Datagram) {
		d.At = l.clock()
		deliver(d)
	})
}

// Send implements netsys.Wire.
func (l local) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	return l.Node.Send(l.campaign.now, to, b)
}

// someone is a player.
type someone struct {
	id     uint64
	client *systems.Client
	wire   *netsys.Node
	at     *process // whose the room is
	given  rooms.Admission
	since  time.Time     // when the seat was given
	asks   time.Time     // not before
	room   rooms.ID      // where it wants to be again; 0: anywhere
	seated time.Time     // when it had a seat last
	out    time.Duration // for how long it does not play
}

// campaign is four processes on one directory, and players, in virtual time. It knows what each process believes.
type campaign struct {
	t         testing.TB
	rng       *rand.Rand
	seed      uint64
	now       time.Time
	net       *netsys.Network
	faulty    *faulty.Directory
	downUntil time.Time
	key       netcode.Key
	started   int
	processes []*process
	waiting   map[string]time.Time // names whose process was killed, until they start again
	players   []*someone
	store     rooms.Store
	owner     map[rooms.ID]owner
	said      []string
	counts    map[string]int
}

// owner is the last owner of a room.
type owner struct {
	process *process
	epoch   uint64
}

func (f *campaign) say(format string, v ...any) {
	f.said = append(f.said, fmt.Sprintf("%8v ", f.now.Sub(dawn))+fmt.Sprintf(format, v...))
}

func (f *campaign) fail(format string, v ...any) {
	f.t.Helper()
	for _, line := range f.said[max(0, len(f.said)-600):] {
		f.t.Log(line)
	}
	f.t.Fatalf("%v: %s", f.now.Sub(dawn), fmt.Sprintf(format, v...))
}

// start starts a process.
func (f *campaign) start(name string) *process {
	f.t.Helper()
	f.started++
	p := &process{
		name: name, wire: f.net.Node(netip.AddrPort{}), view: f.faulty.View(), left: make(map[rooms.ID]map[uint64]int),
		skew: time.Duration(f.rng.IntN(2000)-1000) * time.Millisecond, rate: 1 + (f.rng.Float64()-0.5)/250,
	}
	kind := rooms.Kind{Name: "plain", Protocol: roomstest.Field, Capacity: campaignCapacity, Server: systems.ServerConfig{TickRate: 10}, Grace: 8 * time.Second, Linger: 5 * time.Second}
	kind.Joined = func(r *rooms.Room, s rooms.Seat, _ uint32) {
		if p.left[r.ID()] == nil {
			p.left[r.ID()] = make(map[uint64]int)
		}
		p.left[r.ID()][s.Player]++
	}
	kind.Left = func(r *rooms.Room, s rooms.Seat) {
		if p.left[r.ID()][s.Player]--; p.left[r.ID()][s.Player] < 0 {
			f.fail("player %d left room %v of %s, and had not joined", s.Player, r.ID(), name)
		}
	}
	kind.Created = func(r *rooms.Room, _ *ecs.World) error {
		if r.Loaded() == 0 {
			return nil
		}
		f.counts["loaded"]++
		p.left[r.ID()] = make(map[uint64]int)
		for _, s := range r.Seats() {
			p.left[r.ID()][s.Player]++ // they joined in another process
		}
		return nil
	}
	kind.Ended = func(r *rooms.Room, why error) {
		if errors.Is(why, rooms.ErrMoved) {
			f.counts["moved"]++
			f.say("%s: room %v has moved", name, r.ID())
			return // nobody has left
		}
		for player, n := range p.left[r.ID()] {
			if n != 0 {
				f.fail("room %v of %s has ended, and the game has not heard that player %d left", r.ID(), name, player)
			}
		}
		if errors.Is(why, fleet.ErrClaimed) || errors.Is(why, rooms.ErrStale) {
			f.counts["lost"]++
		}
		f.say("%s: room %v ended: %v", name, r.ID(), why)
	}
	var err error
	p.server, err = rooms.New(rooms.Config{
		Kinds: []rooms.Kind{kind}, Process: name, Key: f.key, Promise: campaignPromise, Store: f.store,
		Now: func() time.Time { return f.clock(p) }, Random: netsys.SeededRandom(f.seed<<16 + uint64(f.started)),
		Told: func(n rooms.Notice) {
			f.counts[string(n.Event)]++
			if n.Event == rooms.ProcessFenced || n.Event == rooms.ProcessBack || n.Event == rooms.RoomClaimed {
				f.say("%s: %s %v", name, n.Event, n.Room)
			}
		},
	}, local{p.wire, f, func() time.Time { return f.clock(p) }})
	if err != nil {
		f.t.Fatal(err)
	}
	if p.fleet, err = fleet.New(fleet.Config{Directory: p.view, Here: p.server}); err != nil {
		f.t.Fatal(err)
	}
	f.processes = append(f.processes, p)
	f.say("%s starts", name)
	return p
}

// clock returns the time of day to a process.
func (f *campaign) clock(p *process) time.Time {
	return dawn.Add(p.skew + time.Duration(float64(f.now.Sub(dawn))*p.rate))
}

// runs reports whether a process does anything at present.
func (f *campaign) runs(p *process) bool { return !p.dead && !f.now.Before(p.paused) }

// cut reports whether a process has no way to the directory.
func (f *campaign) cut(p *process) bool { return f.now.Before(p.healed) }

// down reports whether writes to the directory fail.
func (f *campaign) down() bool { return f.now.Before(f.downUntil) }

// kill kills a process.
func (f *campaign) kill(p *process) {
	p.dead = true
	_ = p.wire.Close()
	f.say("%s is killed", p.name)
}

// replace ends a process that has drained, and starts another one in its place.
func (f *campaign) replace(p *process) {
	select {
	case <-p.server.Drained():
		f.say("%s has drained", p.name)
		if err := p.server.Close(f.clock(p)); err != nil {
			f.fail("%v", err)
		}
		p.dead = true
		f.waiting[p.name] = f.now.Add(time.Second)
	default:
	}
}

// trouble makes something go wrong.
func (f *campaign) trouble() {
	var live []*process
	for _, p := range f.processes {
		if f.runs(p) {
			live = append(live, p)
		}
	}
	span := func(most int) time.Duration { return time.Duration(1+f.rng.IntN(most)) * time.Second }
	if len(live) == 0 {
		return
	}
	p := live[f.rng.IntN(len(live))]
	switch f.rng.IntN(9) {
	case 0, 1:
		f.kill(p)
		f.waiting[p.name] = f.now.Add(span(25))
	case 2, 3:
		p.paused = f.now.Add(span(30))
		f.say("%s pauses until %v", p.name, p.paused.Sub(dawn))
		if f.rng.IntN(3) == 0 { // somebody starts another one in its place
			f.waiting[p.name] = f.now.Add(span(10))
		}
	case 4, 5:
		p.view.Cut(true)
		p.healed = f.now.Add(span(30))
		f.say("%s is cut off until %v", p.name, p.healed.Sub(dawn))
	case 6:
		f.faulty.Down(true)
		f.downUntil = f.now.Add(span(20))
		f.say("nobody can write until %v", f.downUntil.Sub(dawn))
	case 7, 8:
		p.server.Drain()
		f.say("%s drains", p.name)
	}
}

// pass lets a moment pass.
func (f *campaign) pass() {
	f.now = f.now.Add(campaignStep)
	if !f.downUntil.IsZero() && !f.down() {
		f.faulty.Down(false)
		f.downUntil = time.Time{}
		f.say("writes work again")
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if at, waits := f.waiting[name]; waits && !f.now.Before(at) {
			delete(f.waiting, name)
			f.start(name)
		}
	}
	for _, p := range f.processes {
		if !p.healed.IsZero() && !f.cut(p) {
			p.view.Cut(false)
			p.healed = time.Time{}
			f.say("%s is cut off no more", p.name)
		}
		if f.runs(p) {
			p.server.Advance(f.clock(p))
			f.replace(p)
		}
	}
	for _, s := range f.players {
		f.live(s)
	}
	f.check()
}

// believes returns the rooms that a process believes to be its own.
func (p *process) believes() (all []*rooms.Room) {
	for _, r := range p.server.Rooms() {
		if i := r.Info(); !i.Orphaned && i.State != rooms.Ended {
			all = append(all, r)
		}
	}
	return all
}

// check checks the invariants of the processes' beliefs.
func (f *campaign) check() {
	f.t.Helper()
	names, owns := make(map[string]*process), make(map[rooms.ID]*process)
	for _, p := range f.processes {
		if !f.runs(p) {
			continue
		}
		if p.fleet.Epoch() != 0 {
			if names[p.name] != nil {
				f.fail("two processes have the name %s, by claims %d and %d", p.name, names[p.name].fleet.Epoch(), p.fleet.Epoch())
			}
			names[p.name] = p
		}
		for _, r := range p.believes() {
			if other := owns[r.ID()]; other != nil {
				f.fail("%s and %s have room %v, under epochs %d and %d", other.name, p.name, r.ID(), other.server.Room(r.ID()).Epoch(), r.Epoch())
			}
			owns[r.ID()] = p
			last := f.owner[r.ID()]
			if r.Epoch() < last.epoch {
				f.fail("%s has room %v under epoch %d after %s under %d", p.name, r.ID(), r.Epoch(), last.process.name, last.epoch)
			}
			f.owner[r.ID()] = owner{p, r.Epoch()}
		}
	}
	calm := !f.down()
	if calm {
		calm = false
		for _, p := range f.processes {
			calm = calm || f.runs(p) && !f.cut(p) && p.fleet.Epoch() != 0
		}
	}
	for _, s := range f.players {
		if !calm || s.seat(f) {
			s.seated = f.now
		}
		if calm {
			s.out += campaignStep
		}
		if s.client != nil && s.playing() {
			s.out = 0
		}
		if s.out > time.Minute {
			f.fail("player %d has not played for %v; it wants room %v", s.id, s.out, s.room)
		}
		if lost := f.now.Sub(s.seated); lost > fleet.ProcessLease+campaignPromise {
			f.fail("player %d has no seat for %v; it wants room %v", s.id, lost, s.room)
		}
	}
}

// seat reports whether a player has a seat of a living process: it plays there, or is on its way.
func (s *someone) seat(f *campaign) bool {
	return s.client != nil && s.client.Err() == nil && !s.at.dead && (s.playing() || f.now.Sub(s.since) <= campaignPromise)
}

func (s *someone) playing() bool {
	_, ok := s.client.Own(s.client.World())
	return ok
}

// live is a moment of a player.
func (f *campaign) live(s *someone) {
	if s.client != nil {
		s.client.Advance(f.now)
		s.client.Frame(f.now)
		switch {
		case s.client.Err() != nil:
			f.say("player %d: %v", s.id, s.client.Err())
			f.drop(s)
		case !s.playing() && f.now.Sub(s.since) > campaignPromise:
			f.say("player %d did not get to %s", s.id, s.at.name)
			f.drop(s)
		}
	}
	if s.client != nil || f.now.Before(s.asks) {
		return
	}
	s.asks = f.now.Add(askTime)
	var live []*process
	for _, p := range f.processes {
		if f.runs(p) {
			live = append(live, p)
		}
	}
	f.rng.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	for _, by := range live {
		if f.ask(s, by) {
			return
		}
	}
}

func (f *campaign) drop(s *someone) {
	_ = s.wire.Close()
	s.client = nil
}

// give connects a player with an admission.
func (f *campaign) give(s *someone, at *process, a rooms.Admission) {
	s.wire = f.net.Node(netip.AddrPort{})
	c, err := systems.NewClient(s.wire, netip.AddrPort{}, roomstest.Field(), systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token}, Start: f.now, Gather: systems.Gather(func(_ *systems.Client, in *roomstest.Push) { in.DX = 1 }),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	s.client, s.at, s.given, s.since, s.room = c, at, a, f.now, a.Seat.Room
	f.counts["given"]++
	f.say("player %d gets seat %d of room %v of %s, epoch %x", s.id, a.Seat.Number, a.Seat.Room, at.name, a.Seat.Epoch)
}

// ask lets a player request a seat from a process: its previous seat, another one in that room, or any. The process looks up
// the owner of the room in the directory, and claims a room without an owner. ask returns false if another process may have a
// better answer.
func (f *campaign) ask(s *someone, by *process) bool {
	if s.room == 0 {
		all, err := by.server.Join("plain", nil, rooms.Player{ID: s.id})
		if err != nil {
			f.say("player %d at %s: %v", s.id, by.name, err)
			return false
		}
		f.give(s, by, all[0])
		return true
	}
	has, err := f.find(s, by)
	if errors.Is(err, fleet.ErrAbsent) { // the room may have a save
		a, absent := by.fleet.Reconnect(context.Background(), s.room, rooms.Player{ID: s.id})
		for _, p := range f.processes {
			if absent == nil && p.name == a.Process && f.runs(p) && p.fleet.Epoch() != 0 {
				f.counts["without a record"]++
				f.give(s, p, a)
				return true
			}
		}
		if errors.Is(absent, rooms.ErrUnavailable) {
			return false
		}
	}
	if errors.Is(err, rooms.ErrEnded) || errors.Is(err, fleet.ErrAbsent) {
		s.room = 0
		return f.ask(s, by)
	}
	if err != nil {
		return false
	}
	a, err := rooms.Admission{}, rooms.ErrEnded
	if r := has.server.Room(s.room); r != nil {
		if a, err = r.Reconnect(rooms.Player{ID: s.id}); errors.Is(err, rooms.ErrNoSeat) {
			var all []rooms.Admission
			if all, err = r.Reserve(rooms.Player{ID: s.id}); err == nil {
				a = all[0]
			}
		}
	}
	switch {
	case err == nil:
		f.give(s, has, a)
		return true
	case errors.Is(err, rooms.ErrUnavailable):
		return false
	}
	s.room = 0
	return f.ask(s, by)
}

var errLater = errors.New("later")

// find returns the process that has the room that a player wants.
func (f *campaign) find(s *someone, by *process) (*process, error) {
	if r := by.server.Room(s.room); r != nil && !r.Info().Orphaned {
		return by, nil
	}
	var e rooms.RoomEntry
	if err := load(by.view, fleet.RoomKey(s.room), &e); err != nil {
		return nil, err
	}
	var p fleet.ProcessEntry
	switch err := load(by.view, fleet.ProcessKey(e.Process), &p); {
	case err == nil && p.Epoch == e.ProcessEpoch:
		for _, has := range f.processes {
			if has.name == e.Process && f.runs(has) && has.fleet.Epoch() == e.ProcessEpoch && !f.cut(has) && !f.cut(by) {
				return has, nil
			}
		}
		return nil, errLater
	case err != nil && !errors.Is(err, fleet.ErrAbsent):
		return nil, err
	}
	_, err := by.fleet.Claim(context.Background(), e)
	f.say("%s claims room %v of %s for player %d: %v", by.name, e.ID, e.Process, s.id, err)
	return by, err
}

// load reads an entry.
func load(d fleet.Directory, key string, entry any) error {
	r, err := d.Load(context.Background(), key)
	if err != nil {
		return err
	}
	return json.Unmarshal(r.Value, entry)
}

// settle ends all faults, and checks that the directory contains exactly the truth.
func (f *campaign) settle() {
	f.t.Helper()
	f.faulty.Set(faulty.Odds{})
	for _, p := range f.processes {
		p.paused = time.Time{}
		p.healed = min2(p.healed, f.now)
	}
	f.downUntil = min2(f.downUntil, f.now)
	f.wait(2 * fleet.ProcessLease)
	named := make(map[string]bool)
	for _, p := range f.processes {
		named[p.name] = named[p.name] || f.runs(p) && p.fleet.Epoch() != 0
	}
	for _, p := range f.processes {
		if f.runs(p) && p.fleet.Epoch() == 0 {
			if !named[p.name] {
				f.fail("nobody has the name %s", p.name)
			}
			f.kill(p) // another one was started in its place
		}
	}
	f.wait(fleet.ProcessLease + fleet.StayTime + 30*time.Second)
	f.tidy()
	for _, s := range f.players {
		if s.client == nil || !s.playing() {
			f.fail("in the end player %d does not play", s.id)
		}
	}
	// Two processes die for good.
	for _, p := range f.processes[len(f.processes)-2:] {
		if f.runs(p) {
			f.kill(p)
		}
	}
	f.wait(fleet.ProcessLease + fleet.StayTime + 30*time.Second)
	f.tidy()
}

// min2 returns a time that has come, zero for none.
func min2(at, now time.Time) time.Time {
	if at.IsZero() || at.Before(now) {
		return at
	}
	return now
}

func (f *campaign) wait(d time.Duration) {
	for end := f.now.Add(d); f.now.Before(end); {
		f.pass()
	}
}

// tidy checks the directory against the processes.
func (f *campaign) tidy() {
	f.t.Helper()
	all, err := f.faulty.View().List(context.Background(), "")
	if err != nil {
		f.t.Fatal(err)
	}
	has := make(map[string]bool)
	for _, r := range all {
		has[r.Key] = true
		var e struct {
			Process string   `json:"process"`
			Claim   uint64   `json:"process_epoch"`
			Epoch   uint64   `json:"epoch"`
			ID      rooms.ID `json:"id"`
		}
		if err := json.Unmarshal(r.Value, &e); err != nil {
			f.fail("%s: %v", r.Key, err)
		}
		if strings.HasPrefix(r.Key, "epoch.") {
			continue
		}
		if strings.HasPrefix(r.Key, fleet.ProcessPrefix) {
			e.Claim = e.Epoch
		}
		var by *process
		for _, p := range f.processes {
			if f.runs(p) && p.name == e.Process && p.fleet.Epoch() == e.Claim && e.Claim != 0 {
				by = p
			}
		}
		switch {
		case by == nil:
			f.fail("%s is left of %s, claim %d: %s", r.Key, e.Process, e.Claim, r.Value)
		case e.ID != 0 && (by.server.Room(e.ID) == nil || by.server.Room(e.ID).Epoch() != e.Epoch):
			f.fail("%s says what is not so: %s", r.Key, r.Value)
		}
	}
	for _, p := range f.processes {
		if !f.runs(p) {
			continue
		}
		for _, r := range p.server.Rooms() {
			if !has[fleet.RoomKey(r.ID())] || r.Info().Orphaned {
				f.fail("room %v of %s, claim %d, is not in the directory, or orphaned: %+v", r.ID(), p.name, p.fleet.Epoch(), r.Info())
			}
		}
	}
}

// Four processes are killed, paused, replaced while they are paused, drained and disconnected, with a directory that refuses
// writes, loses answers, executes writes late and stalls. No two processes ever believe that they have one name or one room.
// No room's epoch decreases. No player is without a seat for longer than a lease and a promise while some process can give
// one. Nothing of dead processes stays in the directory.
func TestOwnersCampaign(t *testing.T) {
	total := make(map[string]int)
	if race.Enabled {
		t.Skip("takes half a minute a seed, and there is one goroutine")
	}
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		f := &campaign{
			t: t, rng: rand.New(rand.NewPCG(seed, 3)), seed: seed, now: dawn, net: netsys.NewNetwork(), key: netcode.GenerateKey(netsys.SeededRandom(seed)),
			store: newSaves(), waiting: make(map[string]time.Time), owner: make(map[rooms.ID]owner), counts: make(map[string]int),
		}
		memory := fleet.NewMemory(func() time.Time { return f.now })
		f.faulty = faulty.New(memory, func() time.Time { return f.now }, seed, faulty.Odds{Refused: 0.02, Lost: 0.02, Late: 0.02})
		for _, name := range []string{"a", "b", "c", "d"} {
			f.start(name)
		}
		f.wait(2 * time.Second)
		for id := range uint64(8) {
			f.players = append(f.players, &someone{id: id + 1, seated: f.now})
		}
		next := f.now.Add(10 * time.Second)
		for f.now.Sub(dawn) < campaignTime {
			f.pass()
			if !f.now.Before(next) {
				f.trouble()
				next = f.now.Add(time.Duration(2000+f.rng.IntN(12000)) * time.Millisecond)
			}
		}
		f.settle()
		for what, n := range f.counts {
			total[what] += n
		}
	})
	t.Logf("%v", total)
	for _, what := range []string{"claimed", "fenced", "back", "lost", "given", "loaded", "moved"} {
		if total[what] == 0 && !t.Failed() {
			t.Errorf("nothing was %s: the schedule tests nothing: %v", what, total)
		}
	}
}
