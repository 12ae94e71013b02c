package delta

import "testing"

// BenchmarkSmallBlock encodes and decodes one entity, as for the state of a
// client's own.
func BenchmarkSmallBlock(b *testing.B) {
	s := newScene(b, 3, 1, 1)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, func(int) uint64 { return 1 << 5 })
	var e Encoder
	var d Decoder
	got := sceneEmpty(parts)
	body, coder := e.Append(nil, m, parts)
	b.ReportMetric(float64(len(body)), "bytes")
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			body, coder = e.Append(body[:0], m, parts)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			got[0].Cur.Reset(2)
			if err := d.Decode(body, coder, m, got); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBusyBlock encodes a thousand entities of which a tenth have news.
func BenchmarkBusyBlock(b *testing.B) {
	s := newScene(b, 3, 18, 0.1)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	for name, account := range map[string]bool{"plain": false, "accounted": true} {
		e := Encoder{Account: account}
		parts := sceneParts(s.groups, base, nil, allSlots)
		var body []byte
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				body = e.appendRange(body[:0], m, parts)
			}
		})
	}
}

// BenchmarkBusyDecode decodes a thousand entities of which a tenth have news.
func BenchmarkBusyDecode(b *testing.B) {
	s := newScene(b, 3, 18, 0.1)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, allSlots)
	var e Encoder
	body := e.appendRange(nil, m, parts)
	for name, account := range map[string]bool{"plain": false, "accounted": true} {
		d := Decoder{Account: account}
		got := sceneEmpty(parts)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for i := range got {
					got[i].Cur.Reset(parts[i].Cur.Send)
				}
				if err := d.Decode(body, Range, m, got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
