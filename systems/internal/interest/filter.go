package interest

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
)

// filterOf implements [Filter].
type filterOf[Me, It any] struct{ ask func(me Me, it It) bool }

// Filter returns the interest in entities for which a function of the game returns true.
func Filter[Me, It any](ask func(me Me, it It) bool) Interest { return &filterOf[Me, It]{ask} }

func (f *filterOf[Me, It]) compile(p *Program) (node, error) {
	x := &filter{of: reflect.TypeFor[It]().String()}
	var err error
	if x.me, err = rowOf(p.protocol, reflect.TypeFor[Me]()); err != nil {
		return node{}, err
	}
	if x.it, err = rowOf(p.protocol, reflect.TypeFor[It]()); err != nil {
		return node{}, err
	}
	if x.it.free {
		return node{}, fmt.Errorf("%w: Filter: row %s asks for no component; give it one that is not optional", ErrInterest, reflect.TypeFor[It]())
	}
	ask := f.ask
	x.ask = func(w *ecs.World, c *Client, e ecs.Entity) (says, yes bool) {
		var it It
		if !x.it.fill(w, e, unsafe.Pointer(&it)) {
			return false, false
		}
		var me Me
		x.me.name(c.id, unsafe.Pointer(&me))
		if x.me.free && len(c.mine) == 0 {
			return true, ask(me, it)
		}
		for _, e := range c.mine {
			if x.me.fill(w, e, unsafe.Pointer(&me)) && ask(me, it) {
				return true, true
			}
		}
		return true, false
	}
	p.filters = append(p.filters, x)
	return node{op: opFilter, leaf: len(p.filters) - 1}, nil
}

// filter is a compiled Filter.
type filter struct {
	of     string // type of its row It
	me, it *row
	ask    func(w *ecs.World, c *Client, e ecs.Entity) (says, yes bool)
	groups []read // by group, of the newest frame
	hash   maphash.Hash
}

// read describes the components that a filter reads in a group.
type read struct {
	hashes  [delta.GroupSize]uint64 // by slot: hash of these components; 0: the filter does not apply
	says    uint64                  // slots to which the filter applies
	changed uint64                  // slots whose hash has changed since the previous send
}

// begin updates the hashes for a frame.
func (x *filter) begin(w *ecs.World, f *frames.Frame) {
	x.groups = reuse.Longer(x.groups, len(f.Groups))
	for g := range x.groups {
		r := &x.groups[g]
		r.changed = r.says &^ f.Groups[g].Alive
		r.says = 0
		for m := f.Groups[g].Alive; m != 0; m &= m - 1 {
			k, bit := bits.TrailingZeros64(m), m&-m
			h := x.it.hash(w, f.Entity(g, k), &x.hash)
			if h != 0 {
				r.says |= bit
			}
			if h != r.hashes[k] {
				r.hashes[k] = h
				r.changed |= bit
			}
		}
		for m := r.changed &^ f.Groups[g].Alive; m != 0; m &= m - 1 {
			r.hashes[bits.TrailingZeros64(m)] = 0
		}
	}
}

// heard stores the answers of a filter for one client and a group.
type heard struct {
	yes   uint64
	known uint64 // slots whose answer is still valid
}
