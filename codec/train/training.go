package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/train"
)

// maxAge is the largest age of a baseline, in sends, as on a server.
const maxAge = 120

// training is one run of the command.
type training struct {
	open     func() (io.ReadCloser, error) // the recording, from its beginning
	ages     []int
	hold     float64
	out, log io.Writer
}

// train trains and measures.
func (c *training) train() (*delta.Trained, error) {
	total := 0
	layout, err := c.each(func([]delta.Part) { total++ })
	if err != nil {
		return nil, err
	}
	learned := total - int(float64(total)*c.hold)
	if learned == 0 {
		return nil, fmt.Errorf("%d sends with a baseline are too few: record a longer match", total)
	}
	fmt.Fprintf(c.log, "%d blocks, %d of them to learn from\n", total, learned)

	priors := train.NewTrainer(layout)
	n := 0
	if _, err = c.each(func(parts []delta.Part) {
		if n++; n <= learned {
			priors.Add(parts)
			c.progress("learning", n, learned)
		}
	}); err != nil {
		return nil, err
	}
	fmt.Fprintln(c.log, "fitting")
	plain, trained := delta.NewTrained(layout, nil), delta.NewTrained(layout, priors.Prior())
	if total == learned {
		return trained, nil
	}

	before, after := newTally(plain.Model(layout)), newTally(trained.Model(layout))
	n = 0
	if _, err = c.each(func(parts []delta.Part) {
		if n++; n > learned {
			before.add(parts)
			after.add(parts)
			c.progress("measuring", n-learned, total-learned)
		}
	}); err != nil {
		return nil, err
	}
	fmt.Fprintf(c.out, "bytes per block, mean of %d  %10s %10s\n", before.blocks, "built in", "trained")
	fmt.Fprintf(c.out, "%-28s %10.1f %10.1f\n", "any coder", before.mean(before.any), after.mean(after.any))
	fmt.Fprintf(c.out, "%-28s %10.1f %10.1f\n", "zstd and raw only", before.mean(before.bytes), after.mean(after.bytes))
	return trained, nil
}

// progress logs a line four times per phase.
func (c *training) progress(what string, n, of int) {
	if n%max(of/4, 1) == 0 {
		fmt.Fprintf(c.log, "%s: %d of %d\n", what, n, of)
	}
}

// each calls f for a block of each send of the recording that has a baseline. A block has all groups; the ages of the
// baselines alternate.
func (c *training) each(f func(parts []delta.Part)) (*delta.Layout, error) {
	file, err := c.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rec, err := delta.NewRecording(file)
	if err != nil {
		return nil, err
	}
	layout := rec.Layout()
	ring := make([][]delta.Group, maxAge+2)
	var parts []delta.Part
	for n := 0; ; n++ {
		cur := &ring[n%len(ring)]
		if *cur, err = rec.Next(*cur); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return layout, err
		}
		age := c.ages[n%len(c.ages)]
		if n < age+1 {
			continue
		}
		base, base2 := ring[(n-age)%len(ring)], ring[(n-age-1)%len(ring)]
		parts = parts[:0]
		for i := range min(len(base), len(base2)) {
			p := delta.Part{Cur: &(*cur)[i], Base: &base[i], Slots: ^uint64(0)}
			if layout.Second() {
				p.Base2 = &base2[i]
			}
			parts = append(parts, p)
		}
		f(parts)
	}
}

// tally measures the size of blocks with a model.
type tally struct {
	blocks, any, bytes int

	model     *delta.Model
	all, zstd delta.Encoder
	body      []byte
}

func newTally(m *delta.Model) *tally {
	t := &tally{model: m}
	t.zstd.Only = delta.ZstdOnly
	return t
}

func (t *tally) add(parts []delta.Part) {
	t.blocks++
	t.body, _ = t.all.Append(t.body[:0], t.model, parts)
	t.any += len(t.body)
	t.body, _ = t.zstd.Append(t.body[:0], t.model, parts)
	t.bytes += len(t.body)
}

func (t *tally) mean(sum int) float64 { return float64(sum) / float64(max(t.blocks, 1)) }
