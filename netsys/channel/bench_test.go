package channel

import "testing"

// BenchmarkTick is one tick of one session: a snapshot, three events and bulk, sent, received and acknowledged.
func BenchmarkTick(b *testing.B) {
	l := newLoop(b)
	for range 1000 {
		l.tick()
	}
	b.ReportAllocs()
	before := l.e.Stats().PacketsOut
	for b.Loop() {
		l.tick()
	}
	b.ReportMetric(float64(l.e.Stats().PacketsOut-before)/float64(b.N), "packets/op")
}

// BenchmarkTyped writes and reads one typed message.
func BenchmarkTyped(b *testing.B) {
	k := newKit()
	v := k.example()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = k.trade.Append(buf[:0], &v)
		if err := k.trade.Read(buf, &v); err != nil {
			b.Fatal(err)
		}
	}
}
