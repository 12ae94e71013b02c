package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// recording is a recorded session, little-endian:
//
//	"TACTUS01", the grid: components u16, then for each its size u16, pieces u16, and of each piece offset and length, u16
//	now f64, server u16 and bytes, token u16 and bytes
//	calls: kind u8; what u8, now f64, n u16 and bytes, depending on the kind; then the result
type recording struct {
	bytes                    []byte
	ticks, frames            int
	corrections, resimulated uint64
}

// String returns a summary.
func (r *recording) String() string {
	return fmt.Sprintf("%d ticks, %d frames, %d corrections, %d ticks simulated again, %d bytes", r.ticks, r.frames, r.corrections, r.resimulated, len(r.bytes))
}

const magic = "TACTUS01"

// hash is the 32-bit FNV-1a hash, which needs no BigInt in a page.
type hash uint32

const basis hash = 2166136261

func (h *hash) bytes(b []byte) {
	for _, x := range b {
		*h = (*h ^ hash(x)) * 16777619
	}
}

func (h *hash) word(w uint32) {
	h.bytes([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
}

// value adds the pieces of a value.
func (h *hash) value(p unsafe.Pointer, l layout) {
	for _, x := range l.pieces {
		h.bytes(unsafe.Slice((*byte)(unsafe.Add(p, x.at)), x.n))
	}
}

// grid describes the memory of component values. Bytes between the pieces are padding.
type grid []layout

type layout struct {
	size   int
	pieces []piece
}

type piece struct{ at, n uintptr }

func gridOf(p *ecs.Protocol) (g grid) {
	for _, c := range p.Replicated() {
		l := layout{size: int(c.Schema.Size)}
		l.find(c.Schema.Type, 0)
		g = append(g, l)
	}
	return g
}

func (l *layout) find(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			l.find(f.Type, at+f.Offset)
		}
	case reflect.Array:
		for i := range t.Len() {
			l.find(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	default:
		if k := len(l.pieces) - 1; k >= 0 && l.pieces[k].at+l.pieces[k].n == at {
			l.pieces[k].n += t.Size()
		} else {
			l.pieces = append(l.pieces, piece{at, t.Size()})
		}
	}
}

// writer writes a recording.
type writer struct{ b []byte }

var order = binary.LittleEndian

func newWriter(p *ecs.Protocol, o opening) *writer {
	w := &writer{b: []byte(magic)}
	g := gridOf(p)
	w.b = order.AppendUint16(w.b, uint16(len(g)))
	for _, l := range g {
		w.b = order.AppendUint16(order.AppendUint16(w.b, uint16(l.size)), uint16(len(l.pieces)))
		for _, x := range l.pieces {
			w.b = order.AppendUint16(order.AppendUint16(w.b, uint16(x.at)), uint16(x.n))
		}
	}
	w.time(o.now)
	w.bytes([]byte(o.server))
	w.bytes(o.token)
	return w
}

func (w *writer) time(ms float64) { w.b = order.AppendUint64(w.b, math.Float64bits(ms)) }

func (w *writer) bytes(b []byte) { w.b = append(order.AppendUint16(w.b, uint16(len(b))), b...) }

func (w *writer) call(c *call, r *result) {
	w.b = append(w.b, byte(c.kind))
	ok := byte(0)
	if r.ok {
		ok = 1
	}
	switch c.kind {
	case pushed:
		w.time(c.now)
		w.bytes(c.bytes)
		w.b = append(w.b, ok)
	case given:
		w.bytes(c.bytes)
	case said:
		w.b = append(w.b, c.what)
		w.bytes(c.bytes)
		w.b = append(w.b, ok)
	case advanced:
		w.time(c.now)
		w.b = order.AppendUint32(order.AppendUint32(w.b, uint32(r.ticks)), r.tick)
		w.b = order.AppendUint32(order.AppendUint64(w.b, r.world), r.sent)
	case drawn:
		w.time(c.now)
		w.b = order.AppendUint32(w.b, r.drawn)
	}
}

func (w *writer) end() []byte { return append(w.b, byte(over)) }
