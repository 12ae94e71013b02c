package overlay

import (
	"math"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Slider is one of those that make a link worse.
type Slider uint8

// The sliders, from the top.
const (
	// RoundTrip is what the link adds to a round trip, 0 to 500 ms, half of it each way.
	RoundTrip Slider = iota
	// Jitter is how far the delay of a datagram strays each way, 0 to 100 ms. The link
	// keeps it at half of RoundTrip at most.
	Jitter
	// Loss is the share that is lost each way, 0 to 30 %.
	Loss
	// Bursts is the mean length of a run of losses, 0 to 500 ms. 0 makes losses
	// independent of each other.
	Bursts
	// Duplicates is the share that arrives twice, 0 to 20 %.
	Duplicates
	sliders
)

// slider is what a slider can be set to.
type slider struct {
	name, unit string
	most, step float64
}

var sliderKinds = [sliders]slider{
	RoundTrip:  {"round trip", " ms", 500, 10},
	Jitter:     {"jitter", " ms", 100, 5},
	Loss:       {"loss", " %", 30, 1},
	Bursts:     {"bursts", " ms", 500, 25},
	Duplicates: {"duplicates", " %", 20, 1},
}

// Link is what the sliders say, each way.
func (o *Overlay) Link() netsys.Link {
	ms := func(s Slider) time.Duration { return time.Duration(o.sliders.set[s] * float64(time.Millisecond)) }
	l := netsys.Link{Latency: ms(RoundTrip) / 2, Loss: o.sliders.set[Loss] / 100, Burst: ms(Bursts), Duplicate: o.sliders.set[Duplicates] / 100}
	l.Jitter = min(ms(Jitter), l.Latency)
	return l
}

// Set moves a slider: to the nearest of its steps, within its range. The link follows at
// once.
func (o *Overlay) Set(s Slider, value float64) {
	if s >= sliders {
		return
	}
	k := &sliderKinds[s]
	if value = math.Round(min(max(value, 0), k.most)/k.step) * k.step; value != o.sliders.set[s] {
		o.sliders.set[s] = value
		o.degrade()
	}
}

// Value is what a slider is set to.
func (o *Overlay) Value(s Slider) float64 {
	if s >= sliders {
		return 0
	}
	return o.sliders.set[s]
}

// degrade makes both directions of the link what the sliders say.
func (o *Overlay) degrade() {
	if o.link != nil {
		l := o.Link()
		_ = o.link.SetLinks(l, l) // sliders stay within what is allowed
	}
}

// Where things are in a slider, in points.
const (
	sliderHeight = 31
	trackLeft    = 84
	trackWidth   = 148
	trackMiddle  = 8
)

// SliderAt is the place on the screen where a slider would say value, for programs that
// press there; false while it is not shown.
func (o *Overlay) SliderAt(s Slider, value float64) (x, y float64, ok bool) {
	at, ok := o.where(sectionLink)
	if !ok || s >= sliders {
		return 0, 0, false
	}
	k := &sliderKinds[s]
	return at.x + trackLeft + min(max(value/k.most, 0), 1)*trackWidth, at.y + titleHeight + float64(s)*sliderHeight + trackMiddle, true
}

// sliderUnder is the slider at a place.
func (o *Overlay) sliderUnder(x, y float64) (Slider, bool) {
	at, ok := o.where(sectionLink)
	i := math.Floor((y - at.y - titleHeight) / sliderHeight)
	if !ok || x < at.x || x >= at.x+inner || i < 0 || i >= float64(sliders) {
		return 0, false
	}
	return Slider(i), true
}

// drag moves the slider that is held.
func (o *Overlay) drag(x float64) {
	if at, ok := o.where(sectionLink); ok {
		o.Set(o.sliders.held, (x-at.x-trackLeft)/trackWidth*sliderKinds[o.sliders.held].most)
	}
}

// drawLink draws the sliders, and what is measured.
func (o *Overlay) drawLink(x, y, w float64) {
	o.title(x, y, "this link, each way on top of what it is")
	y += titleHeight
	p := &o.pen
	for s := range sliders {
		k := &sliderKinds[s]
		mid := y + trackMiddle
		p.label(x, mid+4, k.name, fade(white, 0.85))
		left, at := x+trackLeft, x+trackLeft+trackWidth*o.sliders.set[s]/k.most
		p.Rect(left, mid-2, trackWidth, 4, 2, fade(white, 0.16))
		if o.sliders.set[s] > 0 {
			p.Rect(left, mid-2, at-left, 4, 2, cyan)
		}
		r := 6.5
		if o.sliders.holding && o.sliders.held == s {
			r = 8.5
		}
		p.dot(at, mid, r, white)
		b := appendFigure(p.buf[:0], o.sliders.set[s])
		p.right(x+w, mid+4, append(b, k.unit...), white)
		p.Text(left, mid+19, o.measured(p.buf[:0], s), muted)
		y += sliderHeight
	}
}

// measured appends what is measured of what a slider sets.
func (o *Overlay) measured(b []byte, s Slider) []byte {
	session := &o.samples.stats.Session
	switch s {
	case RoundTrip:
		b = append(b, "measured "...)
		if o.sliders.before > 0 {
			b = append(appendFigure(b, math.Round(o.sliders.before)), " → "...)
		}
		b = append(appendFigure(b, math.Round(milliseconds(session.RTT))), " ms"...)
	case Jitter:
		b = append(b, "measured "...)
		b = append(appendFigure(b, milliseconds(session.Jitter)), " ms"...)
	case Loss:
		b = appendFigure(append(b, "measured "...), 100*session.LossIn)
		b = appendFigure(append(b, " % in, "...), 100*session.LossOut)
		b = append(b, " % out"...)
	case Bursts:
		b = strconv.AppendUint(b, o.samples.in.Lost, 10)
		b = strconv.AppendUint(append(b, " lost in, "...), o.samples.out.Lost, 10)
		b = append(b, " out"...)
	case Duplicates:
		b = strconv.AppendUint(b, o.samples.in.Duplicated, 10)
		b = strconv.AppendUint(append(b, " copies in, "...), o.samples.out.Duplicated, 10)
		b = append(b, " out"...)
	}
	return b
}

// milliseconds is a duration with its fraction.
func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
