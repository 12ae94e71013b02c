package share

// Workers does pieces of work on several goroutines at once.
type Workers interface {
	// Workers is how many there are, at least 1, the caller among them. It does not change.
	Workers() int
	// Each calls do for each piece from 0 to n−1, once, and returns when all is done. worker is
	// from 0 to Workers−1, and no worker does two pieces at once. A panic of do is the caller's.
	Each(n int, do func(worker, piece int))
}

// Sizes in rows.
const (
	// Rows is how many a piece has at most.
	Rows = 128
	// Few are done by the caller sooner than workers are woken.
	Few = 2 * Rows
)

// Piece is N rows of a table, from Start on.
type Piece struct{ Table, Start, N int32 }

// List is the pieces of a walk. The zero List is empty; it keeps its memory.
type List struct {
	all  []Piece
	rows int
}

// Reset makes the list empty.
func (l *List) Reset() { l.all, l.rows = l.all[:0], 0 }

// Add adds n rows of a table, from start on, in pieces.
func (l *List) Add(table, start, n int) {
	l.rows += n
	for ; n > 0; start, n = start+Rows, n-Rows {
		l.all = append(l.all, Piece{int32(table), int32(start), int32(min(n, Rows))})
	}
}

// At is the i-th piece.
func (l *List) At(i int) Piece { return l.all[i] }

// Run calls do for each piece, once: on the workers where there are more than [Few] rows, and
// else, or without workers (nil), one after the other.
func (l *List) Run(workers Workers, do func(worker, piece int)) {
	if workers != nil && l.rows > Few && workers.Workers() > 1 {
		workers.Each(len(l.all), do)
		return
	}
	for i := range l.all {
		do(0, i)
	}
}
