package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/internal/reuse"
)

// The fields after the inputs are decoded unchanged, in each form of message.
func TestAdviceRoundTrip(t *testing.T) {
	table, r := tableFor[push](t), rand.New(rand.NewPCG(3, 1))
	writer, reader := NewInputCoder(table), NewInputCoder(table)
	writer.Reported, reader.Reported = true, true
	sent, got := NewInputBases(table.Words), NewInputBases(table.Words)
	forms := map[byte]int{}
	m := randomInputs(r, table, 3)
	for seq := range uint16(3000) {
		m.Newest++
		m.Count = r.IntN(4) + 1
		m.Words = reuse.Slice(m.Words, m.Count*table.Words)
		if r.IntN(4) == 0 {
			m.Words[r.IntN(len(m.Words))] = int32(r.IntN(2))
		}
		m.Report = Report{Asks: r.IntN(5) == 0, Echo: uint8(r.IntN(Corrections)), Bits: HashBits + r.IntN(100)}
		for i := range (m.Report.Bits + 7) / 8 {
			m.Report.Result = append(m.Report.Result, byte(r.Uint32()))
			if left := m.Report.Bits - 8*i; left < 8 {
				m.Report.Result[i] &= 1<<left - 1
			}
		}
		b := writer.Append(nil, m, seq, sent)
		sent.Put(seq, m, writer.State)
		if r.IntN(3) > 0 {
			sent.Ack(seq)
		}
		var back Input
		if err := reader.Read(b, &back, seq, got); err != nil {
			t.Fatalf("message %d, %x: %v", seq, b, err)
		}
		got.Put(seq, &back, reader.State)
		switch f := b[0] >> KindBits; f {
		case 0, InputRelative:
			forms[f]++
		default:
			forms[1]++
		}
		x, y := &m.Report, &back.Report
		if back.Newest != m.Newest || x.Asks != y.Asks || !x.Asks && (x.Echo != y.Echo || !bytes.HasPrefix(append(y.Result, 0), x.Result) || y.Bits-x.Bits > 7) {
			t.Fatalf("message %d: %+v came back as %+v", seq, x, y)
		}
	}
	if len(forms) != 3 {
		t.Errorf("forms %v, want all three", forms)
	}
}

// A result has at most its maximum number of bytes, and at least the bits of its hash.
func TestResultsAreBounded(t *testing.T) {
	table := tableFor[push](t)
	c := NewInputCoder(table)
	c.Reported = true
	for bits, ok := range map[int]bool{HashBits - 8: false, HashBits: true, 8 * MaxResult: true, 8*MaxResult + 16: false} {
		m := Input{Newest: 1, Count: 1, Words: make([]int32, table.Words)}
		m.Report = Report{Bits: bits, Result: make([]byte, (bits+7)/8)}
		var back Input
		if err := c.Read(c.Append(nil, &m, 0, nil), &back, 0, NewInputBases(table.Words)); (err == nil) != ok {
			t.Errorf("a result of %d bits: %v", bits, err)
		}
	}
}
