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
			m.start[from+i] = chance{P: uint16(p * 65535), N: 2}
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

// linesContexts is how many contexts of its own a field of lines has.
const linesContexts = 2 * (rowSize + 1)

const (
	lineKinds   = 3  // component masks of a block, in the order in which they come up
	lineClasses = 3  // an angle, the place, any other
	lineRun     = 16 // entities since the last one with other news
	lineList    = 16 // commonest changes
)

// Contexts of an entity, for each kind.
const (
	lnOther  = 0
	lnNews   = lnOther + lineRun // was it moving; news of the last three
	lnStep   = lnNews + 2*8
	lnStepS  = lnStep + rowSize
	lnStepL  = lnStepS + 1
	lnSame   = lnStepL + 4*rowSize
	lnSets   = lnSame + 1
	lnEntity = lnSets + lineClasses*lnSet
)

// Contexts of a set, for each class.
const (
	lsNews   = 0          // was it moving; was there news so far
	lsBent   = lsNews + 4 // was it moving
	lsHint   = lsBent + 2 // was it moving; has another set news
	lsNone   = lsHint + 4
	lsListed = lsNone + 1
	lsIndex  = lsListed + 1 // a tree
	lsTurns  = lsIndex + lineList
	lsTurn   = lsTurns + 1
	lsTurnS  = lsTurn + rowSize
	lsAside  = lsTurnS + 1
	lsDiff   = lsAside + 1
	lsDiffS  = lsDiff + rowSize
	lsOff    = lsDiffS + 1
	lsOffBy  = lsOff + 1
	lsOffS   = lsOffBy + rowSize
	lsJump   = lsOffS + 1
	lsJumpS  = lsJump + rowSize
	lsGrain  = lsJumpS + 1
	lsZeros  = lsGrain + 1
	lsLot    = lsZeros + rowSize
	lnSet    = lsLot + 4*rowSize
)

// linesShared is how many contexts the fields of lines have together, from
// ctxLines on.
const linesShared = lineKinds * lnEntity

// expectLines sets the start of the chances of lines: neighbours do alike, lines
// that bend do so where one change follows another, and little else happens. How
// often a thing was seen already says how fast another world is learned.
func (m *Model) expectLines(func(from, n int, p float64), func(from, n int, size func(i int) int)) {
	set := func(at, n int, p float64, seen uint16) {
		for i := range n {
			m.start[at+i] = chance{P: uint16(p * 65535), N: seen}
		}
	}
	number := func(at, size int) {
		set(at, size, 0.85, 2)
		set(at+size, rowSize-size, 0.3, 2)
	}
	for kind := range lineKinds {
		at := ctxLines + kind*lnEntity
		set(at+lnOther, lineRun, 0.005, 8)
		for i := range 8 {
			still, moving := 0.02, 0.08
			if i&1 != 0 {
				still, moving = 0.75, 0.65
			}
			set(at+lnNews+i, 1, still, 5)
			set(at+lnNews+8+i, 1, moving, 6)
		}
		set(at+lnStep, 1, 0.65, 4)
		set(at+lnStep+1, rowSize-1, 0.2, 6)
		set(at+lnStepS, 1, 0.8, 2)
		set(at+lnStepL, 4*rowSize, 0.45, 6)
		set(at+lnSame, 1, 0.9, 4)
		for class := range lineClasses {
			at := at + lnSets + class*lnSet
			set(at+lsNews, 2, 0.6, 4)
			set(at+lsNews+2, 2, 0.85, 3)
			set(at+lsBent, 2, 0.7, 0)
			set(at+lsHint, 4, 0.5, 0)
			set(at+lsNone, 1, 0.5, 3)
			set(at+lsListed, 1, 0.9, 3)
			set(at+lsIndex, lineList, 0.5, 6)
			set(at+lsIndex+1, 1, 0.06, 6)
			set(at+lsTurns, 1, 0.5, 0)
			number(at+lsTurn, 4)
			set(at+lsTurnS, 1, 0.5, 8)
			set(at+lsAside, 1, 0.2, 2)
			number(at+lsDiff, 8)
			set(at+lsDiffS, 1, 0.5, 8)
			set(at+lsOff, 1, 0.05, 8)
			number(at+lsOffBy, 5)
			set(at+lsOffS, 1, 0.5, 8)
			number(at+lsJump, 5)
			set(at+lsJumpS, 1, 0.5, 8)
			set(at+lsGrain, 1, 0.95, 5)
			set(at+lsZeros, rowSize, 0.6, 1)
			set(at+lsLot, 4*rowSize, 0.5, 8)
			if class == 1 {
				set(at+lsBent, 2, 0.97, 5)
			}
		}
	}
}
