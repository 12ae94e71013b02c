package netsys

const (
	// smallBuffer is the length of a small buffer in bytes: inputs and acknowledgements fit.
	smallBuffer = 192
	// poolPeriod is the number of drains in a period of a bufferPool: 10 s at 60 a second.
	poolPeriod = 600
)

// bufferPool keeps buffers for datagrams: small ones, because most datagrams are short, and large ones. It keeps as many
// as were in use at a time in the last two periods, so the memory that a stall took is released some time later. It
// belongs to one goroutine, or to a lock.
type bufferPool struct {
	large    int // length of a large buffer in bytes
	free     [2][][]byte
	inUse    [2]int
	most     [2]int // in use at a time, in this period
	mostLast [2]int // and in the period before
	drains   int    // in this period
}

// newBufferPool returns a pool of buffers of at most large bytes.
func newBufferPool(large int) bufferPool { return bufferPool{large: large} }

// get returns a buffer of n bytes, or of as many as the largest has.
func (p *bufferPool) get(n int) []byte {
	class := 1
	if n <= smallBuffer {
		class = 0
	}
	p.inUse[class]++
	p.most[class] = max(p.most[class], p.inUse[class])
	if free := p.free[class]; len(free) > 0 {
		b := free[len(free)-1]
		free[len(free)-1], p.free[class] = nil, free[:len(free)-1]
		return b[:min(n, cap(b))]
	}
	return make([]byte, [2]int{smallBuffer, p.large}[class])[:min(n, p.large)]
}

// put takes a buffer back.
func (p *bufferPool) put(b []byte) {
	class := 1
	if cap(b) == smallBuffer {
		class = 0
	}
	p.inUse[class]--
	p.free[class] = append(p.free[class], b)
}

// drained counts a drain: all datagrams that waited have been delivered. At the end of a period it releases buffers that
// were not needed.
func (p *bufferPool) drained() {
	if p.drains++; p.drains < poolPeriod {
		return
	}
	p.drains = 0
	for class, free := range p.free {
		keep := max(max(p.most[class], p.mostLast[class])-p.inUse[class], 0)
		if len(free) > 2*keep {
			p.free[class] = append(make([][]byte, 0, keep), free[:keep]...)
		}
	}
	p.mostLast, p.most = p.most, p.inUse
}
