package match

import (
	"encoding/binary"
	"math"
	"net/netip"
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

// Match is a running match. New returns one.
type Match struct {
	// Hands is what the person does without Pilot.
	Hands game.Action
	// Pilot lets a bot play for the person.
	Pilot bool

	now    time.Time
	server *systems.Server
	peers  []*peer
	out    []byte // scratch for Rows
}

// peer is a client with its link.
type peer struct {
	client *systems.Client
	link   *netsys.Conditioner
	before systems.ClientStats // at the last call of Figures
}

// New starts a match under a model. A bot plays for the person.
func New(model string) (*Match, error) {
	preset, err := policy.ParsePreset(model)
	if err != nil {
		return nil, err
	}
	m := &Match{now: time.Unix(0, 0), Pilot: true}
	network, at := netsys.NewNetwork(), netip.MustParseAddrPort("127.0.0.1:7777")
	config := systems.ServerConfig{Model: preset, Start: m.now}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	if m.server, err = systems.NewServer(network.Node(at), game.CombatProtocol(), config); err != nil {
		return nil, err
	}
	game.PopulateCombat(m.server.World(), players, drones)
	for n := range players {
		link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(n + 1)})
		if err != nil {
			return nil, err
		}
		bot := game.NewGunner(1, n, players)
		c := systems.ClientConfig{Start: m.now, Gather: systems.Gather(func(c *systems.Client, in *game.Action) {
			if n != person || m.Pilot {
				bot.Fill(c, in)
				return
			}
			*in = m.Hands
			in.Seen = c.Claim(in.Buttons&game.Fire != 0)
		})}
		game.NewMessages().Play(&c, nil)
		p := &peer{link: link}
		if p.client, err = systems.NewClient(link, at, game.CombatProtocol(), c); err != nil {
			return nil, err
		}
		m.peers = append(m.peers, p)
	}
	return m, nil
}

// Advance lets seconds pass and draws a frame of each client.
func (m *Match) Advance(seconds float64) error {
	const part = 4 * time.Millisecond // shorter than a tick, so that no peer waits for another
	for left := time.Duration(seconds * float64(time.Second)); left > 0; left -= part {
		m.now = m.now.Add(min(left, part))
		m.server.Advance(m.now)
		for _, p := range m.peers {
			p.link.Flush(m.now)
			p.client.Advance(m.now)
		}
	}
	for _, p := range m.peers {
		if p.client.View() != nil {
			p.client.Frame(m.now)
		}
		if err := p.client.Err(); err != nil {
			return err
		}
	}
	return m.server.Err()
}

// body is a row of what can be drawn.
type body struct {
	Pos  components.Position
	Head components.Heading
	Is   game.Fighter
}

// Rows returns what the server has and what each client draws: for each of them a number of rows, and the rows of six float32:
// NetID, place, direction in radians, client of its player or 0, and 1 if it is down.
func (m *Match) Rows() []byte {
	m.out = m.out[:0]
	put := func(v float32) { m.out = binary.LittleEndian.AppendUint32(m.out, math.Float32bits(v)) }
	worlds := []*ecs.World{m.server.World()}
	for _, p := range m.peers {
		worlds = append(worlds, p.client.View())
	}
	for _, w := range worlds {
		count := len(m.out)
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
		binary.LittleEndian.PutUint32(m.out[count:], math.Float32bits(n))
	}
	return m.out
}

// Figures are what a client has measured since the call before.
type Figures struct {
	Client      uint32  `json:"client"`
	Corrections uint64  `json:"corrections"`
	Resimulated uint64  `json:"resimulated"` // ticks
	Down        float64 `json:"down"`        // bytes per second
	Up          float64 `json:"up"`
	RoundTrip   float64 `json:"roundTrip"` // seconds
	Behind      float64 `json:"behind"`    // age of what it draws of others, in seconds
}

// Figures returns the figures of each client for the seconds since the call before.
func (m *Match) Figures(seconds float64) (all []Figures) {
	for _, p := range m.peers {
		st := p.client.Stats()
		all = append(all, Figures{
			Client: p.client.ID(), Corrections: st.Corrections - p.before.Corrections, Resimulated: st.Resimulated - p.before.Resimulated,
			Down: float64(st.Session.BytesIn-p.before.Session.BytesIn) / seconds, Up: float64(st.Session.BytesOut-p.before.Session.BytesOut) / seconds,
			RoundTrip: st.Session.RTT.Seconds(), Behind: (st.Delay.Down + st.Delay.Interpolation).Seconds(),
		})
		p.before = st
	}
	return all
}

// SetLink changes both directions of the links of all clients, or of the person alone. roundTrip and jitter are in seconds,
// loss is a share.
func (m *Match) SetLink(roundTrip, jitter, loss float64, all bool) {
	for n, p := range m.peers {
		link := netsys.Link{}
		if all || n == person {
			half := time.Duration(roundTrip / 2 * float64(time.Second))
			link = netsys.Link{Latency: half, Jitter: min(time.Duration(jitter*float64(time.Second)), half), Loss: loss}
		}
		_ = p.link.SetLinks(link, link) // the page's sliders have the limits of a link
	}
}
