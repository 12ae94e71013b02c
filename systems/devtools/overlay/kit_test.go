package overlay_test

import (
	"image/color"
	"net/netip"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/policy"
)

// walk is the input of the game of these tests.
type walk struct {
	DX int8 `net:"-1..1"`
}

// protocol is a game in which players walk, and are pushed by what clients cannot foresee
// when a tick says so.
func protocol(push func(tick uint32) float32) *ecs.Protocol {
	p := ecs.NewProtocol("overlay/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[components.Health](p, 0)
	ecs.Input[walk](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{Y: float32(client) * 20}, components.Health{}, walk{})
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, x := range ecs.Each[struct {
			Pos *components.Position
			In  *walk
		}](w) {
			x.Pos.X += float32(x.In.DX) + push(w.Tick())
		}
	})
	return p
}

// calm never pushes.
func calm(uint32) float32 { return 0 }

// match is a server and its clients in virtual time. The first client has the overlay.
type match struct {
	testing.TB
	now     time.Time
	server  *systems.Server
	clients []*systems.Client
	link    *netsys.Conditioner // of the first client
	overlay *overlay.Overlay
}

// birth is where virtual time begins.
var birth = time.Unix(0, 0).UTC()

const tick = time.Second / 60

// newMatch makes a match of two; the server pushes players as push says.
func newMatch(t testing.TB, o *overlay.Overlay, push func(uint32) float32) *match {
	t.Helper()
	return newMatchUnder(t, o, push, policy.LocalSync{})
}

// newMatchUnder is newMatch under a preset of policies.
func newMatchUnder(t testing.TB, o *overlay.Overlay, push func(uint32) float32, preset policy.Model) *match {
	t.Helper()
	m := &match{TB: t, now: birth, overlay: o}
	network := netsys.NewNetwork()
	wire := network.Node(netip.MustParseAddrPort("127.0.0.1:7777"))
	var err error
	m.server, err = systems.NewServer(wire, protocol(push), systems.ServerConfig{Start: birth, Session: systems.ServerSession{Random: netsys.SeededRandom(1)},
		Model: preset})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(n)})
		if err != nil {
			t.Fatal(err)
		}
		c := systems.ClientConfig{Start: birth, Session: systems.ClientSession{Random: netsys.SeededRandom(uint64(n) + 2)}}
		count := 0
		c.Gather = systems.Gather(func(_ *systems.Client, in *walk) {
			if count++; count/90%2 == 0 {
				in.DX = 1
			} else {
				in.DX = -1
			}
		})
		if n == 0 {
			m.link, c.Prediction.OnMismatch = link, o.Mismatch
		}
		client, err := systems.NewClient(link, wire.LocalAddr(), protocol(calm), c)
		if err != nil {
			t.Fatal(err)
		}
		m.clients = append(m.clients, client)
	}
	o.Attach(m.clients[0], m.link)
	return m
}

// run lets time pass, with a frame after each tick.
func (m *match) run(d time.Duration) {
	for end := m.now.Add(d); m.now.Before(end); {
		m.step()
		m.overlay.Sample(m.now)
	}
}

// step lets a tick pass.
func (m *match) step() {
	m.now = m.now.Add(tick)
	m.server.Advance(m.now)
	for _, c := range m.clients {
		c.Advance(m.now)
		c.Frame(m.now)
	}
}

// newOverlay makes an overlay that is shown, on a screen where a unit is a point and the
// world's origin in the middle.
func newOverlay(t testing.TB) *overlay.Overlay {
	t.Helper()
	o, err := overlay.New(overlay.Config{Places: overlay.PlacesOf(
		func(p components.Position) overlay.Point { return overlay.Point{X: float64(p.X), Y: float64(p.Y)} },
		func(p overlay.Point) (x, y float64, ok bool) { return p.X + 640, p.Y + 360, true },
	)})
	if err != nil {
		t.Fatal(err)
	}
	o.Show(true)
	return o
}

// shown is such an overlay of a match that has been played for some time.
func shown(t testing.TB, push func(uint32) float32, d time.Duration) (*overlay.Overlay, *match) {
	t.Helper()
	o := newOverlay(t)
	m := newMatch(t, o, push)
	m.run(d)
	return o, m
}

// kind is what was drawn.
type kind uint8

const (
	rect kind = iota
	line
	text
)

// drawn is something on a paper. Lines have their ends in x, y and w, h, relative.
type drawn struct {
	kind
	x, y, w, h float64
	text       string
	c          color.NRGBA
}

// paper is a canvas that keeps what is drawn.
type paper struct {
	w, h float64
	all  []drawn
	keep bool
}

func (p *paper) Size() (w, h float64) { return p.w, p.h }

func (p *paper) add(d drawn) {
	if p.keep {
		p.all = append(p.all, d)
	}
}

func (p *paper) Rect(x, y, w, h, _ float64, c color.NRGBA) { p.add(drawn{rect, x, y, w, h, "", c}) }

func (p *paper) Line(x0, y0, x1, y1, _ float64, c color.NRGBA) {
	p.add(drawn{line, x0, y0, x1 - x0, y1 - y0, "", c})
}

func (p *paper) Text(x, y float64, b []byte, c color.NRGBA) {
	if p.keep {
		p.add(drawn{text, x, y - 10, p.TextWidth(b), 13, string(b), c})
	}
}

// TextWidth is that of a rather wide font.
func (p *paper) TextWidth(b []byte) float64 { return 6.2 * float64(utf8.RuneCount(b)) }

// draw draws the overlay on a new paper.
func draw(o *overlay.Overlay, w, h float64) *paper {
	p := &paper{w: w, h: h, keep: true}
	o.Draw(p)
	return p
}
