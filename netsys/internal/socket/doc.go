// Package socket is UDP sockets as package netsys needs them, over the net package. In a browser there are none, and a
// client for one does not link net, which is half a megabyte there.
package socket
