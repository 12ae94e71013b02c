package netsys

import "testing"

// A pool keeps as many buffers as were in use at the same time during the last twenty seconds, separately for small and large
// ones. Steady traffic allocates nothing.
func TestBufferPool(t *testing.T) {
	p := newBufferPool(1400)
	var all [][]byte
	burst := func(n, size int) {
		for range n {
			b := p.get(size)
			if len(b) != min(size, 1400) {
				t.Fatalf("%d bytes for %d", len(b), size)
			}
			all = append(all, b)
		}
		for _, b := range all {
			p.put(b)
		}
		all = all[:0]
		p.drained()
	}
	burst(5000, 100)
	burst(3000, 1400)
	if len(p.free[0]) != 5000 || len(p.free[1]) != 3000 || cap(p.free[0][0]) != smallBuffer || cap(p.free[1][0]) != 1400 {
		t.Fatalf("%d small buffers, %d large ones", len(p.free[0]), len(p.free[1]))
	}
	for range poolPeriod {
		burst(50, 100)
	}
	if len(p.free[0]) != 5000 {
		t.Errorf("%d small buffers are left at once", len(p.free[0]))
	}
	for range 2 * poolPeriod {
		burst(50, 100)
	}
	if len(p.free[0]) != 50 || len(p.free[1]) != 0 {
		t.Errorf("%d small buffers, %d large ones", len(p.free[0]), len(p.free[1]))
	}
	if n := testing.AllocsPerRun(2*poolPeriod, func() { burst(50, 100) }); n > 0 {
		t.Errorf("%v allocations a round", n)
	}
	if b := p.get(5000); len(b) != 1400 {
		t.Errorf("%d bytes for 5000", len(b))
	}
	held := p.get(10)
	for range 3 * poolPeriod {
		p.drained()
	}
	if p.put(held); len(p.free[0]) != 1 {
		t.Errorf("%d small buffers when the last comes back", len(p.free[0]))
	}
}
