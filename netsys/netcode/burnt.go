package netcode

import (
	"cmp"
	"slices"
)

// burnt are the tokens that had a slot and have not expired.
type burnt struct {
	most  int
	macs  map[tokenMAC]struct{}
	queue []burntToken // by expiry
}

type burntToken struct {
	expire uint64
	mac    tokenMAC
}

func newBurnt(most int) burnt { return burnt{most: most, macs: make(map[tokenMAC]struct{})} }

func (t *burnt) has(mac tokenMAC) bool {
	_, ok := t.macs[mac]
	return ok
}

// add reports whether there was room for a token that is not in it.
func (t *burnt) add(mac tokenMAC, expire uint64) bool {
	if len(t.queue) >= t.most {
		return false
	}
	i, _ := slices.BinarySearchFunc(t.queue, expire+1, func(b burntToken, expire uint64) int {
		return cmp.Compare(b.expire, expire)
	})
	t.queue = slices.Insert(t.queue, i, burntToken{expire: expire, mac: mac})
	t.macs[mac] = struct{}{}
	return true
}

// expire forgets what nobody can use any more.
func (t *burnt) expire(now uint64) {
	n := 0
	for n < len(t.queue) && t.queue[n].expire <= now {
		delete(t.macs, t.queue[n].mac)
		n++
	}
	if n > 0 {
		t.queue = slices.Delete(t.queue, 0, n)
	}
}
