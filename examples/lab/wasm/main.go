//go:build wasm

// Command wasm is the laboratory of examples/lab: a server of the arena, its clients and their links in one page. The page is
// its clock, changes the links and draws.
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

const (
	players, drones = 4, 24
	person          = 0 // the client that the keys of the page steer
)

// lab is a running match.
type lab struct {
	now    time.Time
	server *systems.Server
	peers  []*peer
	hands  game.Action // what the person does
	pilot  bool        // a bot plays for the person
	out    []byte      // scratch for rows
}

// peer is a client with its link.
type peer struct {
	client *systems.Client
	link   *netsys.Conditioner
	before systems.ClientStats // at the last call of figures
}

// newLab starts a match under a model.
func newLab(model string) (*lab, error) {
	m, err := policy.ParsePreset(model)
	if err != nil {
		return nil, err
	}
	l := &lab{now: time.Unix(0, 0), pilot: true}
	network, at := netsys.NewNetwork(), netip.MustParseAddrPort("127.0.0.1:7777")
	config := systems.ServerConfig{Model: m, Start: l.now}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	if l.server, err = systems.NewServer(network.Node(at), game.CombatProtocol(), config); err != nil {
		return nil, err
	}
	game.PopulateCombat(l.server.World(), players, drones)
	for n := range players {
		link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(n + 1)})
		if err != nil {
			return nil, err
		}
		bot := game.NewGunner(1, n, players)
		c := systems.ClientConfig{Start: l.now, Gather: systems.Gather(func(c *systems.Client, in *game.Action) {
			if n != person || l.pilot {
				bot.Fill(c, in)
				return
			}
			*in = l.hands
			in.Seen = c.Claim(in.Buttons&game.Fire != 0)
		})}
		game.NewMessages().Play(&c, nil)
		p := &peer{link: link}
		if p.client, err = systems.NewClient(link, at, game.CombatProtocol(), c); err != nil {
			return nil, err
		}
		l.peers = append(l.peers, p)
	}
	return l, nil
}

// advance lets seconds pass and draws a frame of each client.
func (l *lab) advance(seconds float64) error {
	const part = 4 * time.Millisecond // shorter than a tick, so that no peer waits for another
	for left := time.Duration(seconds * float64(time.Second)); left > 0; left -= part {
		l.now = l.now.Add(min(left, part))
		l.server.Advance(l.now)
		for _, p := range l.peers {
			p.link.Flush(l.now)
			p.client.Advance(l.now)
		}
	}
	for _, p := range l.peers {
		if p.client.View() != nil {
			p.client.Frame(l.now)
		}
		if err := p.client.Err(); err != nil {
			return err
		}
	}
	return l.server.Err()
}

// body is a row of what can be drawn.
type body struct {
	Pos  components.Position
	Head components.Heading
	Is   game.Fighter
}

// rows returns what the server has and what each client draws: for each of them a number of rows, and the rows of six float32:
// NetID, place, direction in radians, client of its player or 0, and 1 if it is down.
func (l *lab) rows() []byte {
	l.out = l.out[:0]
	put := func(v float32) { l.out = binary.LittleEndian.AppendUint32(l.out, math.Float32bits(v)) }
	worlds := []*ecs.World{l.server.World()}
	for _, p := range l.peers {
		worlds = append(worlds, p.client.View())
	}
	for _, w := range worlds {
		count := len(l.out)
		put(0)
		if w == nil {
			continue
		}
		n := float32(0)
		for e, b := range ecs.All[body](w) {
			client, down := float32(0), float32(0)
			if o := ecs.Get[components.Owner](w, e); o != nil {
				client = float32(o.Client)
			}
			if b.Is.Down {
				down = 1
			}
			for _, v := range []float32{float32(w.NetID(e)), b.Pos.X, b.Pos.Y, float32(b.Head.Angle) * (2 * math.Pi / 65536), client, down} {
				put(v)
			}
			n++
		}
		binary.LittleEndian.PutUint32(l.out[count:], math.Float32bits(n))
	}
	return l.out
}

// figures returns the figures of each client since the last call.
func (l *lab) figures(seconds float64) (all []any) {
	for _, p := range l.peers {
		st := p.client.Stats()
		all = append(all, map[string]any{
			"client": p.client.ID(), "corrections": st.Corrections - p.before.Corrections, "resimulated": st.Resimulated - p.before.Resimulated,
			"down": float64(st.Session.BytesIn-p.before.Session.BytesIn) / seconds, "up": float64(st.Session.BytesOut-p.before.Session.BytesOut) / seconds,
			"roundTrip": st.Session.RTT.Seconds(), "behind": (st.Delay.Down + st.Delay.Interpolation).Seconds(),
		})
		p.before = st
	}
	return all
}

// setLink changes both directions of the links of all clients, or of the person alone.
func (l *lab) setLink(roundTrip, jitter, loss float64, all bool) {
	for n, p := range l.peers {
		link := netsys.Link{}
		if all || n == person {
			half := time.Duration(roundTrip / 2 * float64(time.Second))
			link = netsys.Link{Latency: half, Jitter: min(time.Duration(jitter*float64(time.Second)), half), Loss: loss}
		}
		_ = p.link.SetLinks(link, link) // the page's sliders have the limits of a link
	}
}

func main() {
	var l *lab
	answer := func(err error) any {
		if err != nil {
			return err.Error()
		}
		return nil
	}
	export := func(f func(args []js.Value) any) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) })
	}
	var names []any
	for _, m := range policy.Presets() {
		names = append(names, m.String())
	}
	var cover []any
	for _, b := range game.Cover {
		cover = append(cover, []any{b.X, b.Y, b.W, b.H})
	}
	js.Global().Call("begin", map[string]any{
		"models": names, "cover": cover, "size": game.Size, "radius": game.Radius,
		// start(model) starts a match, and returns an error or null.
		"start": export(func(args []js.Value) any {
			made, err := newLab(args[0].String())
			if err == nil {
				l = made
			}
			return answer(err)
		}),
		// link(roundTrip, jitter, loss, all) takes seconds and a share.
		"link": export(func(args []js.Value) any {
			l.setLink(args[0].Float(), args[1].Float(), args[2].Float(), args[3].Bool())
			return nil
		}),
		// act(buttons, angle, pilot) sets the input of the person.
		"act": export(func(args []js.Value) any {
			l.hands.Buttons, l.hands.Aim = uint8(args[0].Int()), uint16(int64(args[1].Float()*65536/(2*math.Pi)))
			l.pilot = args[2].Bool()
			return nil
		}),
		// pass(seconds) returns an error or null.
		"pass": export(func(args []js.Value) any { return answer(l.advance(args[0].Float())) }),
		// rows(buffer) copies rows to a Uint8Array and returns the number of bytes.
		"rows": export(func(args []js.Value) any { return js.CopyBytesToJS(args[0], l.rows()) }),
		// figures(seconds) returns a list with an object for each client.
		"figures": export(func(args []js.Value) any { return slices.Clone(l.figures(args[0].Float())) }),
	})
	fmt.Println("the laboratory runs")
	select {}
}
