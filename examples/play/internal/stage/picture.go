package stage

import (
	"errors"
	"image"
	"image/png"
	"os"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
)

// picture writes one screenshot to a file.
type picture struct {
	name  string
	since time.Time // start of play
	done  bool
	err   error
}

// pictureAfter is the time of play before the screenshot.
const pictureAfter = 3 * time.Second

// due reports whether the screenshot is due.
func (p *picture) due(playing bool, now time.Time) bool {
	if p.since.IsZero() && playing {
		p.since = now
	}
	return p.name != "" && !p.done && playing && now.Sub(p.since) > pictureAfter
}

// take takes the picture.
func (p *picture) take(screen *ebiten.Image) { p.done, p.err = true, p.write(screen) }

func (p *picture) write(screen *ebiten.Image) error {
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	f, err := os.Create(p.name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}
