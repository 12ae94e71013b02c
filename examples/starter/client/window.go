//go:build !js && window

package main

import (
	"context"
	"image/color"
	"io"
	"log"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"github.com/tactusgo/tactus/systems"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// window implements ebiten.Game.
type window struct {
	ctx    context.Context
	client *systems.Client
	colour uint8  // the colour requested last
	line   string // the newest event
}

// play opens a window and plays until the window closes, or ctx or the session ends.
func play(ctx context.Context, addr string, config systems.ClientConfig, _ io.Writer) error {
	g := &window{ctx: ctx}
	game.Listen(&config, func(line string) { g.line = line })
	config.Gather, config.Prediction.Partial = systems.Gather(keys), systems.Gather(keys)
	var err error
	if g.client, err = systems.Dial(ctx, addr, game.Protocol(), config); err != nil {
		return err
	}
	defer func() { _ = g.client.Close(time.Now()) }()
	ebiten.SetWindowTitle("Starter: arrow keys walk, C is for colour")
	ebiten.SetWindowSize(game.Width, game.Height)
	ebiten.SetRunnableOnUnfocused(true) // the match continues behind other windows
	ebiten.SetTPS(ebiten.SyncWithFPS)   // the client keeps its own tick rate
	return ebiten.RunGame(g)
}

// keys fills the input of a tick, or of a frame between two ticks.
func keys(_ *systems.Client, in *game.Move) {
	in.DX = axis(ebiten.KeyArrowLeft, ebiten.KeyArrowRight)
	in.DY = axis(ebiten.KeyArrowUp, ebiten.KeyArrowDown)
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
	if g.ctx.Err() != nil {
		return ebiten.Termination
	}
	now := time.Now()
	g.client.Advance(now)
	g.client.Frame(now)
	if err := g.client.Err(); err != nil {
		return err
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyC) {
		g.colour = (g.colour + 1) % uint8(len(game.Colours))
		if err := systems.Command(g.client, game.Paint{Colour: g.colour}); err != nil {
			log.Print(err)
		}
	}
	return nil
}

// Draw shows the view.
func (g *window) Draw(screen *ebiten.Image) {
	screen.Fill(color.RGBA{R: 32, G: 36, B: 40, A: 255})
	ebitenutil.DebugPrintAt(screen, g.line, 8, game.Height-20)
	for d := range game.Look(g.client) {
		vector.DrawFilledCircle(screen, d.X, d.Y, d.R, tint(d.Colour), true)
		if d.Own {
			vector.StrokeCircle(screen, d.X, d.Y, d.R, 2, color.White, true)
		}
		ebitenutil.DebugPrintAt(screen, d.Name, int(d.X)-3*len(d.Name), int(d.Y-d.R)-16)
	}
}

// Layout makes a unit of the world a pixel of the picture, whatever the size of the window.
func (g *window) Layout(int, int) (width, height int) { return game.Width, game.Height }

// tint is a colour for Ebitengine.
func tint(rgb uint32) color.RGBA {
	return color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}
