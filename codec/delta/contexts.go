package delta

// The contexts that every layout has, as indices into the chances of a model.
// Those of fields follow them: see field.contexts.
const (
	levels = 16 // sizes of numbers that are told apart as a context
	states = 4  // modes, and none for entities without a baseline

	ctxSameSlots = 0
	ctxSameSlot  = ctxSameSlots + 1 // was the slot before the same
	ctxAlive     = ctxSameSlot + 2  // was the slot before alive
	ctxHidden    = ctxAlive + 2
	ctxSameMask  = ctxHidden + 1
	ctxMask      = ctxSameMask + 1
	ctxID        = ctxMask + MaxComponents // row
	ctxIDLot     = ctxID + rowSize
	ctxIDSign    = ctxIDLot + 4*rowSize

	ctxNear     = ctxIDSign + 1          // still: nearness of the parent, news of the last two
	ctxAround   = ctxNear + 64*4         // still: neighbours that were moving, news of the last two, a flag
	ctxCalmNear = ctxAround + 6*4        // runs: nearness of the parent to the first, the last two runs
	ctxCalm     = ctxCalmNear + 64*4     // neighbours that were moving, the last two runs
	ctxQuiet    = ctxCalm + 4*4          // moving: mode expected, news of the last two
	ctxHalted   = ctxQuiet + modes*4     // moving: mode expected
	ctxMode     = ctxHalted + modes*2    // mode expected; is there a parent, a second baseline
	ctxModeNear = ctxMode + modes*4      // mode expected, nearness of the parent
	ctxOther    = ctxModeNear + modes*64 // the other of two modes
	ctxPlain    = ctxOther + modes*4     // do fields beside motion have news: moving, baseline

	ctxAxisA    = ctxPlain + 4
	ctxAxisB    = ctxAxisA + states*levels*rowSize
	ctxAxisLot  = ctxAxisB + 3*levels*rowSize
	ctxAxisSign = ctxAxisLot + states*4*rowSize

	ctxMissing  = ctxAxisSign + states*9
	ctxNext     = ctxMissing + states*levels
	ctxThird    = ctxNext + 1
	ctxQuatA    = ctxThird + 1
	ctxQuatB    = ctxQuatA + states*levels*rowSize
	ctxQuatLot  = ctxQuatB + 3*levels*rowSize
	ctxQuatSign = ctxQuatLot + states*4*rowSize

	ctxNumberB   = ctxQuatSign + states*3 // numbers of all fields: a baseline or none
	ctxNumberLot = ctxNumberB + 2*rowSize
	ctxGoesB     = ctxNumberLot + 2*4*rowSize // linear fields: how fast
	ctxGoesLot   = ctxGoesB + levels*rowSize
	ctxRefZero   = ctxGoesLot + 4*rowSize
	ctxRefLast   = ctxRefZero + 2
	ctxRefB      = ctxRefLast + 2
	ctxRefLot    = ctxRefB + rowSize
	ctxRefSign   = ctxRefLot + 4*rowSize

	ctxLines = ctxRefSign + 1

	contexts = ctxLines + linesShared
)

// contexts returns how many contexts of its own a field has: a row and a sign
// with a baseline, the same without, and for a bool or a ref one bit each.
func (f *field) contexts() int {
	switch f.kind {
	case kindBool, kindRef:
		return 2
	case kindAxis:
		return 0
	case kindLines:
		return linesContexts
	}
	return 2 * (rowSize + 1)
}

// expect sets the start of all chances where no prior is: numbers are small, and
// most things stay as they are.
func (m *Model) expect() {
	fill := func(from, n int, p float64) {
		for i := range n {
			m.start[from+i] = chance{p: uint16(p * 65535), n: 2}
		}
	}
	fill(0, len(m.start), 0.5)
	// rows: growing of a number by one more bit, the more likely the further below
	// the size that is expected.
	numbers := func(from, n int, size func(i int) int) {
		for i := range n {
			for k := range rowSize {
				p := 0.35
				if k < size(i) {
					p = 0.85
				}
				fill(from+i*rowSize+k, 1, p)
			}
		}
	}
	fill(ctxSameSlots, 1, 0.9)
	fill(ctxSameSlot, 2, 0.9)
	fill(ctxAlive, 2, 0.8)
	fill(ctxHidden, 1, 0.1)
	fill(ctxSameMask, 1, 0.9)
	numbers(ctxID, 1, func(int) int { return 1 })
	fill(ctxNear, 64*4, 0.1)
	fill(ctxAround, 6*4, 0.1)
	fill(ctxCalmNear, 64*4, 0.9)
	fill(ctxCalm, 4*4, 0.9)
	fill(ctxQuiet, modes*4, 0.6)
	fill(ctxHalted, modes*2, 0.1)
	fill(ctxMode, modes*4, 0.85)
	fill(ctxModeNear, modes*64, 0.85)
	fill(ctxPlain, 4, 0.1)
	level := func(i int) int { return max(0, i%levels-2) }
	numbers(ctxAxisA, states*levels, level)
	numbers(ctxAxisB, 3*levels, level)
	numbers(ctxQuatA, states*levels, level)
	numbers(ctxQuatB, 3*levels, level)
	fill(ctxMissing, states*levels, 0.9)
	fill(ctxNext, 1, 0.9)
	numbers(ctxNumberB, 2, func(int) int { return 2 })
	numbers(ctxGoesB, levels, level)
	m.expectLines(fill, numbers)
	for _, fs := range m.fields {
		for i := range fs {
			switch f := &fs[i]; f.kind {
			case kindBool, kindRef:
				fill(f.ctx, 1, 0.1)
			case kindAxis:
			case kindLines:
			default:
				numbers(f.ctx, 1, func(int) int { return 0 })
				numbers(f.ctx+rowSize+1, 1, func(int) int { return 4 })
			}
		}
	}
}
