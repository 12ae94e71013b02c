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
		"seated":      `"op":"reserve",` + room + `,"players":[{"id":"1"}]`,
		"no_seat":     `"op":"reconnect",` + room + `,"players":[{"id":"20"}]`,
		"room":        `"op":"reserve","room":"99","players":[{"id":"20"}]`,
		"unavailable": `"op":"reserve","claim":true,"room":"99","players":[{"id":"20"}]`,
		"kind":        `"op":"join","kind":"chess","players":[{"id":"20"}]`,
		"schema":      `"op":"join","kind":"field","schema":"7","players":[{"id":"20"}]`,
		"options":     `"op":"join","kind":"field","options":{"a":[1]},"players":[{"id":"20"}]`,
		"player":      `"op":"create","kind":"field"`,
		"player2":     `"op":"dance","players":[{"id":"20"}]`,
		"player3":     `"op":7`,
	} {
		if a := got(request); a.Refused != strings.TrimRight(want, " 23") || a.Why == "" {
			t.Errorf("%s: %+v", want, a)
		}
	}
	if a := got(`"op":"reconnect",` + room + `,"players":[{"id":"2"}]`); a.Refused != "" || a.Seats[0].Epoch < 2 {
		t.Errorf("%+v", a)
	}
	if n := h.taken(); n != 5 {
		t.Errorf("%d seats are taken, of 5 that were given", n)
	}
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
