//go:build cgo

package pinned

// static void look(void *p) { (void)p; }
import "C"

import "unsafe"

// Check panics if the memory at p contains a pointer to memory that is not pinned, according to Go's rules for calls of C.
func Check(p unsafe.Pointer) { C.look(p) }
