package memory

import "unsafe"

// Arena gives out room for values, such as those of waiting commands. What it gave out
// stays where it is until Reset, so that pointers into it are good; it keeps its memory,
// so that a game that spawns every tick allocates once.
type Arena struct {
	blocks [][]uint64 // words, so that any component is aligned
	block  int        // where the next value goes
	used   int        // words of it
}

// arenaBlock is the usual size of a block in words.
const arenaBlock = 1024

// nothing is what a pointer to no bytes points at.
var nothing struct{}

// Take gives out n bytes, which hold whatever was there.
func (a *Arena) Take(n uintptr) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&nothing)
	}
	need := int(n+7) / 8
	for a.block < len(a.blocks) && a.used+need > len(a.blocks[a.block]) {
		a.block, a.used = a.block+1, 0
	}
	if a.block == len(a.blocks) {
		a.blocks = append(a.blocks, make([]uint64, max(arenaBlock, need)))
	}
	at := &a.blocks[a.block][a.used]
	a.used += need
	return unsafe.Pointer(at)
}

// Reset takes everything back.
func (a *Arena) Reset() { a.block, a.used = 0, 0 }
