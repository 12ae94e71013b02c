// Package marked distinguishes peers with a connection from UDP peers at the same address: the address of a connection
// carries a mark.
//
// A marked address is an IPv6 address with a zone reserved for marks. UDP peers have no zone or a zone named like a network
// interface, which cannot contain a slash, so the two never clash. IPv4 addresses are converted to 6to4 (RFC 3056), where
// each IPv4 address has its own 64-bit network, so that limits per network still tell them apart.
package marked
