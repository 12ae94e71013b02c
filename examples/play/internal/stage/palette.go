package stage

import (
	"image/color"
	"math"
	"slices"
)

// cell is a part of the colour space that one colour will represent.
type cell struct {
	colours []uint16
	count   int // pixels
}

// channel returns a channel of a 16-bit colour: red, green or blue, 0 to 255.
func channel(c uint16, i int) int {
	switch i {
	case 0:
		return int(c>>11) * 255 / 31
	case 1:
		return int(c>>5&63) * 255 / 63
	}
	return int(c&31) * 255 / 31
}

// extent returns the channel with the largest range in the cell, and its range.
func (e *cell) extent() (widest, far int) {
	for i := range 3 {
		low, high := 255, 0
		for _, c := range e.colours {
			low, high = min(low, channel(c, i)), max(high, channel(c, i))
		}
		if high-low > far {
			widest, far = i, high-low
		}
	}
	return widest, far
}

// worth returns the benefit of splitting a cell. It also counts colours of few pixels, because names consist of few.
func (e *cell) worth() float64 {
	_, far := e.extent()
	return float64(far) * math.Sqrt(float64(e.count))
}

// split splits a cell into two, with equal numbers of pixels if possible.
func (e *cell) split(counts []int) (a, b cell) {
	widest, _ := e.extent()
	slices.SortFunc(e.colours, func(x, y uint16) int { return channel(x, widest) - channel(y, widest) })
	at, sum := 0, 0
	for at < len(e.colours)-1 && (at == 0 || sum < e.count/2) {
		sum += counts[e.colours[at]]
		at++
	}
	a, b = cell{colours: e.colours[:at], count: sum}, cell{colours: e.colours[at:], count: e.count - sum}
	return a, b
}

// mean returns the colour that represents a cell.
func (e *cell) mean(counts []int) color.RGBA {
	var sum [3]int
	for _, c := range e.colours {
		for i := range sum {
			sum[i] += channel(c, i) * counts[c]
		}
	}
	of := func(i int) uint8 { return uint8((sum[i] + e.count/2) / max(e.count, 1)) }
	return color.RGBA{of(0), of(1), of(2), 255}
}
