package main

import (
	"image"
	"image/png"
	"os"
	"strconv"

	"github.com/hajimehoshi/ebiten/v2"
)

// shots writes what is on the screen to a file, for tests of the window: after as many
// frames as PLAY_SHOT_AFTER says, to the file that PLAY_SHOT names.
type shots struct{ frames int }

func (s *shots) take(screen *ebiten.Image) {
	name := os.Getenv("PLAY_SHOT")
	if name == "" {
		return
	}
	s.frames++
	if after, _ := strconv.Atoi(os.Getenv("PLAY_SHOT_AFTER")); s.frames != max(after, 1) {
		return
	}
	b := screen.Bounds()
	img := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	screen.ReadPixels(img.Pix)
	f, err := os.Create(name)
	if err != nil {
		return
	}
	defer f.Close()
	_ = png.Encode(f, img)
}
