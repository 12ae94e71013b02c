package ecs

// quantize rounds the replicated values of all that this peer simulates to the
// precision of the wire. Rounding twice changes nothing, so entities that took
// no step stay as they are.
func (w *World) quantize() {
	for t := range w.Netcode().Simulated {
		for _, c := range w.setup.protocol.replicated {
			if c.Words == 0 || t.Mask&(1<<c.replicated) == 0 {
				continue
			}
			n := len(t.Entities)
			if need := n * c.Words; cap(w.check.words) < need {
				w.check.words = make([]int32, need+need/2)
			}
			words := w.check.words[:n*c.Words]
			c.Schema.Quantize(words, c.Words, t.Column(c), n)
			c.Schema.Dequantize(t.Column(c), words, c.Words, n)
		}
	}
}
