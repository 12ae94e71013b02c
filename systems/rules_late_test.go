package systems

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// silent returns a game of one client that has held DX and pressed all the time, and whose datagrams no longer arrive: the
// next step of its player uses a filler.
func silent(t *testing.T, policies policy.Model) (*game, *peer) {
	g := newGame(t, peopled, ServerConfig{Model: policies})
	g.join(ClientConfig{Gather: Gather(func(_ *Client, in *push) { *in = push{DX: 1, Fire: true} })}, netsys.Link{})
	g.connect()
	g.run(60)
	g.clients = nil
	p := g.server.sessions.peers.All()[0]
	for p.inputs.Waiting() > 0 {
		g.run(1)
	}
	return g, p
}

// filler returns the input in the player's next step, which must be a filler. The buffer may hold some ticks before.
func (g *game) filler(p *peer) push {
	g.t.Helper()
	st, in := p.inputs.Stats(), p.inputs.Stats()
	for in.Missing == st.Missing && in.Holds < st.Holds+30 {
		g.run(1)
		in = p.inputs.Stats()
	}
	if in.Missing != st.Missing+1 || in.Consumed != st.Consumed {
		g.t.Fatalf("no filler: counted %+v, before %+v", in, st)
	}
	for _, r := range ecs.Each[pawn](g.server.World()) {
		return *r.In
	}
	g.t.Fatal("there is no pawn")
	return push{}
}

// late delivers an input whose filler was stepped ago steps before, in a packet that others have overtaken.
func (g *game) late(p *peer, ago uint32, v push) {
	t := g.server.protocol.Input().Schema
	m := wire.Input{Newest: uint16(p.inputs.Consumed() + 1 - ago), Count: 1, Words: make([]int32, t.Words)}
	t.Quantize(m.Words, t.Words, ptr(&v), 1)
	if err := g.server.model.receive(0, p, netsys.Packet{Data: wire.NewInputCoder(t).Append(nil, &m, 0, nil)}); err != nil {
		g.t.Fatal(err)
	}
}

// A late input that is newer than the held input replaces it from the next missing input on, except for its presses, and is
// then repeated. An older late input is dropped. With policy.Repeat the held input stays.
func TestNetcodeC4_LateInputSupersedesWhatIsHeld(t *testing.T) {
	for _, how := range []policy.Missing{policy.Repeat, policy.Supersede} {
		g, p := silent(t, policy.LocalSync{Missing: how})
		expect := func(when string, drop, supersede push) {
			t.Helper()
			want := drop
			if how == policy.Supersede {
				want = supersede
			}
			if got := g.filler(p); got != want {
				t.Fatalf("%v: the filler %s is %+v, not %+v", how, when, got, want)
			}
		}
		first := push{DX: 1}
		for range 8 {
			expect("before", first, first)
		}
		g.late(p, 4, push{DX: -1, DY: 1, Fire: true})
		expect("after a late input", first, push{DX: -1, DY: 1})
		g.late(p, 6, push{DY: -1})
		expect("after an older one", first, push{DX: -1, DY: 1})
		g.late(p, 2, push{DY: 1})
		expect("after a newer one", first, push{DY: 1})
		for range serverapply.MaxFills - 10 - 1 {
			expect("since", first, push{DY: 1})
		}
		for range 10 {
			expect("after more of them than are repeated", push{}, push{DY: 1})
		}
		expect("at last", push{}, push{})
		if in := p.inputs.Stats(); in.Late != 3 || in.Resyncs > 0 {
			t.Errorf("%v: counted %+v", how, in)
		}
	}
}

// A missing input repeats the held input, or is neutral with policy.Neutral.
func TestNetcodeC4_MissingInputIsNeutral(t *testing.T) {
	for how, want := range []push{policy.Repeat: {DX: 1}, policy.Neutral: {}} {
		g, p := silent(t, policy.LocalSync{Missing: policy.Missing(how)})
		for range 4 {
			if got := g.filler(p); got != want {
				t.Errorf("%v: the filler is %+v", policy.Missing(how), got)
			}
		}
	}
}
