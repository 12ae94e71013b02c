// Package mmsg receives and sends UDP datagrams of a raw descriptor in batches, one system call for up to 64
// (recvmmsg, sendmmsg), with the kernel's time stamps: [Reader], [Writer]. One socket can have many addresses of this
// machine: [Locate], [Reader.To], [Writer.AddFrom]. It is what the wires on Linux have in common; on other systems it
// is empty.
package mmsg
