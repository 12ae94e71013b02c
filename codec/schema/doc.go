// Package schema compiles the struct tags of a component into a [Table], which encodes, compares, interpolates and hashes
// the component field by field.
//
//   - Describe a component: struct tags (below), [Fields] for types without tags, [Compile]. Reject types that storage
//     cannot hold: [CheckPlain].
//   - Encode it in few bits: [Table.Quantize], [Table.Dequantize], [Table.FirstClamped]. Package codec/delta encodes the
//     words.
//   - Encode it exactly: [Table.AppendRaw], [Table.ReadRaw], [Table.RawSize].
//   - Compare a prediction with the confirmed state: [Table.Compare].
//   - Interpolate: [Table.Lerp]. On curves: [Table.Hermite], [Table.Rates]. Extrapolate:
//     [Table.Advance].
//   - Fade a visual error: [Table.Offset], [Table.Shift], [Table.Extent].
//   - Hash a component: [Table.Hash64]. Compare two schemas: [Table.Line], [Table.Hash].
//   - Process inputs: [Table.Snap], [Table.ClearEdges].
//   - Inspect fields: [Field], [Form], [Table.Steps], [Table.Format].
//
// tag.go parses a tag. draft.go, range.go and motion.go make a field of it. shape.go, vector.go, unit.go, quat.go and text.go have
// fields of several values; quantize.go, grid.go and bits.go the words.
//
// # Tags
//
// Bools, sized integers, float32, float64, and structs and arrays of them can be replicated. Every field except bools needs
// a net tag. A tag on a struct or an array applies to each value in it without an own tag. Fields named _ are padding. The
// tag starts with a form:
//
//	form                 on                        words
//	MIN..MAX step S      numbers                   1
//	MIN..MAX             integers: step 1          1
//	enum N               integers: 0..N−1          1
//	flags N              unsigned, 1 ≤ N ≤ 64      1, above 32 flags 2
//	degrees S            floats: 0 to 360, wraps   1
//	unit B               2 or 3 floats, B ≤ 20     1 or 2 of B bits
//	quat B               4 floats, 4 ≤ B ≤ 20      4: of 2, B, B and B bits
//	ref                  uint32: a NetID, 0: none  1
//	raw                  numbers: all their bits   1, for 64-bit types 2
//	count                uint8, uint16             1: the length of a list
//	text                 byte arrays with a count  1, and 1 per 4 bytes
//	(no tag)             bools                     1
//	-                    any: not replicated       none
//
// For example:
//
//	X      float32    `net:"-512..512 step 0.01"`     // 102,401 values, 17 bits
//	DX     int8       `net:"-1..1"`
//	Aim    uint16     `net:"0..65535 step 256 angle"` // wraps, 256 values
//	Keys   uint16     `net:"flags 6 edge"`            // the low 6 bits
//	Dir    [2]float32 `net:"unit 10"`                 // 1,024 directions
//	Spin   Quat       `net:"quat 9"`                  // struct{ X, Y, Z, W float32 }
//	Target NetID      `net:"ref"`
//
// These words may follow, each once:
//
//   - step S: the distance between encoded values. Floats need a step. If it does not divide the range, the last encoded
//     value is below MAX.
//   - tol T: the tolerance of comparisons, in the unit of the field, for unit and quat in radians. The default is one step
//     or the distance of neighbouring words; 0 for raw fields, bools, and integers without a step. Not for enum, flags and
//     ref.
//   - angle: the value wraps: the last encoded value plus one step is MIN. Comparison and interpolation take the short way
//     round.
//   - edge: a key press in an input, which [Table.ClearEdges] clears when the server repeats the input. Not for unit and
//     quat.
//   - server: the server alone decides this field of a predicted component, see ecs.Predicted. Not in lists, not for texts.
//   - hold: interpolation keeps the older value until it reaches the newer one. The default for bools, enum, flags, ref,
//     text, and integers with neither step nor angle.
//
// Motion words improve the encoder's predictions, so snapshots get smaller. They never change a value. [Motion] explains
// them: linear, axis A and rate A with A one of x, y, z, lines T, along, parent. A component has at most one field for each
// axis, rate, along and parent. Without T, the tolerance of lines is one step. Use lines for motion that rarely bends, not
// for constant acceleration.
//
// Peers may have different tolerances T.
//
// # Angles
//
// A range ends one step before the full turn: degrees in halves are 0..359.5 step 0.5 angle. [Compile] rejects 0..360,
// because 0 and 360 would be different values. "degrees 0.5" divides the full turn into whole steps of about this size,
// from 0.
//
// # Directions and rotations
//
// unit and quat encode a struct or an array of floats as one vector of length 1. The zero vector and vectors that are not
// finite become the default: the first axis, or the rotation (0, 0, 0, 1). q and −q are the same rotation. Interpolation is
// linear with normalization. The files unit.go and quat.go describe the encodings.
//
// # Lists and texts
//
// An integer tagged "count" is the number of used elements of the array after it. If the array is tagged "text", its bytes
// are one field of UTF-8. components.List and components.Text are such structs with methods.
//
//	type Bag struct {
//		N     uint8 `net:"count"`
//		Slots [8]Slot // or with a tag for the elements
//	}
//	type Chat struct {
//		N    uint8    `net:"count"`
//		Line [40]byte `net:"text"`
//	}
//
// If a struct has no other fields, the list has the path of the struct: the count is Bag, an element is Bag[0]. Elements
// after the count are encoded and decoded as zero; comparisons and hashes ignore them. Elements are interpolated by index
// while the length stays the same.
//
// # Words
//
// A quantized number is one int32 word, round((v−MIN)/step), computed in float64 with the same result on every CPU. A raw
// field is its bits, the low word first. Numbers outside the range are clamped and counted, angles are wrapped. A NaN
// becomes the value in the range closest to zero, an infinite raw float the largest finite number. Words from an untrusted
// peer decode to valid values, which are encoded as the same words on every peer.
package schema
