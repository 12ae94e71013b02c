package rooms

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// The data that a player carries to its seat is returned once, for that seat only, and while the player has the seat.
func TestCarried(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(2)}})
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	reserve := func(p Player) Seat {
		t.Helper()
		a, err := r.Reserve(p)
		if err != nil {
			t.Fatal(err)
		}
		return a[0].Seat
	}
	pack := []byte("a sword")
	first := reserve(Player{ID: 1, Carried: pack})
	pack[0] = 'x'
	other := reserve(Player{ID: 2})
	elsewhere, old, number := first, first, first
	elsewhere.Room++
	old.Epoch--
	number.Number = other.Number
	for what, s := range map[string]Seat{"nobody carried": other, "another room": elsewhere, "an epoch of before": old, "another seat": number} {
		if got := r.Carried(s); got != nil {
			t.Errorf("%s: %q", what, got)
		}
	}
	again, err := r.Reconnect(Player{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Carried(again.Seat); string(got) != "a sword" {
		t.Errorf("carried %q", got)
	}
	if got := r.Carried(again.Seat); got != nil {
		t.Errorf("carried %q a second time", got)
	}
	if again, err = r.Reconnect(Player{ID: 1, Carried: []byte("a shield")}); err != nil {
		t.Fatal(err)
	}
	if got := r.Carried(first); got != nil {
		t.Errorf("an epoch of before gets %q", got)
	}
	h.run(20 * time.Second) // nobody came: the seats are free
	if got := r.Carried(again.Seat); got != nil || len(r.held.carried) > 0 {
		t.Errorf("without a seat: %q, kept %v", got, r.held.carried)
	}
	reserve(Player{ID: 1, Carried: []byte("gold")})
	if err := r.Kick(1); err != nil {
		t.Fatal(err)
	}
	if got := r.Carried(reserve(Player{ID: 1})); got != nil {
		t.Errorf("of a seat of before: %q", got)
	}
	if _, err := r.Reserve(Player{ID: 5, Carried: make([]byte, MaxCarried+1)}); !errors.Is(err, ErrPlayer) {
		t.Errorf("too much: %v", err)
	}
	reserve(Player{ID: 1 << 63, Carried: make([]byte, MaxCarried)})
}

// Here finds and gives seats by kind, id and code in one process, and returns the reason of each refusal.
func TestHere(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(2), {Name: "duel", Protocol: field, Capacity: 1}}, Process: "one"})
	ctx, s := context.Background(), Here(h.server)
	schema := SchemaOf(field())
	if want := []KindEntry{{"duel", schema, 1}, {"field", schema, 2}}; !slices.Equal(s.Kinds(), want) || !s.Local() || s.Ready() != nil {
		t.Errorf("%v, local %v, ready %v", s.Kinds(), s.Local(), s.Ready())
	}
	a, err := s.Join(ctx, Wish{Kind: "field", Schema: schema, Players: []Player{{ID: 1, Party: 9}, {ID: 2, Party: 9}}})
	if err != nil || len(a) != 2 || a[0].Seat.Room != a[1].Seat.Room || a[1].Seat.Party != 9 {
		t.Fatalf("%+v, %v", a, err)
	}
	b, err := s.Create(ctx, "field", Creation{Private: true, Options: Options{"map": "dust"}}, Player{ID: 3})
	if err != nil || b[0].Code == "" || b[0].Process != "one" || b[0].Endpoints.UDP != b[0].Addresses[0].String() {
		t.Fatalf("%+v, %v", b, err)
	}
	room := b[0].Seat.Room
	for _, name := range []string{b[0].Code, strings.ToUpper(b[0].Code), room.String()} {
		if e, ok := s.Find(name); !ok || e.ID != room || !e.Private || e.Takes() || e.Schema != schema || e.Options["map"] != "dust" || !e.Created.Equal(birth) {
			t.Errorf("%s: %+v, %v", name, e, ok)
		}
	}
	if _, ok := s.Find("nobody"); ok {
		t.Error("found nobody")
	}
	if c, err := s.Reserve(ctx, room, Player{ID: 4}); err != nil || c[0].Seat.Room != room {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := s.Reconnect(ctx, room, Player{ID: 4, Data: []byte("Ada")}); err != nil || c.Seat.Epoch != 2 || string(c.Seat.Data) != "Ada" {
		t.Errorf("%+v, %v", c, err)
	}
	list := s.List()
	if len(list) != 2 || list[0].ID > list[1].ID || list[0].Free+list[1].Free != 0 {
		t.Errorf("%+v", list)
	}
	three := make([]Player, 3)
	for i := range three {
		three[i].ID = uint64(i) + 10
	}
	rooms := len(h.server.Rooms())
	for what, x := range map[string]struct {
		try  func() ([]Admission, error)
		want error
	}{
		"no kind":         {func() ([]Admission, error) { return s.Join(ctx, Wish{Kind: "chess", Players: three[:1]}) }, ErrKind},
		"another schema":  {func() ([]Admission, error) { return s.Join(ctx, Wish{Kind: "field", Schema: "7", Players: three[:1]}) }, ErrSchema},
		"made for it":     {func() ([]Admission, error) { return s.Create(ctx, "field", Creation{Schema: "7"}, three[0]) }, ErrSchema},
		"too many":        {func() ([]Admission, error) { return s.Create(ctx, "field", Creation{}, three...) }, ErrFull},
		"nobody":          {func() ([]Admission, error) { return s.Create(ctx, "field", Creation{}) }, ErrPlayer},
		"nobody joins":    {func() ([]Admission, error) { return s.Join(ctx, Wish{Kind: "field"}) }, ErrPlayer},
		"no room":         {func() ([]Admission, error) { return s.Reserve(ctx, room+1, three[0]) }, ErrRoom},
		"no room, coming": {func() ([]Admission, error) { _, err := s.Reconnect(ctx, room+1, three[0]); return nil, err }, ErrRoom},
		"full":            {func() ([]Admission, error) { return s.Reserve(ctx, room, three[0]) }, ErrFull},
	} {
		if a, err := x.try(); !errors.Is(err, x.want) || a != nil {
			t.Errorf("%s: %v, %v, want %v", what, a, err, x.want)
		}
	}
	if n := len(h.server.Rooms()); n != rooms {
		t.Errorf("%d rooms after refusals, %d before", n, rooms)
	}
	if _, err := s.Create(ctx, "field", Creation{}, three[0], three[0]); !errors.Is(err, ErrSeated) {
		t.Errorf("one player twice: %v", err)
	}
	h.run(time.Second)
	if n := len(h.server.Rooms()); n != rooms {
		t.Errorf("a room that nobody got stays: %d, %d before", n, rooms)
	}
	h.server.Drain()
	if err := s.Ready(); !errors.Is(err, ErrDraining) {
		t.Error(err)
	}
}

