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

// Config configures an [Overlay]. The zero value shows figures, and no marks in the world.
type Config struct {
	// Places provides the positions of entities in the world and on the screen, see [PlacesOf]. Default (nil): no
	// marks in the world.
	Places Places
	// Left and Top are the position of the overlay, in points of the canvas. Default (0): 12 points from the corner.
	Left, Top float64
}

// Validate returns an error that wraps [ErrConfig] if c is not valid.
func (c Config) Validate() error {
	if !(c.Left >= 0 && c.Left <= math.MaxInt32) || !(c.Top >= 0 && c.Top <= math.MaxInt32) {
		return fmt.Errorf("%w: Left is %v and Top is %v: set both to 0 or more (0: %d)", ErrConfig, c.Left, c.Top, margin)
	}
	return nil
}

// Overlay shows the netcode of one client. Only the goroutine of the client may use it. While hidden, as it is at
// first, it only takes ten samples a second.
type Overlay struct {
	config Config
	places Places
	client *systems.Client
	link   *netsys.Conditioner
	shown  bool

	now     time.Time // time of the newest frame
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

// samples stores the client's counters, read ten times a second.
type samples struct {
	at      time.Time // time of the newest sample
	taken   int
	stats   systems.ClientStats
	step    float64 // milliseconds per tick
	past    [rateOf]past
	in, out netsys.LinkStats
	session netsys.Session // changes when the client continues in another room
}

// sliderState is the position of the sliders, and the slider that is being dragged.
type sliderState struct {
	set     [sliders]float64
	before  float64 // round trip before the slider was moved, in ms
	holding bool
	held    Slider
	pointer int // pointer that drags
}

// New returns an overlay. Call [Overlay.Attach] before use. The error wraps [ErrConfig].
func New(c Config) (*Overlay, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Left = cmp.Or(c.Left, margin)
	c.Top = cmp.Or(c.Top, margin)
	return &Overlay{config: c, places: c.Places, graphs: newGraphs()}, nil
}

// Attach connects the overlay to a client. Call it each time the game connects. link is the conditioner in front of
// the client's transport, which the sliders control. It may be nil.
func (o *Overlay) Attach(c *systems.Client, link *netsys.Conditioner) {
	if o.client != nil && o.bytes.counting {
		o.client.CountBytes(false)
	}
	o.client, o.link = c, link
	o.samples.at, o.samples.stats = time.Time{}, systems.ClientStats{}
	o.samples.in, o.samples.out = netsys.LinkStats{}, netsys.LinkStats{}
	o.samples.session = nil
	resetSession(o)
	o.degrade()
}

// resetSession discards the data of the previous session.
func resetSession(o *Overlay) {
	o.samples.past = [rateOf]past{}
	o.bytes.reset()
	o.marks.reset()
	o.hits, o.causes = hits{}, causes{}
}

// Show shows or hides the overlay.
func (o *Overlay) Show(on bool) {
	o.shown = on
	o.samples.at = time.Time{} // sample at once, because some figures are read only while shown
	if !on {
		o.sliders.holding = false
		o.count()
	}
}

// Toggle shows or hides the overlay, as for a key press.
func (o *Overlay) Toggle() { o.Show(!o.shown) }

// Shown reports whether the overlay is shown.
func (o *Overlay) Shown() bool { return o.shown }

// Mismatch stores the newest wrong prediction to show it. Use it as ClientConfig.Prediction.OnMismatch.
func (o *Overlay) Mismatch(m systems.Mismatch) { o.causes.last = m }

// sampleEvery is the time between samples.
const sampleEvery = 100 * time.Millisecond

// rateOf is the number of samples over which a rate is measured: one second.
const rateOf = 10

// past stores counters at a sample.
type past struct {
	at           time.Time
	bytes, fixes uint64
}

// Sample reads the client. Call it once a frame, after [systems.Client.Frame].
func (o *Overlay) Sample(now time.Time) {
	c := o.client
	if c == nil || !c.Connected() {
		return
	}
	o.now = now
	if s := c.Session(); s != o.samples.session {
		if o.samples.session != nil {
			resetSession(o)
			o.marks.corrections = c.Stats().Corrections
		}
		o.samples.session = s
	}
	if o.shown {
		o.count()
		o.marks.update(o)
	}
	if now.Sub(o.samples.at) >= sampleEvery {
		o.sample(now)
	}
}

// sample reads the client's figures into the graphs.
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

// damped reports whether the client shows others by damping.
func damped(c *systems.Client) bool { return policy.TraitsOf(c.Model()).Remotes == policy.Damped }

// count makes the client count bytes while the overlay is shown.
func (o *Overlay) count() {
	if o.client != nil && o.bytes.counting != o.shown {
		o.bytes.counting = o.shown
		o.client.CountBytes(o.shown)
	}
}

// Draw draws the overlay on top of a frame, if it is shown.
func (o *Overlay) Draw(c Canvas) {
	if !o.shown || o.client == nil || !o.client.Connected() {
		o.layout = layout{} // an overlay that is not drawn handles no presses
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

// drawHead draws the header: the title, the page, and the close button.
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
