//go:build js

package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/bodies/scene"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
)

const (
	datagramHeader = 28              // bytes of UDP and IPv4
	window         = 3 * time.Second // over which the page computes rates
	refresh        = window / 6
)

// screen is the page.
type screen struct {
	link   *netsys.Conditioner
	meter  *meter
	bodies []byte   // 8 float32 for each asteroid: position, scale, rotation
	array  js.Value // the same for page.html, a Uint8Array
	past   []sample // of the window, the oldest first
}

// sample holds counts at a time. Bytes include the headers of UDP and IP.
type sample struct {
	at                        time.Time
	datagrams, bytes, bytesUp float64
}

// meter counts the datagrams that arrive, before the conditioner loses some of them.
type meter struct {
	netsys.Wire
	datagrams, bytes float64
}

// Poll implements [netsys.Wire].
func (m *meter) Poll(now time.Time, deliver func(netsys.Datagram)) {
	m.Wire.Poll(now, func(d netsys.Datagram) {
		m.datagrams++
		m.bytes += float64(len(d.Data) + datagramHeader)
		deliver(d)
	})
}

func main() {
	s := &screen{}
	browser.Run(browser.Config{
		Protocol:  func() *ecs.Protocol { return scene.Protocol(0) }, // clients do not run the physics
		Configure: func(*systems.ClientConfig) {},
		Wire:      s.open,
		Draw:      s.draw,
		Lost:      func(error) { s.past = nil },
	})
}

// open puts a meter and a conditioner in front of a transport.
func (s *screen) open(wire netsys.Wire) (netsys.Wire, error) {
	s.meter, s.past = &meter{Wire: wire}, nil
	var err error
	s.link, err = netsys.Condition(s.meter, netsys.ConditionerConfig{Seed: rand.Uint64()})
	return s.link, err
}

// draw draws a frame.
func (s *screen) draw(c *systems.Client) {
	s.bodies = s.bodies[:0]
	for _, b := range ecs.All[struct {
		At   scene.Place
		Turn scene.Turn
		Size scene.Size
	}](c.View()) {
		for _, v := range [...]float32{b.At.X, b.At.Y, b.At.Z, b.Size.Scale, b.Turn.Q[0], b.Turn.Q[1], b.Turn.Q[2], b.Turn.Q[3]} {
			s.bodies = binary.LittleEndian.AppendUint32(s.bodies, math.Float32bits(v))
		}
	}
	n := len(s.bodies) / 32
	if s.array.IsUndefined() || s.array.Length() != len(s.bodies) {
		s.array = js.Global().Get("Uint8Array").New(len(s.bodies))
	}
	js.CopyBytesToJS(s.array, s.bodies)
	js.Global().Call("render", s.array, scene.Radius, scene.Planet, scene.Bounds(n))

	delay, loss := slider("delay"), slider("loss")
	link := netsys.Link{Latency: time.Duration(delay / 2 * float64(time.Millisecond)), Loss: loss / 100}
	_ = s.link.SetLinks(link, link) // the sliders have valid values only
	say("set-delay", fmt.Sprintf("+%v ms", delay))
	say("set-loss", fmt.Sprintf("%v %%", loss))
	if _, loaded := c.Loaded(); loaded && (len(s.past) == 0 || time.Since(s.past[len(s.past)-1].at) >= refresh) {
		s.figures(c, n)
	}
}

// figures shows the rates since the start of the window.
func (s *screen) figures(c *systems.Client, n int) {
	session := c.Session().Stats()
	up := float64(session.BytesOut + datagramHeader*session.DatagramsOut)
	now := sample{time.Now(), s.meter.datagrams, s.meter.bytes, up}
	for s.past = append(s.past, now); now.at.Sub(s.past[0].at) > window+refresh/2; s.past = s.past[1:] {
	}
	then := s.past[0]
	seconds := now.at.Sub(then.at).Seconds()
	if seconds == 0 {
		return
	}
	bytes, datagrams := now.bytes-then.bytes, now.datagrams-then.datagrams
	down := bytes / seconds / 1000
	say("rate", fmt.Sprintf("%.1f", down))
	say("bar", fmt.Sprintf("%.1f", down))
	element("own").Get("style").Set("width", fmt.Sprintf("%.1f%%", min(down/1.22, 100))) // of Mirror's 122 kB/s
	say("up", fmt.Sprintf("%.1f kB/s", (now.bytesUp-then.bytesUp)/seconds/1000))
	say("bodies", fmt.Sprint(n))
	say("messages", fmt.Sprintf("%.0f", datagrams/seconds))
	say("size", fmt.Sprintf("%.0f bytes", bytes/max(datagrams, 1)))
	say("rtt", fmt.Sprintf("%d ms", session.RTT.Milliseconds()))
	say("lost", fmt.Sprintf("%.1f %%", 100*session.LossIn))
	say("behind", fmt.Sprintf("%.0f ms", max(float64(c.ServerTick())-c.DrawnTick(), 0)/scene.TickRate*1000))
}

func element(id string) js.Value { return js.Global().Get("document").Call("getElementById", id) }

func slider(id string) float64 { return element(id).Get("valueAsNumber").Float() }

// say writes the text of an element.
func say(id, text string) { element(id).Set("textContent", text) }
