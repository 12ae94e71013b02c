package stage

import (
	"errors"
	"image"
	"image/color"
	"image/gif"
	"os"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// movie writes some seconds of play to a GIF file, with the overlay, while the link gets worse.
type movie struct {
	name   string
	shots  []*shot
	next   time.Time // time of the next shot
	worse  int       // number of completed steps of movieScript
	pixels []byte
	done   bool
	err    error
}

// shot is a screenshot with 16-bit colours.
type shot struct {
	w, h   int
	pixels []uint16
}

// Settings of a movie. GIF counts in hundredths of a second.
const (
	movieWide, movieHigh = 800, 450
	movieEvery           = 7 // hundredths of a second between shots
	movieShots           = 90
)

// movieScript lists the link conditions, each with its first shot.
var movieScript = [...]struct {
	shot   int
	slider overlay.Slider
	value  float64
}{{20, overlay.RoundTrip, 100}, {34, overlay.RoundTrip, 200}, {44, overlay.Jitter, 30}, {54, overlay.Loss, 5}, {64, overlay.RoundTrip, 300}, {70, overlay.Loss, 10}}

// settle is the time of play before the first shot.
const settle = 2 * time.Second

// take takes a shot if one is due.
func (m *movie) take(screen *ebiten.Image, net *overlay.Overlay, playing bool, now time.Time) {
	if !m.due(net, playing, now) {
		return
	}
	m.shots = append(m.shots, m.shoot(screen))
	if len(m.shots) == movieShots {
		m.done, m.err = true, m.write()
	}
}

// due reports whether a shot is due. It changes the link conditions according to movieScript.
func (m *movie) due(net *overlay.Overlay, playing bool, now time.Time) bool {
	if !playing || m.done {
		return false
	}
	if m.next.IsZero() {
		net.Show(true)
		m.next = now.Add(settle)
	}
	if now.Before(m.next) {
		return false
	}
	// A late frame does not change the schedule.
	m.next = m.next.Add(movieEvery * 10 * time.Millisecond)
	for ; m.worse < len(movieScript) && movieScript[m.worse].shot <= len(m.shots); m.worse++ {
		net.Set(movieScript[m.worse].slider, movieScript[m.worse].value)
	}
	return true
}

// shoot copies the screen.
func (m *movie) shoot(screen *ebiten.Image) *shot {
	b := screen.Bounds()
	s := &shot{w: b.Dx(), h: b.Dy(), pixels: make([]uint16, b.Dx()*b.Dy())}
	if len(m.pixels) != 4*len(s.pixels) {
		m.pixels = make([]byte, 4*len(s.pixels))
	}
	screen.ReadPixels(m.pixels)
	for i := range s.pixels {
		p := m.pixels[4*i:]
		s.pixels[i] = uint16(p[0]>>3)<<11 | uint16(p[1]>>2)<<5 | uint16(p[2]>>3)
	}
	return s
}

// write writes the file. Each image contains the difference to the previous one.
func (m *movie) write() error {
	counts := make([]int, 1<<16)
	for _, s := range m.shots {
		for _, c := range s.pixels {
			counts[c]++
		}
	}
	const clear = 0 // transparent: the previous image shows through
	colours, near := palette(counts, 255)
	out := &gif.GIF{Config: image.Config{ColorModel: colours, Width: m.shots[0].w, Height: m.shots[0].h}}
	var last *shot
	for _, s := range m.shots {
		if s.w != m.shots[0].w || s.h != m.shots[0].h {
			return errors.New("the size of the window has changed within a movie")
		}
		img := image.NewPaletted(image.Rect(0, 0, s.w, s.h), colours)
		for i, c := range s.pixels {
			if img.Pix[i] = near[c]; last != nil && near[last.pixels[i]] == near[c] {
				img.Pix[i] = clear
			}
		}
		out.Image, out.Delay, out.Disposal = append(out.Image, img), append(out.Delay, movieEvery), append(out.Disposal, gif.DisposalNone)
		last = s
	}
	f, err := os.Create(m.name)
	if err != nil {
		return err
	}
	return errors.Join(gif.EncodeAll(f, out), f.Close())
}

// palette chooses colours for a histogram of 16-bit colours, after the transparent one. near maps each 16-bit colour to its
// index.
func palette(counts []int, most int) (colours color.Palette, near []uint8) {
	near = make([]uint8, len(counts))
	var first cell
	for c, n := range counts {
		if n > 0 {
			first.colours = append(first.colours, uint16(c))
			first.count += n
		}
	}
	cells := []cell{first}
	for len(cells) < most {
		widest, best := -1, 0.0
		for i := range cells {
			if w := cells[i].worth(); w > best {
				widest, best = i, w
			}
		}
		if widest < 0 {
			break
		}
		a, b := cells[widest].split(counts)
		cells[widest] = a
		cells = append(cells, b)
	}
	colours = color.Palette{color.RGBA{}}
	for i := range cells {
		colours = append(colours, cells[i].mean(counts))
		for _, c := range cells[i].colours {
			near[c] = uint8(i + 1)
		}
	}
	return colours, near
}
