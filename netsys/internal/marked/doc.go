// Package marked tells peers who come over connections from those who send datagrams from the same address: their
// addresses carry a mark.
//
// A marked address is an IPv6 address in a zone of its own. UDP peers are in zones that are named like a network interface,
// which cannot contain a slash, or in none: the two cannot clash. IPv4 addresses take their 6to4 form (RFC 3056), in which
// every IPv4 address has 64 network bits of its own, so that whoever counts by network still tells them apart.
package marked
