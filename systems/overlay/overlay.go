package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// ErrConfig is wrapped by the errors of [Config.Validate] and [New].
var ErrConfig = errors.New("overlay: configuration")

// Config configures an [Overlay]. The zero value shows figures, and nothing in the world.
type Config struct {
	// Places says where things are in the world and on the screen, for what is drawn
	// among them: [PlacesOf]. Default (nil): nothing is.
	Places Places
	// Left and Top are where the overlay begins, in points of the canvas. Default (0): 12
	// from the corner.
	Left, Top float64
}

// Validate reports what is wrong with c; it never changes it.
func (c Config) Validate() error {
	if !(c.Left >= 0 && c.Left <= math.MaxInt32) || !(c.Top >= 0 && c.Top <= math.MaxInt32) {
		return fmt.Errorf("%w: Left %v, Top %v: they are 0 or more (0: %d)", ErrConfig, c.Left, c.Top, margin)
	}
	return nil
}

// Overlay shows what the netcode of one client does. It belongs to the goroutine of its
// client. Hidden, as it is at first, it takes ten samples a second and nothing else.
type Overlay struct {
	config Config
	places Places
	client *systems.Client
	link   *netsys.Conditioner
	shown  bool

	now     time.Time // of the newest frame
	samples samples
	graphs  [graphs]graph
	figures [maxFigures]figure
	extras  int
	causes  causes
	bytes   bytes
	marks   marks
	hits    hits

	sliders sliderState

	layout layout
	page   int
	pen    pen
}

// samples are what the client counted, ten times a second.
type samples struct {
	at      time.Time // of the newest
	taken   int
	stats   systems.ClientStats
	step    float64 // milliseconds of a tick
	past    [rateOf]past
	in, out netsys.LinkStats
	session netsys.Session // that they are of; another one once the client has gone on in another room
}

// sliderState is where the sliders stand, and which of them is held.
type sliderState struct {
	set     [sliders]float64
	before  float64 // round trip before the slider was moved, ms
	holding bool
	held    Slider
	pointer int // that holds it
}

// New makes an overlay, for the client of [Overlay.Attach]. The error wraps [ErrConfig].
func New(c Config) (*Overlay, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Left = cmp.Or(c.Left, margin)
	c.Top = cmp.Or(c.Top, margin)
	return &Overlay{config: c, places: c.Places, graphs: newGraphs()}, nil
}

// Attach makes the overlay that of a client, each time that a game connects. link is the
// conditioner that the client's wire goes through, which gets what the sliders say; nil
// where there is none.
func (o *Overlay) Attach(c *systems.Client, link *netsys.Conditioner) {
	if o.client != nil && o.bytes.counting {
		o.client.CountBytes(false)
	}
	o.client, o.link = c, link
	o.samples.at, o.samples.stats = time.Time{}, systems.ClientStats{}
	o.samples.in, o.samples.out = netsys.LinkStats{}, netsys.LinkStats{}
	o.samples.session = nil
	begin(o)
	o.degrade()
}

// begin forgets what is of the room before.
func begin(o *Overlay) {
	o.samples.past = [rateOf]past{}
	o.bytes.reset()
	o.marks.reset()
	o.hits, o.causes = hits{}, causes{}
}

// Show shows or hides the overlay.
func (o *Overlay) Show(on bool) {
	o.shown = on
	o.samples.at = time.Time{} // what is read only while it is shown is read at once
	if !on {
		o.sliders.holding = false
		o.count()
	}
}

// Toggle shows what is hidden and hides what is shown, as for a key.
func (o *Overlay) Toggle() { o.Show(!o.shown) }

// Shown reports whether the overlay is shown.
func (o *Overlay) Shown() bool { return o.shown }

// Mismatch keeps the newest wrong prediction to show it: it fits ClientConfig.OnMismatch.
func (o *Overlay) Mismatch(m systems.Mismatch) { o.causes.last = m }

// sampleEvery is how often samples are taken.
const sampleEvery = 100 * time.Millisecond

// rateOf is over how many samples a rate is taken: a second.
const rateOf = 10

// past is what counters were at a sample.
type past struct {
	at           time.Time
	bytes, fixes uint64
}

// Sample looks at the client: call it once a frame, after [systems.Client.Frame].
func (o *Overlay) Sample(now time.Time) {
	c := o.client
	if c == nil || !c.Connected() {
		return
	}
	o.now = now
	if s := c.Session(); s != o.samples.session {
		if o.samples.session != nil {
			begin(o)
			o.marks.corrections = c.Stats().Corrections
		}
		o.samples.session = s
	}
	if o.shown {
		o.count()
		o.marks.look(o)
	}
	if now.Sub(o.samples.at) >= sampleEvery {
		o.sample(now)
	}
}

