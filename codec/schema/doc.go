// Package schema describes a component once. A [Table], compiled from the
// component's struct tags, drives everything that treats it as fields:
//
//   - Describe a component: struct tags (below), [Fields] for types that cannot
//     be tagged, [Compile]. Refuse one that storage cannot hold: [CheckPlain].
//   - Send it in few bits: [Table.Quantize], [Table.Dequantize],
//     [Table.FirstClamped]; the words go to the coder of package codec.
//   - Send it exactly: [Table.AppendRaw], [Table.ReadRaw], [Table.RawSize].
//   - Decide whether a prediction was right: [Table.Compare], for many components
//     [Table.CompareColumn].
//   - Show what lies between two states: [Table.Lerp], [Table.LerpColumn]; on a curve
//     that speeds give: [Table.Hermite], [Table.Rates]; beyond: [Table.Advance].
//   - Let a difference fade: [Table.Offset], [Table.Shift], [Table.Extent].
//   - Hash a world: [Table.Hash64].
//   - Treat inputs: [Table.Snap], [Table.ClearEdges].
//   - Tell two schemas apart: [Table.Line], [Table.Hash].
//   - Look at a field, or follow the entities it refers to: [Field], [Form].
//   - Know how a value moves between sends: [Field], [Table.Steps].
//   - Print a value: [Table.Format].
//
// # Tags
//
// Every field that is replicated carries a net tag. Its first words say what the
// field is:
//
//	tag                  on                        words of how many bits
//	MIN..MAX step S      numbers                   1: those that tell the values apart
//	MIN..MAX             integers: a step of 1     1
//	  … angle            the value wraps           1
//	  … fixed F          integers                  1
//	  … lines T          MIN..MAX, angles          2: and 32 for the change
//	enum N               integers: 0..N−1          1
//	flags N              unsigned, 1 ≤ N ≤ 64      1 or 2: N
//	radians S            floats: −π to π, wraps    1
//	degrees S            floats: 0 to 360, wraps   1
//	unit B               2 or 3 floats, B ≤ 20     1 or 2: B each
//	quat B               4 floats, 4 ≤ B ≤ 20      4: 2, and B three times
//	ref                  uint32: a NetID           1: 32
//	raw                  numbers: all their bits   1 or 2
//	count                uint8, uint16             1: for lists, below
//	text                 byte arrays with a count  1 and 1 for 4 bytes
//	(no tag)             bools                     1: 1
//	-                    anything: not replicated  none
//
// In full:
//
//	X      float32    `net:"-512..512 step 0.01"`              // 102,401 values, 17 bits
//	DX     int8       `net:"-1..1"`                            // integers: a step of 1
//	Aim    uint16     `net:"0..65535 step 256 angle"`          // wraps, 256 values
//	Turn   float32    `net:"degrees 0.5"`                      // wraps, 720 values
//	Mood   uint8      `net:"enum 5"`                           // 0..4
//	Keys   uint16     `net:"flags 6 edge"`                     // the low 6 bits
//	Dir    [2]float32 `net:"unit 10"`                          // 1,024 directions
//	Spin   Quat       `net:"quat 9"`                           // struct{ X, Y, Z, W float32 }
//	Mass   int32      `net:"-512..512 step 0.0625 fixed 16"`   // 1.5 is 98,304 in memory
//	Target NetID      `net:"ref"`
//	Seed   uint64     `net:"raw"`                              // all bits of its type
//	Fire   bool       `net:"edge"`                             // a press
//	Alive  bool                                                // a bool needs no tag
//	cache  float32    `net:"-"`                                // not replicated
//
// Then these words may follow, each once:
//
//   - step S: the distance between neighbouring values on the wire. Required for
//     floats and fixed point, 1 for integers. If the range is not a whole number of
//     steps, the last value on the wire lies below MAX.
//   - tol T: how far two values may differ and still compare equal, in the
//     field's own unit; for unit and quat the angle between them in radians. By
//     default one step, or what neighbouring words are apart; 0 for raw fields, for
//     bools and for integers that state no step. Not with enum, flags and ref, which
//     compare exactly.
//   - angle: the value wraps. The last value on the wire plus one step is MIN
//     again. Values outside the range are wrapped, not clamped; comparing and
//     interpolating go the short way.
//   - fixed F: the integer holds the value times 2^F, 1 ≤ F ≤ 62. Range, step and tol
//     are in the unit of the value; range and step must be multiples of 2^−F.
//   - edge: in an input, a press: cleared when the input is repeated because the
//     next one is missing. Not with unit and quat.
//   - server: the server decides the value, in a component that clients predict, such as the
//     health beside a position: what they predict of it is never wrong, and what the server
//     says replaces it. See ecs.Predicted. Not in lists, and no text.
//   - hold: interpolation keeps the older value until the newer is reached. The
//     default for bools, enum, flags, ref and text, and for integers that state
//     neither step nor angle.
//
// Words for motion say what a value does from one send to the next. They change
// what is expected, and so how few bytes a snapshot takes, never a value:
//
//   - linear: it tends to go on as it went. For numbers in a range and angles.
//   - axis A, with A one of x, y and z: it is that coordinate of the entity's place.
//     An axis is linear already.
//   - rate A: it is what that coordinate changes by in a second.
//   - lines T: it moves in lines that bend now and then. Receivers see a line that
//     is no further than T from the value, in its unit; T is at least a step, and
//     one step if left out. It costs nothing while the line goes on. For numbers in
//     a range and angles; wrong for what always accelerates.
//   - along: an angle that the entity moves along, 0 along +x, a quarter turn along +y.
//   - parent: the entity is attached to the one that this ref names.
//
// Of axis, rate, along and parent a component has one each, and an entity should.
// Tolerances of lines are the sender's own, like tol.
//
// Bools, sized integers, float32, float64, and structs and arrays of them can be
// replicated. Structs and arrays are flattened: the paths of their fields are
// Pos.X and Slots[3]. A tag on a struct or an array holds for every value in it
// that has none of its own, and "-" for all of them. Fields named _ are padding.
//
// # Angles
//
// A range names the values on the wire, so a turn ends one step before its end:
// degrees in halves are 0..359.5 step 0.5 angle. With 0..360 there would be a value
// too many, 0 and 360 would be a step apart, and everything would wrap at 360.5;
// such a tag is refused. "degrees 0.5" and "radians 0.001" are turns without the
// trap: as many whole steps as come nearest to the size asked for, from 0 for
// degrees, and from −π for radians, as math.Atan2 returns them.
//
// # Directions and rotations
//
// unit and quat take a struct or an array of floats of one type as one field. On
// the wire they have no length; what Dequantize writes has length 1. A vector that
// is zero or not finite is counted and becomes the default: the first axis for a
// direction, no rotation (0, 0, 0, 1) for a quaternion; in comparing, zero equals
// the default. q and −q are the same rotation everywhere. Both are interpolated in a
// straight line and normalized, rotations the short way. In full precision they
// travel as they are if their length lies between a half and two, else normalized.
// The files unit.go and quat.go have the encodings and their sources.
//
// # Lists and texts
//
// An integer tagged "count" says how many elements of the array behind it there
// are; with "text" on the array, its bytes are one field of UTF-8:
//
//	type Bag struct {
//		N     uint8 `net:"count"`
//		Slots [8]Slot            // or under a tag for its elements
//	}
//	type Chat struct {
//		N    uint8    `net:"count"`
//		Line [40]byte `net:"text"`
//	}
//
// components.List and components.Text are such structs with methods; a struct of
// nothing else goes by its own path, so that a list's count is Bag and an element
// Bag[0]. What lies past the count is zero on the wire and in what is decoded, and
// has no part in comparing and hashing, whatever memory holds. Elements are
// interpolated by index while the length stays the same; texts are held.
//
// # Words
//
// Quantized, a number is one int32 word, 0..count−1: round((v−MIN)/step), computed
// in float64 in an order that gives the same result on every CPU. A raw field is
// the bits of its type: one word up to 32 bits, two (low, high) for 64. Values
// outside the range are clamped and counted, and a NaN becomes the value in the
// range that is closest to zero; raw floats lose NaN and infinity in the same way,
// so no receiver ever sees one. Words from a stranger make valid values too, and
// these have words that stay as they are.
package schema
