package netcode

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// MaxServers is the largest number of server addresses in a token.
const MaxServers = 32

const (
	addressIPv4 = 1
	addressIPv6 = 2
	// addressesSize is the size of the longest list: a count, and per address a type, eight words and a port.
	addressesSize = 4 + MaxServers*(1+16+2)
)

// addresses is the list of servers in a token. Its size is fixed, so that parsing allocates nothing.
//
//	count u32 │ count × (1 │ four bytes │ port u16) or (2 │ eight words u16 │ port u16)
//
// All numbers are little-endian, also the words of an IPv6 address: 2001:db8:: begins with 01 20 b8 0d.
type addresses struct {
	list [MaxServers]netip.AddrPort
	n    int
}

func (a *addresses) slice() []netip.AddrPort { return a.list[:a.n] }

// containsAny reports whether at least one of own is in the list.
func (a *addresses) containsAny(own []netip.AddrPort) bool {
	for _, addr := range a.slice() {
		if slices.Contains(own, addr) {
			return true
		}
	}
	return false
}

func appendAddresses(dst []byte, list []netip.AddrPort) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(list)))
	for _, a := range list {
		if addr := unmap(a).Addr(); addr.Is4() {
			b := addr.As4()
			dst = append(dst, addressIPv4)
			dst = append(dst, b[:]...)
		} else {
			b := addr.As16()
			dst = append(dst, addressIPv6)
			for i := 0; i < len(b); i += 2 {
				dst = append(dst, b[i+1], b[i])
			}
		}
		dst = binary.LittleEndian.AppendUint16(dst, a.Port())
	}
	return dst
}

// parse reads a list and returns the rest of b. If the list is invalid, a stays empty.
func (a *addresses) parse(b []byte) (rest []byte, ok bool) {
	a.n = 0
	if len(b) < 4 {
		return nil, false
	}
	count := binary.LittleEndian.Uint32(b)
	if count < 1 || count > MaxServers {
		return nil, false
	}
	b = b[4:]
	for i := range int(count) {
		if len(b) < 1 {
			return nil, false
		}
		var addr netip.Addr
		switch kind := b[0]; {
		case kind == addressIPv4 && len(b) >= 1+4+2:
			addr, b = netip.AddrFrom4([4]byte(b[1:5])), b[5:]
		case kind == addressIPv6 && len(b) >= 1+16+2:
			var words [16]byte
			for i := 0; i < len(words); i += 2 {
				words[i], words[i+1] = b[2+i], b[1+i]
			}
			addr, b = netip.AddrFrom16(words).Unmap(), b[17:]
		default:
			return nil, false
		}
		a.list[i] = netip.AddrPortFrom(addr, binary.LittleEndian.Uint16(b))
		b = b[2:]
	}
	a.n = int(count)
	return b, true
}

// unmap converts IPv4-mapped IPv6 addresses to IPv4, so that every peer has a single address.
func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// public returns an address in the form that tokens contain: unmapped and without a zone, because zones are local to a
// host.
func public(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