// served is a wire that serves WebSockets, too.
type served struct {
	netsys.Wire
	at netip.AddrPort
}

func (s served) WebSocketAddr() netip.AddrPort { return s.at }

// Without configured endpoints, UDP is the first address of tokens, and pages of this machine use its WebSocket address.
func TestEndpoints(t *testing.T) {
	node := func() netsys.Wire { return netsys.NewNetwork().Node(anywhere(t, "127.0.0.1:7777")) }
	both := served{node(), anywhere(t, "127.0.0.1:7778")}
	far := []netip.AddrPort{anywhere(t, "203.0.113.7:7777")}
	for _, x := range []struct {
		config Config
		wire   netsys.Wire
		want   Endpoints
	}{
		{Config{}, node(), Endpoints{UDP: "127.0.0.1:7777"}},
		{Config{}, both, Endpoints{UDP: "127.0.0.1:7777", WS: "ws://127.0.0.1:7778"}},
		{Config{Addresses: far}, both, Endpoints{UDP: "203.0.113.7:7777"}},
		{Config{Endpoints: Endpoints{WS: "wss://play.example/"}}, node(), Endpoints{WS: "wss://play.example/"}},
	} {
		x.config.Kinds = []Kind{fields(1)}
		s, err := New(x.config, x.wire)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Join("field", nil, Player{ID: 1})
		if err != nil || a[0].Endpoints != x.want {
			t.Errorf("%v: %+v, %v, want %+v", x.config.Addresses, a, err, x.want)
		}
	}
	for want, e := range map[string]Endpoints{
		`Endpoints.UDP "host"`: {UDP: "host"}, "begins with wss://": {WS: "https://x"}, "begins with https://": {WebTransport: "x"},
		"Endpoints.WS": {WS: "wss://x/" + strings.Repeat("a", 256)},
	} {
		if err := (Config{Kinds: []Kind{fields(1)}, Endpoints: e}).Validate(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if e := (Endpoints{UDP: "play.example:7777", WS: "ws://127.0.0.1:1", WebTransport: "https://play.example:7778/"}); e.Validate() != nil {
		t.Error(e.Validate())
	}
}
