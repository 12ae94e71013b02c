package systems

// frameRing is how many sends of the world are kept as baselines: six seconds at
// 20 a second. maxAge is the oldest baseline used, in sends; it leaves the client
// room for packets that overtake each other.
const (
	frameRing = 128
	maxAge    = 120
)

// baselineAges are the ages of baselines, in sends, that are used where a client holds
// them, youngest first. They are few, so that clients whose acknowledgements came
// at different times need the same bytes. Where a client holds none of these, any
// age does.
var baselineAges = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// floorMargin is how many sends older than the newest acknowledged one a baseline
// may be: what the gaps between the young ages ask for, and a predecessor.
const floorMargin = 5
