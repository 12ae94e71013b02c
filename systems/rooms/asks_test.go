package rooms

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
)

// asker asks a process as another one would.
type asker struct{ *house }

// put writes a record of asks, under a key that is there already or not.
func (a *asker) put(id string, epoch uint64, what ...asks.Ask) {
	a.t.Helper()
	b := asks.Batch{Epoch: epoch}
	for _, x := range what {
		if !b.Add(x) {
			a.t.Fatal("no room for it")
		}
	}
	value, err := b.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	d, key := a.server.Directory(), asks.Key("one", id)
	was, err := d.Load(context.Background(), key)
	if err != nil && !errors.Is(err, ErrAbsent) {
		a.t.Fatal(err)
	}
	if _, err := d.Save(context.Background(), key, value, was.Revision, asks.Lease); err != nil {
		a.t.Fatal(err)
	}
}

// got is what has been answered under a key; answered is false where nothing was.
func (a *asker) got(id string, what ...asks.Ask) (all []asks.Answer, answered bool) {
	a.t.Helper()
	r, err := a.server.Directory().Load(context.Background(), asks.Key("one", id))
	if err != nil {
		a.t.Fatal(err)
	}
	x, answered, err := asks.ParseAnswers(r.Value, what)
	if err != nil {
		a.t.Fatalf("%s: %v", r.Value, err)
	}
	return x.Answers, answered
}

// players are so many, from a number on.
func players(from uint64, n int) (all []asks.Player) {
	for i := range n {
		all = append(all, asks.Player{ID: from + uint64(i), Party: from})
	}
	return all
}

// taken is how many seats are not free, of all rooms.
func (h *house) taken() (n int) {
	for _, r := range h.server.Rooms() {
		n += r.kind.Capacity - r.Info().Free()
	}
	return n
}

func newAsker(t *testing.T, d Directory) *asker {
	a := &asker{house: newHouse(t, Config{Kinds: []Kind{fields(4)}, Process: "one", Directory: d})}
	a.run(time.Second) // it claims its name
	if a.server.Epoch() == 0 {
		t.Fatal("no epoch")
	}
	return a
}

