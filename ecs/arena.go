package ecs

import "unsafe"

// arena allocates memory for values, such as those of waiting commands, until it is reset. The values do not move, so
// pointers to them stay good until then. It keeps its memory, so that a game that spawns every tick allocates once.
type arena struct {
	blocks [][]uint64 // words, so that any component is aligned
	block  int        // where the next value goes
	used   int        // words of it
}

// arenaBlock is the usual size of a block in words.
const arenaBlock = 1024

// noBytes is the target of pointers to values without bytes.
var noBytes struct{}

// allocate returns n bytes, which are not cleared.
func (a *arena) allocate(n uintptr) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&noBytes)
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

// reset takes everything back.
func (a *arena) reset() { a.block, a.used = 0, 0 }
