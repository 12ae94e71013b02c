package mmsg

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadBuffer requests a receive buffer of size bytes, above the system's limit if this process has the right, and returns
// the size that the kernel granted. A smaller buffer only loses datagrams earlier.
func ReadBuffer(fd, size int) int { return setBuffer(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, size) }

// WriteBuffer returns the counterpart of ReadBuffer for the send buffer.
func WriteBuffer(fd, size int) int { return setBuffer(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, size) }

func setBuffer(fd, force, option, size int) int {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, size) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, size)
	}
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, option)
	if err != nil {
		return 0
	}
	return n / 2 // the kernel reports twice the size, for its own bookkeeping
}

// Indexes of SO_MEMINFO, from linux/sock_diag.h.
const (
	memoryUsed  = 0 // SK_MEMINFO_RMEM_ALLOC
	memorySize  = 1 // SK_MEMINFO_RCVBUF
	memoryDrops = 8 // SK_MEMINFO_DROPS, the last of the nine
)

// memory returns the kernel's figures about a socket's buffers, or zeros if fd is not a socket.
func memory(fd int) (info [memoryDrops + 1]uint32) {
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return [memoryDrops + 1]uint32{}
	}
	return info
}

// Dropped returns the number of datagrams that the kernel dropped because the receive buffer was full; 0 if fd is not a
// socket.
func Dropped(fd int) uint64 { return uint64(memory(fd)[memoryDrops]) }

// Waiting returns the used bytes and the size of the receive buffer, as the kernel counts them.
func Waiting(fd int) (used, size int) {
	info := memory(fd)
	return int(info[memoryUsed]), int(info[memorySize])
}
