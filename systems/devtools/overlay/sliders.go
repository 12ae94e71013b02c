package overlay

import (
	"math"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Slider identifies a slider.
type Slider uint8

// The sliders, from top to bottom.
const (
	// RoundTrip is the added round trip, 0 to 500 ms, half in each direction.
	RoundTrip Slider = iota
	// Jitter is the maximum deviation of a datagram's delay in each direction, 0 to 100 ms. The link limits it to
	// half of RoundTrip.
	Jitter
	// Loss is the share of lost datagrams in each direction, 0 to 30 %.
	Loss
	// Bursts is the mean duration of a run of losses, 0 to 500 ms. 0 makes losses independent.
	Bursts
	// Duplicates is the share of datagrams that arrive twice, 0 to 20 %.
	Duplicates
	sliders
)

// slider is the range of a slider.
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

// Link returns the link that the sliders describe, for each direction.
func (o *Overlay) Link() netsys.Link {
	ms := func(s Slider) time.Duration { return time.Duration(o.sliders.set[s] * float64(time.Millisecond)) }
	l := netsys.Link{Latency: ms(RoundTrip) / 2, Loss: o.sliders.set[Loss] / 100, Burst: ms(Bursts), Duplicate: o.sliders.set[Duplicates] / 100}
	l.Jitter = min(ms(Jitter), l.Latency)
	return l
}

// Set moves a slider to the nearest step within its range. The link changes immediately.
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

// Value returns the value of a slider.
func (o *Overlay) Value(s Slider) float64 {
	if s >= sliders {
		return 0
	}
	return o.sliders.set[s]
}

// degrade applies the sliders to both directions of the link.
func (o *Overlay) degrade() {
	if o.link != nil {
		l := o.Link()
		_ = o.link.SetLinks(l, l) // sliders are always within the valid range
	}
}

// Positions within a slider, in points.
const (
	sliderHeight = 31
	trackLeft    = 84
	trackWidth   = 148
	trackMiddle  = 8
)

// SliderAt returns the position on the screen at which a press sets the slider to value. It returns false while the
// slider is not shown.
func (o *Overlay) SliderAt(s Slider, value float64) (x, y float64, ok bool) {
	at, ok := o.where(sectionLink)
	if !ok || s >= sliders {
		return 0, 0, false
	}
	k := &sliderKinds[s]
	return at.x + trackLeft + min(max(value/k.most, 0), 1)*trackWidth, at.y + titleHeight + float64(s)*sliderHeight + trackMiddle, true
}

// sliderUnder returns the slider at a position.
func (o *Overlay) sliderUnder(x, y float64) (Slider, bool) {
	at, ok := o.where(sectionLink)
	i := math.Floor((y - at.y - titleHeight) / sliderHeight)
	if !ok || x < at.x || x >= at.x+inner || i < 0 || i >= float64(sliders) {
		return 0, false
	}
	return Slider(i), true
}

// drag moves the dragged slider.
func (o *Overlay) drag(x float64) {
	if at, ok := o.where(sectionLink); ok {
		o.Set(o.sliders.held, (x-at.x-trackLeft)/trackWidth*sliderKinds[o.sliders.held].most)
	}
}

// drawLink draws the sliders and the measured values.
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

// measured appends the measured value of what a slider sets.
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

// milliseconds returns a duration in milliseconds, with its fraction.
func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
