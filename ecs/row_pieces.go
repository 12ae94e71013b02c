package ecs

const (
	// pieceRows is how many rows a piece has at most.
	pieceRows = 128
	// fewRows are done by the caller sooner than workers are woken.
	fewRows = 2 * pieceRows
)

// rowPiece is n rows of a table, from start on.
type rowPiece struct{ table, start, n int32 }

// rowPieces divides the rows of a walk into pieces for workers. The zero value is empty; it keeps its memory.
type rowPieces struct {
	all  []rowPiece
	rows int
}

// reset makes the list empty.
func (l *rowPieces) reset() { l.all, l.rows = l.all[:0], 0 }

// add adds n rows of a table, from start on.
func (l *rowPieces) add(table, start, n int) {
	l.rows += n
	for ; n > 0; start, n = start+pieceRows, n-pieceRows {
		l.all = append(l.all, rowPiece{int32(table), int32(start), int32(min(n, pieceRows))})
	}
}

// run calls do once for each piece: on the workers if there are more than fewRows rows, and otherwise in order on the
// caller's goroutine. workers may be nil.
func (l *rowPieces) run(workers Workers, do func(worker, piece int)) {
	if workers != nil && l.rows > fewRows && workers.Workers() > 1 {
		workers.Each(len(l.all), do)
		return
	}
	for i := range l.all {
		do(0, i)
	}
}
