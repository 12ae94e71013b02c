// Package mmsg receives and sends UDP datagrams on a raw descriptor, up to 64 per system call (recvmmsg, sendmmsg), with
// the kernel's time stamps: [Reader], [Writer]. One socket can serve several addresses of this machine: [Locate],
// [Reader.To], [Writer.AddFrom]. The UDP transports on Linux share this package. It is empty on other systems.
package mmsg