// A process does what others ask of it: seats for whole parties, rooms, ways back, or why not.
func TestAsked(t *testing.T) {
	a := newAsker(t, nil)
	epoch := a.server.Epoch()
	options := map[string]any{"map": "dust", "level": 3.0}
	what := []asks.Ask{
		{Op: asks.Join, Kind: "field", Options: options, Players: players(1, 3)},
		{Op: asks.Create, Kind: "field", Private: true, Schema: SchemaOf(field()), Players: []asks.Player{{ID: 10, Data: []byte("Ada"), Carried: []byte("a sword")}}},
		{Op: asks.Join, Kind: "field", Options: options, Players: players(4, 1)},
	}
	a.put("x", epoch, what...)
	a.run(time.Second)
	got, answered := a.got("x", what...)
	if !answered || got[0].Room != got[2].Room || got[0].Seats[2].Party != 1 || got[1].Room == got[0].Room || got[1].Code == "" {
		t.Fatalf("%+v, %v", got, answered)
	}
	r := a.server.Room(ID(got[1].Room))
	if !r.Info().Private || string(r.Carried(Seat{Room: r.ID(), Epoch: got[1].Seats[0].Epoch, Player: 10})) != "a sword" {
		t.Error("nothing was carried there")
	}
	room := got[0].Room
	refused := map[string]asks.Ask{
		"full":    {Op: asks.Reserve, Room: room, Players: players(20, 1)},
		"seated":  {Op: asks.Reserve, Room: room, Players: players(1, 1)},
		"no_seat": {Op: asks.Reconnect, Room: room, Players: players(20, 1)},
		"room":    {Op: asks.Reserve, Room: 99, Players: players(20, 1)},
		"kind":    {Op: asks.Join, Kind: "chess", Players: players(20, 1)},
		"schema":  {Op: asks.Join, Kind: "field", Schema: "7", Players: players(20, 1)},
		"options": {Op: asks.Join, Kind: "field", Options: map[string]any{"a": []any{1}}, Players: players(20, 1)},
		"player":  {Op: asks.Create, Kind: "field"},
		"room-2":  {Op: asks.Reserve, Claim: true, Room: 99, Players: players(20, 1)},
	}
	for name, x := range refused {
		a.put(name, epoch, x, asks.Ask{Op: asks.Reconnect, Room: room, Players: players(2, 1)}, asks.Ask{Op: "dance", Players: players(1, 1)}, asks.Ask{Op: asks.Reconnect, Room: room})
	}
	a.run(time.Second)
	for name, x := range refused {
		got, _ := a.got(name, x, asks.Ask{Op: asks.Reconnect, Room: room, Players: players(2, 1)}, asks.Ask{Players: players(1, 1)}, asks.Ask{})
		if want, _, _ := strings.Cut(name, "-"); got[0].Refused != want || got[0].Why == "" || got[1].Refused != "" || got[1].Seats[0].Epoch < 2 || got[2].Refused != "player" || got[3].Refused != "player" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := a.taken(); n != 5 {
		t.Errorf("%d seats are taken, of 5 that were given", n)
	}
}

// A process carries out an ask once. It does nothing about an ask that is written again.
func TestAskedTwice(t *testing.T) {
	a := newAsker(t, nil)
	x := asks.Ask{Op: asks.Create, Kind: "field", Players: players(1, 1)}
	for i := range 3 {
		a.put("x", a.server.Epoch(), x)
		a.run(100 * time.Millisecond)
		if _, answered := a.got("x", x); answered != (i == 0) {
			t.Errorf("time %d: answered %v", i, answered)
		}
	}
	if n := a.taken(); n != 1 {
		t.Errorf("%d seats for one ask", n)
	}
}

// While an answer cannot be written the ask is not done again: it is the same answer that is there in the end.
func TestAnswerIsWrittenLater(t *testing.T) {
	d := &moody{Memory: NewMemory(nil)}
	a := newAsker(t, d)
	d.Memory = NewMemory(func() time.Time { return a.now })
	a.run(30 * time.Second)
	x := asks.Ask{Op: asks.Create, Kind: "field", Players: players(1, 1)}
	a.put("x", a.server.Epoch(), x)
	d.set(true)
	a.run(time.Second)
	if _, answered := a.got("x", x); answered || a.taken() != 1 {
		t.Fatalf("answered %v, %d seats", answered, a.taken())
	}
	d.set(false)
	a.run(time.Second)
	got, answered := a.got("x", x)
	if !answered || got[0].Refused != "" || a.taken() != 1 {
		t.Errorf("%+v, %v, %d seats", got, answered, a.taken())
	}
}

// What is asked of a process before it claimed its name anew is not done, and what is asked of one that may be taken for
// dead is not even answered.
func TestOldEpochs(t *testing.T) {
	d := &moody{Memory: NewMemory(nil)}
	a := newAsker(t, d)
	d.Memory = NewMemory(func() time.Time { return a.now })
	a.run(30 * time.Second)
	x := asks.Ask{Op: asks.Create, Kind: "field", Players: players(1, 1)}
	epoch := a.server.Epoch()
	for id, other := range map[string]uint64{"none": 0, "old": epoch - 1, "next": epoch + 1} {
		a.put(id, other, x)
	}
	a.run(time.Second)
	for _, id := range []string{"none", "old", "next"} {
		if got, answered := a.got(id, x); !answered || got[0].Refused != asks.OldEpoch {
			t.Errorf("%s: %+v, %v", id, got, answered)
		}
	}
	d.set(true)
	a.run(20 * time.Second)
	if !a.server.Fenced() {
		t.Fatal("it is not fenced")
	}
	d.Memory = NewMemory(func() time.Time { return a.now })
	d.set(false)
	a.put("later", epoch, x)
	a.put("fenced", 0, x)
	d.set(true)
	a.run(time.Second)
	if _, answered := a.got("later", x); answered || a.taken() != 0 {
		t.Errorf("answered %v, %d seats", answered, a.taken())
	}
}
