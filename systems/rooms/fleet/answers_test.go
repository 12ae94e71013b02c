package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// askedWorld is a process that is asked for seats as another one would do.
type askedWorld struct{ *world }

// reply is a process's answer.
type reply struct {
	Refused, Why, Code string
	Room               uint64 `json:",string"`
	Seats              []struct {
		N     uint16
		Epoch uint32 `json:"e"`
		Party uint64 `json:"p,string"`
	}
}

func newAskedWorld(t *testing.T) *askedWorld {
	h := &askedWorld{newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(4)}, Process: "one"}, nil)}
	h.run(time.Second) // it claims its name
	if h.server.Epoch() == 0 {
		t.Fatal("no epoch")
	}
	return h
}

// ask sends a request, without its epoch, to the process under a claim.
func (h *askedWorld) ask(address, epoch uint64, request string) (a reply, err error) {
	h.t.Helper()
	b, err := h.directory.Request(context.Background(), fmt.Sprintf("one.%d", address), fmt.Appendf(nil, `{"epoch":%d,%s}`, epoch, request))
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	return a, err
}

// taken returns how many seats are not free, of all rooms.
func (h *askedWorld) taken() (n int) {
	for _, r := range h.server.Rooms() {
		i := r.Info()
		n += i.Capacity - i.Free()
	}
	return n
}

// A process gives other processes seats for whole parties, new rooms, and tokens for seats, or the reason for a refusal.
func TestAnswers(t *testing.T) {
	h := newAskedWorld(t)
	epoch := h.server.Epoch()
	got := func(request string) reply {
		t.Helper()
		a, err := h.ask(epoch, epoch, request)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	options := `"options":{"map":"dust","level":3}`
	party := got(`"op":"join","kind":"field",` + options + `,"players":[{"id":"1","party":"1"},{"id":"2","party":"1"},{"id":"3","party":"1"}]`)
	private := got(`"op":"create","kind":"field","private":true,"schema":"` + rooms.SchemaOf(roomstest.Field()) + `","players":[{"id":"10","carried":"YSBzd29yZA=="}]`)
	fourth := got(`"op":"join","kind":"field",` + options + `,"players":[{"id":"4"}]`)
	if party.Room == 0 || party.Room != fourth.Room || party.Seats[2].Party != 1 || private.Room == party.Room || private.Code == "" {
		t.Fatalf("%+v, %+v, %+v", party, private, fourth)
	}
	r := h.server.Room(rooms.ID(private.Room))
	if !r.Info().Private || string(r.Carried(rooms.Seat{Room: r.ID(), Epoch: private.Seats[0].Epoch, Player: 10})) != "a sword" {
		t.Error("nothing was carried there")
	}
	room := fmt.Sprintf(`"room":"%d"`, party.Room)
	for want, request := range map[string]string{
		"full":        `"op":"reserve",` + room + `,"players":[{"id":"20"}]`,
		"no_seat2":    `"op":"renew","kind":"field","players":[{"id":"20"}]`,
		"no_seat3":    `"op":"renew","kind":"field","options":{"map":"ice"},"players":[{"id":"1"}]`,
		"no_seat":     `"op":"reconnect",` + room + `,"players":[{"id":"20"}]`,
		"room":        `"op":"reserve","room":"99","players":[{"id":"20"}]`,
		"unavailable": `"op":"reserve","claim":true,"room":"99","players":[{"id":"20"}]`,
		"kind":        `"op":"join","kind":"chess","players":[{"id":"20"}]`,
		"schema":      `"op":"join","kind":"field","schema":"7","players":[{"id":"20"}]`,
		"options":     `"op":"join","kind":"field","options":{"a":[1]},"players":[{"id":"20"}]`,
		"player":      `"op":"create","kind":"field"`,
		"player2":     `"op":"dance","players":[{"id":"20"}]`,
		"player3":     `"op":7`,
		"player22":    `"op":"reconnect",` + room + `,"players":[{"id":"1"},{"id":"2"}]`,
		"player32":    `"op":"spectate",` + room + `,"players":[{"id":"20"},{"id":"21"}]`,
	} {
		if a := got(request); a.Refused != strings.TrimRight(want, " 23") || a.Why == "" {
			t.Errorf("%s: %+v", want, a)
		}
	}
	for _, again := range []string{`"op":"reserve",` + room, `"op":"join","kind":"field",` + options, `"op":"renew","kind":"field","away":true`} {
		if a := got(again + `,"players":[{"id":"1"}]`); a.Refused != "" || a.Room != party.Room || a.Seats[0].N != party.Seats[0].N {
			t.Errorf("%s: %+v", again, a)
		}
	}
	if a := got(`"op":"reconnect",` + room + `,"players":[{"id":"2"}]`); a.Refused != "" || a.Seats[0].Epoch < 2 {
		t.Errorf("%+v", a)
	}
	if n := h.taken(); n != 5 {
		t.Errorf("%d seats are taken, of 5 that were given", n)
	}
}

// faultyDirectory panics when it reads a room.
type faultyDirectory struct{ *fleet.Memory }

func (d faultyDirectory) Load(ctx context.Context, key string) (fleet.Record, error) {
	if strings.HasPrefix(key, "room.") {
		panic("a mistake")
	}
	return d.Memory.Load(ctx, key)
}

// A request whose handling panics is refused and counted. The process answers the next one.
func TestAnswerAfterPanic(t *testing.T) {
	d := &faultyDirectory{}
	h := &askedWorld{newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(4)}, Process: "one"}, d)}
	d.Memory = fleet.NewMemory(h.time)
	h.run(time.Second)
	epoch := h.server.Epoch()
	for n := range uint64(2) {
		a, err := h.ask(epoch, epoch, `"op":"reserve","claim":true,"room":"99","players":[{"id":"20"}]`)
		if err != nil || a.Refused == "" || a.Why == "" || h.server.Membership().Panics != n+1 {
			t.Errorf("%+v, %v, %+v", a, err, h.server.Membership())
		}
	}
	if a, err := h.ask(epoch, epoch, `"op":"create","kind":"field","players":[{"id":"1"}]`); err != nil || a.Refused != "" {
		t.Errorf("%+v, %v", a, err)
	}
}

