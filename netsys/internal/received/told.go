package received

import "github.com/tactusgo/tactus/codec"

// Told is which packets the peer has acknowledged, so that each is looked for once, although each is named 33 times.
type Told struct {
	newest uint16
	bits   uint64 // bit i: newest−i
}

// Fresh is what a header acknowledges beyond those before it, bit i being ack−i.
func (t *Told) Fresh(ack uint16, before uint32) uint64 {
	all := uint64(before)<<1 | 1
	ahead := codec.Diff(ack, t.newest)
	if ahead < 0 && t.bits != 0 {
		back := uint(-ahead) // 64 and more shift everything out
		fresh := all &^ (t.bits >> back)
		t.bits |= all << back
		return fresh
	}
	known := t.bits << uint(max(ahead, 0))
	t.newest, t.bits = ack, known|all
	return all &^ known
}
