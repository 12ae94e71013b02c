//go:build js

package main

import (
	"flag"
	"fmt"
	"math"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
	"github.com/tactusgo/tactus/systems/host"
)

// screen is the page.
type screen struct {
	keys   *browser.Keys
	canvas js.Value
	to     js.Value             // its 2D context
	mouse  *components.Position // on the map; nil: a thumb or no mouse
	truth  *systems.Client      // the second connection, which sees everything; nil: off
	said   map[string]string    // texts of the page, by element
}

// Colours of the teams, of the map where the team sees and where it does not, and of walls.
var teams = [...]string{"#2f7de1", "#e0483e"}

const dark, bright, wall = "#141b28", "#efe6cf", "#4d5b78"

func main() {
	s := &screen{keys: browser.NewKeys(), canvas: element("game"), said: map[string]string{}}
	s.to = s.canvas.Call("getContext", "2d")
	s.canvas.Call("addEventListener", "pointermove", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if e := args[0]; e.Get("pointerType").String() != "mouse" {
			s.mouse = nil
		} else {
			unit := size / s.canvas.Get("clientWidth").Float()
			s.mouse = &components.Position{X: float32(e.Get("offsetX").Float() * unit), Y: float32(e.Get("offsetY").Float() * unit)}
		}
		return nil
	}))
	gather := systems.Gather(s.input)
	browser.Run(browser.Config{
		Protocol:  protocol,
		Configure: func(c *systems.ClientConfig) { c.Gather, c.Prediction.Partial = gather, gather },
		Draw:      s.draw,
	})
}

func element(id string) js.Value { return js.Global().Get("document").Call("getElementById", id) }

// input reads keys, thumb and mouse. Without a mouse, players look where they walk.
func (s *screen) input(c *systems.Client, in *Input) {
	own, ok := c.Own(c.World())
	if !ok {
		return
	}
	pos := ecs.Get[components.Position](c.World(), own)
	in.X = min(max(s.keys.Axis("ArrowLeft", "ArrowRight")+s.keys.Axis("a", "d"), -1), 1)
	in.Y = min(max(s.keys.Axis("ArrowUp", "ArrowDown")+s.keys.Axis("w", "s"), -1), 1)
	switch {
	case s.mouse != nil:
		in.Look = bearing(s.mouse.X-pos.X, s.mouse.Y-pos.Y)
	case in.X != 0 || in.Y != 0:
		in.Look = bearing(float32(in.X), float32(in.Y))
	default:
		in.Look = ecs.Get[components.Heading](c.World(), own).Angle
	}
}

// draw draws a frame.
func (s *screen) draw(c *systems.Client) {
	view := c.View()
	own, ok := c.Own(view)
	if !ok {
		return
	}
	team := *ecs.Get[Team](view, own)
	s.texts(ecs.Single[Match](view), team)
	pixels := s.canvas.Get("clientWidth").Float() * js.Global().Get("devicePixelRatio").Float()
	s.canvas.Set("width", pixels) // this clears it, too
	s.canvas.Set("height", pixels)
	s.to.Call("scale", pixels/size, pixels/size)
	s.box(dark, 0, 0, size, size)

	s.to.Call("beginPath")
	for _, p := range ecs.All[known](view) {
		if p.Team == team {
			s.cone(p)
		}
	}
	s.fill(bright, 1)
	s.to.Set("strokeStyle", teams[team.ID])
	s.to.Call("stroke")
	for _, r := range walls {
		s.box(wall, r.X, r.Y, r.W, r.H)
	}
	for _, p := range ecs.All[known](view) {
		if p.Team != team {
			s.to.Call("beginPath")
			s.cone(p)
			s.fill(teams[p.Team.ID], 0.3)
		}
	}
	for e, p := range ecs.All[known](view) {
		s.body(p, teams[p.Team.ID], e == own)
	}
	s.ghosts(view)
}

