package netsys

import "github.com/tactusgo/tactus/codec"

// acknowledgedPackets records the packets that the peer has acknowledged lately. Up to 33 headers acknowledge the same packet.
type acknowledgedPackets struct {
	newest uint16
	bits   uint64 // bit i: newest−i
}

// add returns the packets that a header acknowledges and that no earlier header acknowledged: bit i is packet ack−i. before are
// the ack bits of the header: bit i is packet ack−1−i.
func (p *acknowledgedPackets) add(ack uint16, before uint32) (fresh uint64) {
	all := uint64(before)<<1 | 1
	ahead := codec.Diff(ack, p.newest)
	if ahead < 0 && p.bits != 0 {
		back := uint(-ahead) // 64 and more shift everything out
		fresh = all &^ (p.bits >> back)
		p.bits |= all << back
		return fresh
	}
	known := p.bits << uint(max(ahead, 0))
	p.newest, p.bits = ack, known|all
	return all &^ known
}
