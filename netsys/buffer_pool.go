package netsys

const (
	// smallBuffer is the length of a small buffer in bytes. Inputs and acknowledgements fit into it.
	smallBuffer = 192
	// poolPeriod is the number of drains in a period of a bufferPool: 10 s at 60 drains per second.
	poolPeriod = 600
)

// bufferPool is a pool of buffers for datagrams: small ones, because most datagrams are short, and large ones. It keeps as many
// buffers as were in use at the same time in the last two periods. It therefore releases the memory that a stall needed within
// two periods. Only one goroutine may use it at a time.
type bufferPool struct {
	large    int // length of a large buffer in bytes
	free     [2][][]byte
	inUse    [2]int
	most     [2]int // maximum of inUse in this period
	mostLast [2]int // maximum of inUse in the previous period
	drains   int    // in this period
}

// newBufferPool returns a pool of buffers of at most large bytes.
func newBufferPool(large int) bufferPool { return bufferPool{large: large} }

// get returns a buffer of n bytes, but at most p.large.
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

// put returns a buffer to the pool.
func (p *bufferPool) put(b []byte) {
	class := 1
	if cap(b) == smallBuffer {
		class = 0
	}
	p.inUse[class]--
	p.free[class] = append(p.free[class], b)
}

// drained counts a drain: the delivery of all waiting datagrams. At the end of a period it releases unneeded buffers.
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