// cone adds to the path what a player sees.
func (s *screen) cone(p known) {
	const rays = 100
	s.to.Call("moveTo", p.Pos.X, p.Pos.Y)
	for i := range rays + 1 {
		sin, cos := math.Sincos(radians(p.Head.Angle) + cone*(float64(i)/rays-0.5))
		dx, dy := float32(cos*sight), float32(sin*sight)
		share := free(p.Pos, components.Position{X: p.Pos.X + dx, Y: p.Pos.Y + dy})
		s.to.Call("lineTo", p.Pos.X+dx*share, p.Pos.Y+dy*share)
	}
	s.to.Call("closePath")
}

// body draws a player, with a nose that shows where it looks. The player of this page has a white outline.
func (s *screen) body(p known, colour string, own bool) {
	s.to.Call("beginPath")
	s.to.Call("arc", p.Pos.X, p.Pos.Y, radius, 0, 2*math.Pi)
	s.fill(colour, 1)
	s.to.Set("lineWidth", 3)
	s.to.Set("strokeStyle", map[bool]string{false: "#0b0f17", true: "#ffffff"}[own])
	s.to.Call("stroke")
	s.nose(p, "#ffffff")
}

func (s *screen) nose(p known, colour string) {
	sin, cos := math.Sincos(radians(p.Head.Angle))
	s.to.Call("beginPath")
	s.to.Call("arc", float64(p.Pos.X)+cos*8, float64(p.Pos.Y)+sin*8, 4, 0, 2*math.Pi)
	s.fill(colour, 1)
}

// ghosts draws outlines of the players that the second connection knows and the team does not see.
func (s *screen) ghosts(view *ecs.World) {
	if s.connect(); s.truth == nil || s.truth.View() == nil {
		return
	}
	s.truth.Frame(time.Now())
	for e, p := range ecs.All[known](s.truth.View()) {
		if _, seen := view.ByNetID(s.truth.View().NetID(e)); seen {
			continue
		}
		s.to.Call("beginPath")
		s.cone(p)
		s.fill(teams[p.Team.ID], 0.15)
		s.to.Call("setLineDash", []any{5, 4})
		s.to.Set("strokeStyle", teams[p.Team.ID])
		s.to.Call("beginPath")
		s.to.Call("arc", p.Pos.X, p.Pos.Y, radius, 0, 2*math.Pi)
		s.to.Call("stroke")
		s.to.Call("setLineDash", []any{})
		s.nose(p, teams[p.Team.ID])
	}
}

// connect opens and closes the second connection as the switch says, and advances it.
func (s *screen) connect() {
	now, on := time.Now(), element("truth")
	switch {
	case !on.Get("checked").Bool():
		if s.truth != nil {
			_ = s.truth.Close(now)
			s.truth = nil
		}
	case s.truth == nil:
		wire, err := (&websocket.DialConfig{}).Begin(flag.Lookup("connect").Value.String())
		if err == nil {
			s.truth, err = systems.NewClient(wire, wire.RemoteAddr(), protocol(), systems.ClientConfig{Login: Login{Truth: true}})
		}
		s.refused(err)
	default:
		s.truth.Advance(now)
		s.refused(s.truth.Err())
	}
}

// refused shows why there is no second connection, and turns the switch off.
func (s *screen) refused(err error) {
	s.say("refused", host.Explain(err))
	if err != nil {
		element("truth").Set("checked", false)
	}
}

// texts updates what is written beside the map.
func (s *screen) texts(m Match, team Team) {
	s.say("blue", fmt.Sprint(m.Score[0]))
	s.say("red", fmt.Sprint(m.Score[1]))
	name := [...]string{"blue", "red"}[team.ID]
	s.say("team", name)
	s.say("title", "Fog: "+name)
	element("switch").Set("hidden", !m.Truth)
}

// say writes the text of an element if it has changed.
func (s *screen) say(id, text string) {
	if s.said[id] != text {
		s.said[id] = text
		element(id).Set("textContent", text)
	}
}

func (s *screen) box(colour string, x, y, w, h float32) {
	s.to.Set("fillStyle", colour)
	s.to.Call("fillRect", x, y, w, h)
}

func (s *screen) fill(colour string, alpha float64) {
	s.to.Set("globalAlpha", alpha)
	s.to.Set("fillStyle", colour)
	s.to.Call("fill")
	s.to.Set("globalAlpha", 1)
}
