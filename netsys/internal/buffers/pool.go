package buffers

const (
	// small is the length of a small buffer in bytes: inputs and acknowledgements fit.
	small = 192
	// rounds is of how many rounds the most counts, twice: 10 s at 60 a second.
	rounds = 600
)

// Pool keeps buffers of two lengths. What a stall made necessary is let go when it is over. It belongs to one goroutine,
// or to a lock.
type Pool struct {
	large  int // bytes
	free   [2][][]byte
	out    [2]int // in use
	most   [2]int // in use at a time, in this turn
	before [2]int // and in the one before
	round  int
}

// New returns a pool of buffers of at most so many bytes.
func New(large int) Pool { return Pool{large: large} }

// Take returns a buffer of n bytes, or as many as the largest has.
func (p *Pool) Take(n int) []byte {
	class := 1
	if n <= small {
		class = 0
	}
	p.out[class]++
	p.most[class] = max(p.most[class], p.out[class])
	if free := p.free[class]; len(free) > 0 {
		b := free[len(free)-1]
		free[len(free)-1], p.free[class] = nil, free[:len(free)-1]
		return b[:min(n, cap(b))]
	}
	return make([]byte, [2]int{small, p.large}[class])[:min(n, p.large)]
}

// Put takes a buffer back.
func (p *Pool) Put(b []byte) {
	class := 1
	if cap(b) == small {
		class = 0
	}
	p.out[class]--
	p.free[class] = append(p.free[class], b)
}

// Round says that all that waited was dealt with, as it is again and again.
func (p *Pool) Round() {
	if p.round++; p.round < rounds {
		return
	}
	p.round = 0
	for class, free := range p.free {
		keep := max(max(p.most[class], p.before[class])-p.out[class], 0)
		if len(free) > 2*keep {
			p.free[class] = append(make([][]byte, 0, keep), free[:keep]...)
		}
	}
	p.before, p.most = p.most, p.out
}
