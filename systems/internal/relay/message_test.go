package relay_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// With little room in each message, everything arrives in the end, in turns.
func TestSmallMessages(t *testing.T) {
	m := newMatch(t, relay.Config{Part: 1 << 10}, relay.ClientConfig{}, always)
	const players, ticks = 14, 300
	for p := range uint32(players) {
		m.join(p+1, 3, 4, 0.2, 0)
	}
	m.until(150)
	m.limit = 512
	largest := 0
	for m.now < 170 {
		m.step() // what is under way is longer
	}
	for m.now < ticks {
		m.step()
		for _, e := range m.ends {
			for _, p := range e.down.queue {
				largest = max(largest, len(p.data))
			}
		}
	}
	m.report()
	if largest > 512 || largest < 480 {
		t.Errorf("the largest message has %d bytes, at most 512 are allowed and needed", largest)
	}
	for _, e := range m.ends {
		testgame.Equal(t, "playing", e.Playing(), true)
		if m.checked[e.player] < ticks/3 {
			t.Errorf("only %d final ticks of player %d were compared", m.checked[e.player], e.player)
		}
	}
}

// A valid message that is truncated, or has a flipped bit, is refused or harmless.
func TestMutilatedMessages(t *testing.T) {
	for _, wait := range []bool{false, true} {
		m, up, down, state := staged(t, wait)
		e := m.ends[0]
		check := func(err error) {
			if err != nil && !errors.Is(err, relay.ErrMessage) {
				t.Fatal(err)
			}
		}
		for n := range up {
			check(m.server.Receive(1, e.up.seq, up[:n]))
		}
		for i := range 8 * len(up) {
			b := append([]byte(nil), up...)
			b[i/8] ^= 1 << (i % 8)
			check(m.server.Receive(1, e.up.seq, b))
			e.up.seq++
			m.server.Step()
		}
		for i := range 8 * len(down) {
			b := append([]byte(nil), down...)
			b[i/8] ^= 1 << (i % 8)
			check(e.Receive(e.down.seq, b))
			e.down.seq++
			e.Step(testgame.Words(steer{}))
		}
		for i := range len(state) {
			b := append([]byte(nil), state...)
			b[i] ^= 1 << (i % 8)
			check(e.Deliver(b))
			e.Step(testgame.Words(steer{}))
		}
		check(e.Deliver(nil))
		check(m.server.Deliver(1, nil))
		if err := m.server.Receive(99, 1, up); !errors.Is(err, relay.ErrAbsent) {
			t.Errorf("a stranger's message: %v", err)
		}
	}
}

func TestConfigs(t *testing.T) {
	testgame.Must(t, relay.Config{}.Validate())
	testgame.Must(t, relay.ClientConfig{}.Validate())
	for _, c := range []relay.Config{
		{Peers: -1}, {Stall: 1<<16 + 1}, {Part: 1},
		{Timeline: timeline.Config{Follower: true}}, {Timeline: timeline.Config{Unmerged: true}}, {Timeline: timeline.Config{Window: -1}},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is said to be valid", c)
		}
	}
	for _, c := range []relay.ClientConfig{
		{Delay: 256}, {Delay: 20, MaxDelay: 10}, {Timeline: timeline.Config{Window: -1}},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is said to be valid", c)
		}
	}
}

func TestPeersAreBounded(t *testing.T) {
	m := newMatch(t, relay.Config{Peers: 2}, relay.ClientConfig{}, human)
	testgame.Must(t, m.server.Add(1, true, ""))
	for _, player := range []uint32{1, 1} {
		if err := m.server.Add(player, true, ""); !errors.Is(err, relay.ErrPeers) {
			t.Errorf("player %d once more: %v", player, err)
		}
	}
	testgame.Must(t, m.server.Add(2, true, ""))
	if err := m.server.Add(3, true, ""); !errors.Is(err, relay.ErrPeers) {
		t.Errorf("one too many: %v", err)
	}
	m.server.Remove(9)
	m.server.Remove(2)
	testgame.Must(t, m.server.Add(3, false, ""))
}

// turret has an input with one number that is sent unchanged, crane one that is sent as a difference.
type (
	turret struct {
		Turn int32 `net:"-20..20"`
	}
	crane struct {
		Turn int32 `net:"-2000..2000"`
	}
)

// An input with a single number arrives unchanged.
func TestInputsOfOneNumber(t *testing.T) {
	t.Run("short", func(t *testing.T) { single(t, func(in *turret) *int32 { return &in.Turn }, 20) })
	t.Run("long", func(t *testing.T) { single(t, func(in *crane) *int32 { return &in.Turn }, 2000) })
}

// single plays a match of one player: in the end it has turned by the sum of its inputs.
func single[I any](t *testing.T, turn func(in *I) *int32, most int32) {
	type gun struct {
		Owner components.Owner
		Place place
		Input I
	}
	game := func() *ecs.World {
		return ecs.NewWorld(testgame.Stage(ecs.Input[I], func(p *ecs.Protocol) {
			ecs.Replicate[place](p, 0)
			ecs.Join(p, func(w *ecs.World, player uint32, _ *struct{}) {
				ecs.Spawn(w, gun{Owner: components.Owner{Client: player}})
			})
			p.Simulate("turn", func(w *ecs.World) {
				for _, r := range ecs.Each[struct {
					Place *place
					Input *I
				}](w) {
					r.Place.X += *turn(r.Input)
				}
			})
		}), ecs.Config{})
	}
	server, client := relay.NewServer(game(), relay.Config{}), relay.NewClient(game(), 1, relay.ClientConfig{})
	table := client.Timeline().World().Protocol().Input().Schema
	testgame.Must(t, server.Add(1, true, ""))
	want := int32(0)
	for now := range uint16(200) {
		server.Step()
		if b := server.Append(nil, 1, now, 1180); len(b) > 0 {
			testgame.Must(t, client.Receive(now, b))
		}
		if b, err := server.Outgoing(1, nil); b != nil {
			testgame.Must(t, client.Deliver(b))
			server.Sent(1)
		} else {
			testgame.Must(t, err)
		}
		var in I
		if now < 180 {
			*turn(&in) = int32(now)*997%(2*most+1) - most
		}
		if client.Due() {
			want += *turn(&in)
		}
		words := make([]int32, table.Words)
		table.Quantize(words, table.Words, unsafe.Pointer(&in), 1)
		client.Step(words)
		testgame.Must(t, server.Receive(1, now, client.Append(nil, 1180)))
	}
	testgame.Equal(t, "inputs that were not taken in", server.Stats().Refused+server.Inputs(1).Missing, 0)
	for _, w := range []*ecs.World{server.Timeline().World(), client.Timeline().World()} {
		n := 0
		for _, r := range ecs.Each[struct{ Place *place }](w) {
			testgame.Equal(t, "turned", r.Place.X, want)
			n++
		}
		testgame.Equal(t, "guns", n, 1)
	}
}