// FuzzAnswers: any request is answered without a panic, and gives one seat for each player or none.
func FuzzAnswers(f *testing.F) {
	players := `"players":[{"id":"1"},{"id":"2","party":"1"}]`
	for _, q := range []string{
		`"op":"join","kind":"field",` + players, `"op":"create","kind":"field","private":true,` + players, `"op":"reserve","room":"1",` + players,
		`"op":"reconnect","room":"1",` + players, `"op":"spectate","room":"1",` + players, `"op":"spectate","room":"1","players":[{"id":"9"}]`,
		`"op":"handover","kind":"field","room":"1","room_epoch":1,"tick":3,"giver":{"process":"two","epoch":1},` + players,
		`"op":"reserve","claim":true,"room":"7",` + players, `"op":"handover"`, `"players":null`,
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, request string) {
		h := newAskedWorld(t)
		epoch := h.server.Epoch()
		if a, err := h.ask(epoch, epoch, `"op":"create","kind":"field","players":[{"id":"1"}]`); err != nil || a.Room == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		request = strings.ReplaceAll(request, `"room":"1"`, fmt.Sprintf(`"room":"%d"`, h.server.Rooms()[0].ID()))
		b, err := h.directory.Request(context.Background(), fmt.Sprintf("one.%d", epoch), fmt.Appendf(nil, `{"epoch":%d,%s}`, epoch, request))
		var a reply
		if err != nil || json.Unmarshal(b, &a) != nil {
			t.Errorf("%q: %v, %q", request, err, b)
		}
		var q struct{ Players []json.RawMessage }
		if json.Unmarshal(fmt.Appendf(nil, `{%s}`, request), &q) == nil && a.Refused == "" && len(a.Seats) != len(q.Players) {
			t.Errorf("%q: %+v", request, a)
		}
		if n := h.server.Membership().Panics; n != 0 {
			t.Errorf("%q: %d panics", request, n)
		}
	})
}

// A request for the process under another claim is refused, or finds no handler; one for a process that may count as dead is
// refused.
func TestOldEpochs(t *testing.T) {
	d := &moody{}
	h := &askedWorld{newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(4)}, Process: "one"}, d)}
	d.Memory = fleet.NewMemory(h.time)
	h.run(time.Second)
	const create = `"op":"create","kind":"field","players":[{"id":"1"}]`
	epoch := h.server.Epoch()
	for _, other := range []uint64{0, epoch + 1} {
		if a, err := h.ask(epoch, other, create); err != nil || a.Refused != "epoch" {
			t.Errorf("epoch %d: %+v, %v", other, a, err)
		}
		if _, err := h.ask(other, other, create); !errors.Is(err, fleet.ErrNoHandler) {
			t.Errorf("epoch %d: %v", other, err)
		}
	}
	d.set(true)
	h.run(20 * time.Second)
	if !h.server.Fenced() {
		t.Fatal("it is not fenced")
	}
	if _, err := h.ask(epoch, epoch, create); !errors.Is(err, fleet.ErrNoHandler) {
		t.Errorf("a fenced process answers: %v", err)
	}
	d.set(false)
	h.run(2 * time.Second)
	if a, err := h.ask(h.server.Epoch(), h.server.Epoch(), create); err != nil || a.Refused != "" || h.server.Epoch() == epoch {
		t.Errorf("%+v, %v", a, err)
	}
	if n := h.taken(); n != 1 {
		t.Errorf("%d seats are taken, of 1 that was given", n)
	}
}
