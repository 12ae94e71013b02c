// Package schema describes a component once. A [Table], compiled from the
// component's struct tags, drives everything that treats it as fields:
//
//   - Describe a component: struct tags (below), [Fields] for types that cannot
//     be tagged, [Compile]. Refuse one that storage cannot hold: [CheckPlain].
//   - Send it in few bits: [Table.Quantize], [Table.Dequantize],
//     [Table.FirstClamped]; the words go to the coder of package codec.
//   - Send it exactly: [Table.AppendRaw], [Table.ReadRaw], [Table.RawSize].
//   - Decide whether a prediction was right: [Table.Compare].
//   - Show what lies between two states: [Table.Lerp].
//   - Hash a world: [Table.Hash64].
//   - Treat inputs: [Table.Snap], [Table.ClearEdges].
//   - Tell two schemas apart: [Table.Line], [Table.Hash].
//   - Print a value: [Table.Format].
//
// # Tags
//
// Every field that is replicated carries a net tag:
//
//	X     float32 `net:"-512..512 step 0.01"`      // 102,401 values, 17 bits
//	DX    int8    `net:"-1..1"`                    // integers: a step of 1
//	Aim   uint16  `net:"0..65535 step 256 angle"`  // wraps, 256 values
//	Seed  uint64  `net:"raw"`                      // all bits of its type
//	Fire  bool    `net:"edge"`                     // a press
//	Alive bool                                     // a bool needs no tag
//	cache float32 `net:"-"`                        // not replicated
//
// After the range, or raw, these words may follow, each once:
//
//   - step S: the distance between neighbouring values on the wire. Required for
//     floats, 1 for integers. If the range is not a whole number of steps, the
//     last value on the wire lies below MAX.
//   - tol T: how far two values may differ and still compare equal, in the
//     field's own unit. By default one step; 0 for raw fields, for bools and for
//     integers that state no step.
//   - angle: the value wraps. The last value on the wire plus one step is MIN
//     again: degrees in halves are 0..359.5 step 0.5 angle. Values outside the
//     range are wrapped, not clamped; comparing and interpolating go the short way.
//   - edge: in an input, a press: cleared when the input is repeated because the
//     next one is missing.
//   - hold: interpolation keeps the older value until the newer is reached. The
//     default for bools and for integers that state neither step nor angle.
//
// Bools, sized integers, float32, float64, and structs and arrays of them can be
// replicated. Structs and arrays are flattened: the paths of their fields are
// Pos.X and Slots[3]. A tag on a struct or an array holds for every value in it
// that has none of its own, and "-" for all of them. Fields named _ are padding.
//
// # Words
//
// Quantized, a field is one int32 word, 0..count−1: round((v−MIN)/step), computed
// in float64 in an order that gives the same result on every CPU. A raw field is
// the bits of its type: one word up to 32 bits, two (low, high) for 64. Values
// outside the range are clamped and counted, and a NaN becomes the value in the
// range that is closest to zero; raw floats lose NaN and infinity in the same way,
// so no receiver ever sees one.
package schema
