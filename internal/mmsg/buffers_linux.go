package mmsg

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadBuffer asks for a receive buffer of so many bytes, beyond the system's limit if this process may, and returns
// how many the kernel gave. Fewer than asked for lose datagrams earlier, nothing else.
func ReadBuffer(fd, size int) int { return setBuffer(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, size) }

// WriteBuffer asks for a send buffer likewise.
func WriteBuffer(fd, size int) int { return setBuffer(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, size) }

func setBuffer(fd, force, option, size int) int {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, size) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, size)
	}
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, option)
	if err != nil {
		return 0
	}
	return n / 2 // the kernel doubles the size for its own bookkeeping and reports it so
}

// The numbers of SO_MEMINFO, linux/sock_diag.h.
const (
	memoryUsed  = 0 // SK_MEMINFO_RMEM_ALLOC
	memorySize  = 1 // SK_MEMINFO_RCVBUF
	memoryDrops = 8 // SK_MEMINFO_DROPS, the last of the nine
)

// memory is what the kernel says of a socket's buffers; zeros for what is no socket.
func memory(fd int) (info [memoryDrops + 1]uint32) {
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return [memoryDrops + 1]uint32{}
	}
	return info
}

// Dropped is how many arrivals the kernel threw away because the receive buffer was full; 0 for what is no socket.
func Dropped(fd int) uint64 { return uint64(memory(fd)[memoryDrops]) }

// Waiting is how many bytes of the receive buffer are taken, by the kernel's own counting, and of how many.
func Waiting(fd int) (used, size int) {
	info := memory(fd)
	return int(info[memoryUsed]), int(info[memorySize])
}