// sample takes in figures.
func (o *Overlay) sample(now time.Time) {
	c := o.client
	o.samples.at, o.samples.stats = now, c.Stats()
	if o.link != nil {
		o.samples.in, o.samples.out = o.link.Stats()
	}
	s := &o.samples.stats
	o.samples.step = milliseconds(c.World().StepDuration())
	o.samples.taken++
	put := func(g int, v float64) { o.graphs[g].ring[o.samples.taken%ringSize] = v }
	put(graphRoundTrip, milliseconds(s.Session.RTT))
	put(graphJitter, milliseconds(s.Session.Jitter))
	put(graphLoss, 100*s.Session.LossIn)
	put(graphBuffer, float64(s.InputBuffer))
	put(graphLead, max(float64(c.World().Tick())-float64(c.ServerTick()), 0))
	put(graphDelay, max(float64(c.ServerTick())-c.DrawnTick(), 0)*o.samples.step)
	o.graphs[graphDelay].word = ""
	if damped(c) {
		o.graphs[graphDelay].word = "damped" // each entity by its own distance
	}
	was, is := &o.samples.past[o.samples.taken%rateOf], past{now, s.Session.BytesIn, s.Corrections + s.CoCorrections}
	received, fixes := 0.0, 0.0
	if seconds := now.Sub(was.at).Seconds(); !was.at.IsZero() {
		received = float64(is.bytes-was.bytes) / 1000 / seconds
		fixes = float64(is.fixes-was.fixes) / seconds
	}
	*was = is
	put(graphReceived, received)
	put(graphCorrections, fixes)
	if o.shown {
		c.ReadCauses(&o.causes.table)
		o.bytes.sample(c, now)
	}
}

// damped reports whether the client draws others on their way to the newest state.
func damped(c *systems.Client) bool { return c.Policies().Remotes == policy.RemotesDamped }

// count makes the client count bytes while the overlay is shown.
func (o *Overlay) count() {
	if o.client != nil && o.bytes.counting != o.shown {
		o.bytes.counting = o.shown
		o.client.CountBytes(o.shown)
	}
}

// Draw draws the overlay over a frame, if it is shown.
func (o *Overlay) Draw(c Canvas) {
	if !o.shown || o.client == nil || !o.client.Connected() {
		o.layout = layout{} // what is not drawn takes no presses
		return
	}
	o.pen.Canvas = c
	o.Layout(c.Size())
	o.marks.draw(o)
	for i, col := range o.columns() {
		o.pen.Rect(col.x, col.y, panelWidth, col.h, 9, glass)
		if i == 0 {
			o.drawHead(col)
		} else {
			o.pen.label(col.x+padding, col.y+20, "causes and bytes", white)
		}
	}
	for s := range sections {
		at, ok := o.where(s)
		if !ok {
			continue
		}
		switch s {
		case sectionGraphs:
			o.drawGraphs(at.x, at.y, inner)
		case sectionLink:
			o.drawLink(at.x, at.y, inner)
		case sectionFigures:
			o.drawFigures(at.x, at.y, inner)
		case sectionCauses:
			o.causes.draw(o, at.x, at.y, inner)
		case sectionBytes:
			o.bytes.draw(o, at.x, at.y, inner)
		case sectionWorld:
			o.drawWorld(at.x, at.y, inner)
		}
	}
	o.pen.Canvas = nil
}

// drawHead draws the uppermost line: what this is, which page, and how to close it.
func (o *Overlay) drawHead(c column) {
	p := &o.pen
	p.label(c.x+padding, c.y+20, "network", white)
	if o.layout.pages > 1 {
		b := appendFigure(append(p.buf[:0], "page "...), float64(o.page+1))
		b = appendFigure(append(b, " of "...), float64(o.layout.pages))
		p.Text(c.x+padding+76, c.y+20, append(b, "  ›"...), cyan)
	}
	p.cross(c.x+panelWidth-headHeight/2-4, c.y+headHeight/2+1, 4.5, 1.5, muted)
}

// title draws the title of a section.
func (o *Overlay) title(x, y float64, s string) {
	o.pen.label(x, y+12, s, muted)
	o.pen.Rect(x, y+16, inner, 1, 0, fade(white, 0.12))
}
