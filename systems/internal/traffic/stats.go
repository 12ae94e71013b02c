package traffic

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stats counts what snapshots consisted of, over all clients. Sizes are in
// bytes, without what sessions add.
type Stats struct {
	Bytes     uint64 // of all messages
	Headers   uint64 // of these, headers
	Own       uint64 // blocks of own state, their heads included
	Datagrams uint64
	Largest   int // bytes of one client's snapshot, at most
	// Raw, Zstd and Range are the blocks by coder, their heads included.
	Raw, Zstd, Range CoderStats
}

// CoderStats counts the blocks that were sent in the coding of one coder.
type CoderStats struct {
	Blocks, Bytes uint64
}

// block counts a block of so many bytes.
func (s *Stats) block(h *wire.BlockHead, size int) {
	if h.Own {
		s.Own += uint64(size)
	}
	c := &s.Raw
	switch h.Coder {
	case delta.Zstd:
		c = &s.Zstd
	case delta.Range:
		c = &s.Range
	}
	c.Blocks++
	c.Bytes += uint64(size)
}
