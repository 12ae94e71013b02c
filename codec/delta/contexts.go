package delta

// The contexts that all layouts have, as indices into the chances of a model. The contexts of fields follow, see
// field.contexts.
const (
	levels = 16 // number of size classes of numbers in contexts
	states = 4  // the modes, and one state for entities without a baseline

	ctxSameSlots = 0
	ctxSameSlot  = ctxSameSlots + 1 // whether the previous slot was the same
	ctxAlive     = ctxSameSlot + 2  // whether the previous slot was alive
	ctxHidden    = ctxAlive + 2
	ctxSameMask  = ctxHidden + 1
	ctxMask      = ctxSameMask + 1
	ctxID        = ctxMask + MaxComponents // row
	ctxIDLot     = ctxID + rowSize
	ctxIDSign    = ctxIDLot + 4*rowSize

	ctxNear     = ctxIDSign + 1          // resting entity: distance to its parent, changes of the last two entities
	ctxAround   = ctxNear + 64*4         // resting entity: moving neighbours, changes of the last two, its first bool
	ctxCalmNear = ctxAround + 6*4        // run: distance of the first entity to its parent, the last two runs
	ctxCalm     = ctxCalmNear + 64*4     // run: moving neighbours, the last two runs
	ctxQuiet    = ctxCalm + 4*4          // moving entity: expected mode, changes of the last two
	ctxHalted   = ctxQuiet + modes*4     // moving entity: expected mode
	ctxMode     = ctxHalted + modes*2    // expected mode; whether there is a parent, a second baseline
	ctxModeNear = ctxMode + modes*4      // expected mode, distance to the parent
	ctxOther    = ctxModeNear + modes*64 // which of the two other modes
	ctxPlain    = ctxOther + modes*4     // whether plain fields changed: moving, baseline

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

	ctxNumberB   = ctxQuatSign + states*3 // numbers of all fields: with or without a baseline
	ctxNumberLot = ctxNumberB + 2*rowSize
	ctxGoesB     = ctxNumberLot + 2*4*rowSize // linear fields: size of the last change
	ctxGoesLot   = ctxGoesB + levels*rowSize
	ctxRefZero   = ctxGoesLot + 4*rowSize
	ctxRefLast   = ctxRefZero + 2
	ctxRefB      = ctxRefLast + 2
	ctxRefLot    = ctxRefB + rowSize
	ctxRefSign   = ctxRefLot + 4*rowSize

	ctxLines = ctxRefSign + 1

	contexts = ctxLines + linesShared
)

// contexts returns the number of contexts of a field: a row and a sign with a baseline, the same without, and one bit each
// for a bool or a ref.
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

// setDefaults sets the initial chances without a prior: numbers are small, and most values stay unchanged.
func (m *Model) setDefaults() {
	fill := func(from, n int, p float64) {
		for i := range n {
			m.start[from+i] = chance{P: uint16(p * 65535), N: 2}
		}
	}
	fill(0, len(m.start), 0.5)
	// Rows: the chance that a number has one more bit is high below the expected size and low above it.
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
	m.setLineDefaults(fill, numbers)
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

// linesContexts is the number of contexts of a lines field.
const linesContexts = 2 * (rowSize + 1)

const (
	lineKinds   = 3  // component masks of a block, in order of appearance; the last counts for all further ones
	lineClasses = 3  // classes of sets: an angle, the place, other
	lineRun     = 16 // entities since the last one with changes outside of lines
	lineList    = 16 // length of the list of frequent changes
)

// Contexts of an entity, per kind.
const (
	lnOther   = 0
	lnNews    = lnOther + lineRun // whether it was moving; changes of the last three entities
	lnStep    = lnNews + 2*8
	lnStepS   = lnStep + rowSize
	lnStepL   = lnStepS + 1
	lnSame    = lnStepL + 4*rowSize
	lnArrives = lnSame + 1 // along its heading, at rest
	lnSets    = lnArrives + 2
	lnEntity  = lnSets + lineClasses*lnSet
)

// Contexts of a set, per class.
const (
	lsNews   = 0          // whether it was moving; whether an earlier set changed
	lsBent   = lsNews + 4 // whether it was moving
	lsHint   = lsBent + 2 // whether it was moving; whether an earlier set changed
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

// linesShared is the number of contexts, from ctxLines on, that all lines fields share.
const linesShared = lineKinds * lnEntity

// setLineDefaults sets the initial chances for lines: neighbours behave alike, lines that bend do so at consecutive
// changes, and other events are rare. The initial N of a chance sets how fast it adapts to a different game.
func (m *Model) setLineDefaults(func(from, n int, p float64), func(from, n int, size func(i int) int)) {
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
		set(at+lnArrives, 2, 0.5, 0)
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
