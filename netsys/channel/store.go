package channel

// none marks the end of a chain.
const none int32 = -1

// blocksPerSlab is the number of blocks per allocation.
const blocksPerSlab = 16

// store holds the bytes of messages that wait at the receiver, in blocks of one fragment each. A block is used when bytes
// arrive, so a peer occupies memory only for bytes it has sent, not for announced ones. The blocks of a message are linked;
// freed blocks are reused.
type store struct {
	size    int
	slabs   [][]byte
	next    []int32 // by block: the next block of its chain
	free    int32   // first free block
	used    int
	scratch []byte // for assembling a message of several blocks

	lately        int // largest number of used blocks since the last tidy
	latelyScratch int // longest message since the last tidy
}

func newStore(size int) store { return store{size: size, free: none} }

// block returns the bytes of a block.
func (s *store) block(i int32) []byte {
	at := int(i%blocksPerSlab) * s.size
	return s.slabs[i/blocksPerSlab][at : at+s.size : at+s.size]
}

// allocate copies b, at most size bytes, into a free block and returns the block. Bytes after b are undefined.
func (s *store) allocate(b []byte) int32 {
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

// tidy releases memory if at most a quarter was used since the last call.
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

// dropChain frees a block and the following blocks of its chain.
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
		i := s.allocate(b[:n])
		if last == none {
			first = i
		} else {
			s.next[last] = i
		}
		last, b = i, b[n:]
	}
	return first
}

// bytes returns the n bytes of a chain, valid until the next call or until the blocks are freed.
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

// blocks returns the number of blocks for a message of n bytes.
func (s *store) blocks(n int) int { return (n + s.size - 1) / s.size }
