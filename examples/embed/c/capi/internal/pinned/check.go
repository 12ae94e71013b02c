//go:build cgo

package pinned

// static void look(void *p) { (void)p; }
import "C"

import "unsafe"

// Check panics where the memory that p leads to has a pointer to memory which is not pinned, as Go has it for calls of C.
func Check(p unsafe.Pointer) { C.look(p) }
