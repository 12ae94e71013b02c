package systems

// playout evens out when lockstep shows what it was told: ticks come in bursts, and a
// view that shows each at once stutters. It keeps so many ticks in stock that one is
// there in every frame, which a frame without one adds to; what was in stock for a while
// without need is used up, one tick in twenty frames. It costs the player no delay: that of
// inputs covers the worst way from the server as it is. When the server has gone on without the
// player, as after a hitch, all that is more than was in stock of late is used up at once.
type playout struct {
	least  [2]int // in stock, of this span and the one before
	most   [2]int // likewise
	frames int    // of this span
	since  int    // frames since more than one tick was shown
	late   bool   // behind, and catching up
}

const (
	playoutSpan  = 120
	playoutEvery = 20
)

// more reports whether a frame that has simulated a tick should simulate another, with so
// many in stock; overtaken says that the server has gone on without the player.
func (p *playout) more(stock int, overtaken bool) bool {
	if p.late = stock > max(p.most[0], p.most[1]) && (p.late || overtaken); p.late {
		return true
	}
	if p.frames == 0 {
		p.least[1], p.least[0] = p.least[0], stock
		p.most[1], p.most[0] = p.most[0], stock
	}
	p.least[0], p.most[0] = min(p.least[0], stock), max(p.most[0], stock)
	p.frames = (p.frames + 1) % playoutSpan
	p.since++
	if min(p.least[0], p.least[1]) < 1 || p.since < playoutEvery {
		return false
	}
	p.least[0]--
	p.least[1]--
	p.since = 0
	return true
}
