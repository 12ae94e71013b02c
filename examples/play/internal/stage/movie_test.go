//go:build !js

package stage

import (
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// A movie that is shown has what was on the screen, shot by shot, where there are no more
// colours than it can have.
func TestMovieShowsWhatWas(t *testing.T) {
	const w, h = 40, 30
	draw8 := rand.New(rand.NewPCG(1, 1))
	m := movie{name: filepath.Join(t.TempDir(), "x.gif")}
	for n := range 5 {
		s := &shot{w: w, h: h, pixels: make([]uint16, w*h)}
		if n > 0 {
			copy(s.pixels, m.shots[n-1].pixels)
		}
		for range 60 {
			s.pixels[draw8.IntN(w*h)] = uint16(draw8.IntN(200) * 317)
		}
		m.shots = append(m.shots, s)
	}
	if err := m.write(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(m.name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := gif.DecodeAll(f)
	if err != nil || len(g.Image) != len(m.shots) {
		t.Fatalf("%v, and of %d shots %d", err, len(m.shots), len(g.Image))
	}
	shown := image.NewRGBA(image.Rect(0, 0, w, h))
	for n, part := range g.Image {
		draw.Draw(shown, part.Bounds(), part, part.Bounds().Min, draw.Over)
		for i, c := range m.shots[n].pixels {
			want := color.RGBA{uint8(channel(c, 0)), uint8(channel(c, 1)), uint8(channel(c, 2)), 255}
			if got := shown.RGBAAt(i%w, i/w); got != want {
				t.Fatalf("shot %d, pixel %d: %v, and was %v", n, i, got, want)
			}
		}
	}
}

// Of more colours than a movie can have each is shown by one that is near.
func TestPaletteIsNear(t *testing.T) {
	counts := make([]int, 1<<16)
	for c := range counts {
		counts[c] = 1 + c%7
	}
	colours, near := palette(counts, 255)
	if len(colours) != 256 {
		t.Fatalf("%d colours", len(colours))
	}
	for c := range counts {
		r, g, b, a := colours[near[c]].RGBA()
		for i, v := range [...]uint32{r, g, b} {
			if d := int(v>>8) - channel(uint16(c), i); a == 0 || d > 45 || d < -45 {
				t.Fatalf("%v is shown as %v", [3]int{channel(uint16(c), 0), channel(uint16(c), 1), channel(uint16(c), 2)}, colours[near[c]])
			}
		}
	}
}

// Shots are as far apart as the file says, begin once play has settled, and the link gets
// worse on the way.
func TestMovieScript(t *testing.T) {
	net, err := overlay.New(overlay.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var m movie
	begin := time.Unix(100, 0)
	frame := 0
	for ; len(m.shots) < movieShots; frame++ {
		if m.due(net, frame > 10, begin.Add(time.Duration(frame)*time.Second/60)) {
			m.shots = append(m.shots, nil)
		}
		if frame > 10_000 {
			t.Fatalf("%d shots", len(m.shots))
		}
	}
	took := time.Duration(frame-12) * time.Second / 60
	if want := settle + (movieShots-1)*movieEvery*10*time.Millisecond; took < want || took > want+time.Second/10 {
		t.Errorf("it took %v, and says %v", took, want)
	}
	if m.worse != len(movieScript) {
		t.Errorf("the link got worse %d times", m.worse)
	}
}
