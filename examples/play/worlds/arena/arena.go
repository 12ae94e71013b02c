package arena

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"

	"github.com/hajimehoshi/ebiten/v2"
)

// World is the arena as the client needs to know it.
func World() stage.World {
	return stage.World{
		Name:     "arena",
		Help:     "W A S D or arrows move, the mouse aims, click or Space shoots, Enter chats, F3 shows the network",
		Protocol: game.CombatProtocol,
		Controls: stage.Bindings{
			Keys: []stage.Key{
				{Key: ebiten.KeyW, Buttons: game.Up}, {Key: ebiten.KeyArrowUp, Buttons: game.Up},
				{Key: ebiten.KeyS, Buttons: game.Down}, {Key: ebiten.KeyArrowDown, Buttons: game.Down},
				{Key: ebiten.KeyA, Buttons: game.Left}, {Key: ebiten.KeyArrowLeft, Buttons: game.Left},
				{Key: ebiten.KeyD, Buttons: game.Right}, {Key: ebiten.KeyArrowRight, Buttons: game.Right},
				{Key: ebiten.KeySpace, Buttons: game.Fire},
			},
			Click: game.Fire,
			Walk:  [4]uint32{game.Up, game.Down, game.Left, game.Right},
			Push:  game.Fire,
			Aims:  true,
		},
		New: func(s *stage.Stage) stage.Scene { return newScene(s) },
	}
}

// Configure implements [stage.Scene].
func (a *scene) Configure(config *systems.ClientConfig) {
	stage.Inputs(a.stage, config, a.fill)
	a.messages.Play(config, a.said)
}

// Draw implements [stage.Scene].
func (a *scene) Draw(c *systems.Client, to *paint.Canvas) {
	const side = 760 // units
	a.to = to
	a.camera.LookWide(to, side)
	if c != nil {
		a.look(c, a.stage.Hit)
	}
	a.drawWorld()
	if c != nil {
		a.drawHealth()
		a.drawScores()
		a.drawMap()
	}
}

// look takes in all that a client has for a frame.
func (a *scene) look(c *systems.Client, hit func(overlay.Hit)) {
	a.update(c, a.stage.Step())
	a.call(c)
	a.feed(ecs.Single[game.Feed](c.World()))
	a.verdicts.take(c, hit)
}

// Caption implements [stage.Captioned].
func (a *scene) Caption(b []byte) []byte {
	if a.own == nil {
		return append(b, "…"...)
	}
	return a.own.name.AppendTo(b)
}

// Players implements [stage.Crowded].
func (a *scene) Players() (n int) {
	for _, x := range a.list {
		if x.client != 0 {
			n++
		}
	}
	return n
}

// Places implements [stage.Placed].
func (a *scene) Places() overlay.Places {
	return stage.PlacesOf(a.stage, func(p components.Position) overlay.Point {
		return overlay.Point{X: float64(p.X), Y: float64(p.Y)}
	}, func(p overlay.Point) (x, y float64, ok bool) {
		x, y = a.camera.OnScreen(p.X, p.Y)
		return x, y, true
	})
}

// fill is the input of a tick, or of a frame until then.
func (a *scene) fill(c *systems.Client, in *game.Action) {
	in.Buttons, in.Aim = uint8(a.stage.Controls.Held()), a.aimed(c)
	if a.stage.Ticking() {
		in.Seen = c.Claim(in.Buttons&game.Fire != 0)
	}
}

// aimed returns the direction of the shot: from the thumbs, from the keys without a mouse, or towards the mouse. The shot
// starts at the player's position in the tick, which differs slightly from the drawn position, so it aims from there.
func (a *scene) aimed(c *systems.Client) uint16 {
	k := &a.stage.Controls
	toward := func(x, y float64) {
		if x != 0 || y != 0 {
			a.aim = game.Bearing(float32(x), float32(y))
		}
	}
	if mx, my, ok := k.Mouse(); ok {
		target := a.camera.InWorld(mx, my)
		if own, there := c.Own(c.World()); there {
			if at := ecs.Get[components.Position](c.World(), own); at != nil {
				toward(target.X-float64(at.X), target.Y-float64(at.Y))
			}
		}
	} else if x, y, pushed := k.Stick(true); pushed {
		toward(x, y)
	} else if x, y, pushed := k.Stick(false); pushed {
		toward(x, y)
	} else if !k.Touch() {
		toward(walks(k.Held()))
	}
	return a.aim
}

// walks is the direction of pressed buttons.
func walks(b uint32) (dx, dy float64) {
	on := func(m uint32) float64 {
		if b&m != 0 {
			return 1
		}
		return 0
	}
	return on(game.Right) - on(game.Left), on(game.Down) - on(game.Up)
}

// call tells the server the player's name, once it knows the player.
func (a *scene) call(c *systems.Client) {
	if _, there := c.Own(c.World()); a.named || !there {
		return
	}
	var r game.Rename
	r.Name.Set(a.stage.Name())
	a.named = a.stage.Name() == "" || systems.Command(c, r) == nil
}

// Say implements [stage.Talker].
func (a *scene) Say(c *systems.Client, text string) {
	var s game.Say
	s.Text.Set(text)
	_ = a.messages.Say.Send(c.Session().Channels(), &s) // dropped if too many messages wait
}

// said shows a received line of chat.
func (a *scene) said(s *game.Said) {
	self := uint32(0)
	if a.client != nil {
		self = a.client.ID()
	}
	a.stage.Tell(s.Name.String(), s.Text.String(), paint.Of(s.Client, self))
}

// feed shows new kills.
func (a *scene) feed(f game.Feed) {
	if !a.fed {
		a.told, a.fed = f.Total, true
		return
	}
	n := min(int(f.Total-a.told), f.Kills.Len())
	a.told = f.Total
	for i := f.Kills.Len() - n; i < f.Kills.Len(); i++ {
		k := f.Kills.Get(i)
		by, whom := a.called(uint32(k.By)), a.called(uint32(k.Whom))
		if by == "" || whom == "" {
			continue // of a player that has not come into sight yet
		}
		a.stage.Tell(by, "shot down "+whom, paint.Of(uint32(k.By), a.client.ID()))
	}
}

// called returns the name of a player, or nothing if it is unknown.
func (a *scene) called(client uint32) string {
	for _, p := range a.list {
		if p.client == client {
			return p.name.String()
		}
	}
	return ""
}
