package schema

import "unsafe"

// Snap gives the component at p the values that a receiver will see: quantized
// and back. It is done to inputs before they are applied locally, so that both
// sides apply the same.
func (t *Table) Snap(p unsafe.Pointer) {
	var q [maxFieldWords]int32
	for i := range t.Fields {
		f := &t.Fields[i]
		f.quantize(q[:], 0, 0, p, 0, 1)
		f.dequantize(p, q[:], 0, 0, 0, 1)
	}
}

// ClearEdges sets the edge fields of the component at p to 0 or, where the range
// excludes it, to the value closest to 0: what a repeated input presses.
func (t *Table) ClearEdges(p unsafe.Pointer) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Edge && f.in.there(p) {
			f.store(p, f.bits(f.rest))
		}
	}
}
