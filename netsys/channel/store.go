package channel

// none is no block.
const none int32 = -1

// blocksPerSlab is how many blocks are allocated at once.
const blocksPerSlab = 16

// store holds the bytes of messages that wait at the receiver, in blocks of the length of a piece. Blocks are
// handed out as bytes arrive: a peer makes this end hold what it sent, not what it announced. Blocks of a
// message are chained; freed ones are used again.
type store struct {
	size    int
	slabs   [][]byte
	next    []int32 // of each block: the one behind it in its chain
	free    int32   // the first of the chain of free blocks
	used    int
	scratch []byte // where a message of several blocks is put together

	lately        int // most blocks in use since it was tidied
	latelyScratch int // and the longest message
}

func newStore(size int) store { return store{size: size, free: none} }

// block returns the bytes of a block.
func (s *store) block(i int32) []byte {
	at := int(i%blocksPerSlab) * s.size
	return s.slabs[i/blocksPerSlab][at : at+s.size : at+s.size]
}

// take returns a block with the given bytes, at most size, and whatever was in it behind them.
func (s *store) take(b []byte) int32 {
	if s.free == none {
		first := int32(len(s.next))
		s.slabs = append(s.slabs, make([]byte, blocksPerSlab*s.size))
		for i := range int32(blocksPerSlab) {
			s.next = append(s.next, s.free)
			s.free = first + i
		}
	}
	i := s.free
	s.free, s.next[i] = s.next[i], none
	s.used++
	s.lately = max(s.lately, s.used)
	copy(s.block(i), b)
	return i
}

// tidy gives memory back of which a quarter would have done lately.
func (s *store) tidy() {
	if s.used == 0 && len(s.slabs) > 1 && 4*s.lately <= len(s.next) {
		s.slabs, s.next, s.free = nil, nil, none
	}
	if 4*s.latelyScratch <= cap(s.scratch) {
		s.scratch = nil
	}
	s.lately, s.latelyScratch = s.used, 0
}

// drop frees one block.
func (s *store) drop(i int32) {
	s.next[i], s.free = s.free, i
	s.used--
}

// dropChain frees a block and those behind it.
func (s *store) dropChain(i int32) {
	for i != none {
		next := s.next[i]
		s.drop(i)
		i = next
	}
}

// chain stores a whole message.
func (s *store) chain(b []byte) (first int32) {
	first = none
	last := none
	for len(b) > 0 {
		n := min(len(b), s.size)
		i := s.take(b[:n])
		if last == none {
			first = i
		} else {
			s.next[last] = i
		}
		last, b = i, b[n:]
	}
	return first
}

// bytes returns the n bytes of a chain, valid until the next call or until its blocks are freed.
func (s *store) bytes(first int32, n int) []byte {
	if first == none {
		return nil
	}
	if n <= s.size {
		return s.block(first)[:n]
	}
	if cap(s.scratch) < n {
		s.scratch = make([]byte, n)
	}
	s.latelyScratch = max(s.latelyScratch, n)
	b := s.scratch[:0]
	for i := first; len(b) < n; i = s.next[i] {
		b = append(b, s.block(i)[:min(s.size, n-len(b))]...)
	}
	return b
}

// blocks is how many blocks a message of n bytes takes.
func (s *store) blocks(n int) int { return (n + s.size - 1) / s.size }
