//go:build window

package main

import (
	"context"
	"image/color"
	"log"
	"os"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// window implements ebiten.Game.
type window struct{ client *systems.Client }

// main plays on the server whose address is the first argument.
func main() {
	run := systems.Gather(func(_ *systems.Client, in *Move) {
		in.DX, in.DY = axis(ebiten.KeyArrowLeft, ebiten.KeyArrowRight), axis(ebiten.KeyArrowUp, ebiten.KeyArrowDown)
	})
	config := systems.ClientConfig{Gather: run, Prediction: systems.Prediction{Partial: run}}
	config.Session.InsecureAllowAnyAddress = true // no tokens: for a game among friends
	c, err := systems.Dial(context.Background(), os.Args[1], Protocol(), config)
	if err != nil {
		log.Fatal(err)
	}
	ebiten.SetRunnableOnUnfocused(true) // the match continues behind other windows
	ebiten.SetTPS(ebiten.SyncWithFPS)   // the client keeps its own tick rate
	err = ebiten.RunGame(&window{c})
	_ = c.Close(time.Now())
	log.Print(err)
}

// axis returns -1, 0 or 1, depending on two keys.
func axis(less, more ebiten.Key) (v int8) {
	if ebiten.IsKeyPressed(less) {
		v--
	}
	if ebiten.IsKeyPressed(more) {
		v++
	}
	return v
}

// Update runs the ticks that are due, and brings the view to the time of this frame.
func (g *window) Update() error {
	now := time.Now()
	g.client.Advance(now)
	g.client.Frame(now)
	return g.client.Err()
}

// Draw shows the view.
func (g *window) Draw(screen *ebiten.Image) {
	screen.Fill(color.RGBA{R: 32, G: 36, B: 40, A: 255}) // the text is white
	me, _ := g.client.Own(g.client.View())
	for e, p := range ecs.All[struct {
		Place Place
		It    It
	}](g.client.View()) {
		tint := color.RGBA{R: 0x4a, G: 0x90, B: 0xd9, A: 0xff}
		if p.It.Is {
			tint = color.RGBA{R: 0xd9, G: 0x4a, B: 0x4a, A: 0xff}
		}
		vector.DrawFilledCircle(screen, p.Place.X, p.Place.Y, 10, tint, true)
		if e == me {
			vector.StrokeCircle(screen, p.Place.X, p.Place.Y, 10, 3, color.White, true)
		}
		ebitenutil.DebugPrintAt(screen, hud(g.client, e == me, p.It), int(p.Place.X)-40, int(p.Place.Y)-28)
	}
}

// Layout makes a unit of the world a pixel of the picture, whatever the size of the window.
func (g *window) Layout(int, int) (width, height int) { return 640, 400 }
