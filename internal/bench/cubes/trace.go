package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/klauspost/compress/zstd"
)

// cube is a body in a frame of a trace: the smallest-three quaternion, the position
// on a grid of 1/512, and whether the body touches the first cube.
type cube struct {
	largest     int32 // the missing component: 0–3 for x, y, z, w
	abc         [3]int32
	xyz         [3]int32
	interacting int32
}

// trace is a recording: frames with the same number of cubes, without a header.
type trace struct {
	cubes []cube
	per   int // cubes in a frame
}

const cubeBytes = 8 * 4

// readTrace reads a file of little-endian int32, eight for a cube, compressed
// with zstd.
func readTrace(path string, per int) (*trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	b, err := io.ReadAll(z)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(b) == 0 || len(b)%(cubeBytes*per) != 0:
		return nil, fmt.Errorf("%s: %d bytes are not a whole number of frames of %d cubes", path, len(b), per)
	}
	t := &trace{per: per, cubes: make([]cube, len(b)/cubeBytes)}
	for i := range t.cubes {
		var v [8]int32
		for k := range v {
			v[k] = int32(binary.LittleEndian.Uint32(b[i*cubeBytes+4*k:]))
		}
		t.cubes[i] = cube{v[0], [3]int32{v[1], v[2], v[3]}, [3]int32{v[4], v[5], v[6]}, v[7]}
		if err := t.cubes[i].check(); err != nil {
			return nil, fmt.Errorf("%s: cube %d of frame %d: %w", path, i%per, i/per, err)
		}
	}
	return t, nil
}

func (c *cube) check() error {
	if c.largest < 0 || c.largest > 3 {
		return fmt.Errorf("component %d of a quaternion", c.largest)
	}
	for _, v := range c.abc {
		if v < 0 || v > quatTop {
			return fmt.Errorf("%d in a quaternion of 9 bits", v)
		}
	}
	for _, v := range c.xyz {
		if v < -reach*grid || v > reach*grid {
			return errors.New("too far away")
		}
	}
	return nil
}

// frames returns the number of frames.
func (t *trace) frames() int { return len(t.cubes) / t.per }

// frame returns the cubes of a frame.
func (t *trace) frame(i int) []cube { return t.cubes[i*t.per : (i+1)*t.per] }

const (
	quatTop = 511 // the largest word of a component
	grid    = 512 // places in a unit
	reach   = 512 // units from the middle to the edge of the world
)

// quaternion returns x, y, z, w.
func (c *cube) quaternion() (q [4]float32) {
	sum, k := 0.0, 0
	for i := range q {
		if i != int(c.largest) {
			v := (float64(c.abc[k])/quatTop - 0.5) * math.Sqrt2
			q[i] = float32(v)
			sum += v * v
			k++
		}
	}
	q[c.largest] = float32(math.Sqrt(max(0, 1-sum)))
	return q
}
