package overlay_test

import (
	"fmt"
	"image/color"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// screen stands for what a game draws on: each method is a line for most libraries.
type screen struct{ rects, lines, words int }

func (s *screen) Size() (w, h float64)                              { return 1280, 720 }
func (s *screen) Rect(x, y, w, h, round float64, c color.NRGBA)     { s.rects++ }
func (s *screen) Line(x0, y0, x1, y1, width float64, c color.NRGBA) { s.lines++ }
func (s *screen) Text(x, y float64, text []byte, c color.NRGBA)     { s.words++ }
func (s *screen) TextWidth(text []byte) float64                     { return 6 * float64(len(text)) }

// A game gets an overlay: it is made once, attached to each session, and shown each frame.
func Example() {
	// Where things are, and where the game's camera has them.
	places := overlay.PlacesOf(
		func(p components.Position) overlay.Point { return overlay.Point{X: float64(p.X), Y: float64(p.Y)} },
		func(p overlay.Point) (x, y float64, ok bool) { return 640 + 4*p.X, 360 + 4*p.Y, true },
	)
	net, err := overlay.New(overlay.Config{Places: places})
	if err != nil {
		fmt.Println(err)
		return
	}

	// The game's server and client, in virtual time. The client's wire goes through a
	// conditioner, for the sliders.
	now := time.Unix(0, 0)
	network := netsys.NewNetwork()
	server, err := systems.NewServer(network.Node(netip.MustParseAddrPort("127.0.0.1:7777")), protocol(calm), systems.ServerConfig{
		Start: now, Session: systems.ServerSession{Random: netsys.SeededRandom(1)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := systems.NewClient(link, netip.MustParseAddrPort("127.0.0.1:7777"), protocol(calm),
		systems.ClientConfig{Start: now, Session: systems.ClientSession{Random: netsys.SeededRandom(2)}, Prediction: systems.Prediction{OnMismatch: net.Mismatch}})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Attach(client, link)

	net.Toggle()                    // the player pressed F3
	net.Set(overlay.RoundTrip, 200) // and pulled a slider, for which there is Press too
	var s screen
	for range 10 * 60 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		client.Advance(now)
		client.Frame(now)
		net.Sample(now)
		net.Draw(&s)
	}
	fmt.Println("round trip:", client.Stats().Session.RTT.Round(10*time.Millisecond))
	fmt.Println("drawn:", s.rects > 0, s.lines > 0, s.words > 0)
	// Output:
	// round trip: 200ms
	// drawn: true true true
}
