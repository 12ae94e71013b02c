package delta

import (
	"testing"
)

// benchBlocks encodes and decodes a block with and without an account of it.
func benchBlocks(b *testing.B, m *Model, parts []Part, account bool, encode func(e *Encoder, dst []byte) ([]byte, Coder)) {
	e, d := Encoder{Account: account}, Decoder{Account: account}
	got := sceneEmpty(parts)
	body, coder := encode(&e, nil)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			body, coder = encode(&e, body[:0])
		}
		b.ReportMetric(float64(len(body)), "bytes")
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			for i := range got {
				got[i].Cur.Reset(parts[i].Cur.Send)
			}
			if err := d.Decode(body, coder, m, got); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBlock codes one entity, as for the state of a client's own, and a thousand of
// which a tenth have news.
func BenchmarkBlock(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		s, m, _ := news(b, 3, 1, 1)
		parts := s.parts(1, 0, slotsOf(1<<5))
		benchBlocks(b, m, parts, false, func(e *Encoder, dst []byte) ([]byte, Coder) { return e.Append(dst, m, parts) })
	})
	for name, account := range map[string]bool{"busy": false, "accounted": true} {
		b.Run(name, func(b *testing.B) {
			_, m, parts := news(b, 3, 18, 0.1)
			benchBlocks(b, m, parts, account, func(e *Encoder, dst []byte) ([]byte, Coder) { return e.appendRange(dst, m, parts), Range })
		})
	}
}
