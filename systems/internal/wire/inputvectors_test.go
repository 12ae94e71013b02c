package wire

import (
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// inputVectors holds the client's side of a session, for implementations of the format.
type inputVectors struct {
	// Input is the field table of the input, as in the handshake.
	Input string
	// Bits is the width of each word.
	Bits    []int
	Packets []inputVector
}

// inputVector is one message.
type inputVector struct {
	// Acked are the packets whose acknowledgement came before this was written.
	Acked  []uint16 `json:",omitempty"`
	Packet uint16   // number in the session
	Epoch  uint8
	Every  uint8
	Shift  int16
	Newest uint16
	Inputs [][]uint32 // oldest first, in words
	Hex    string
}

const inputVectorFile = "testdata/input_messages.json"

// makeInputVectors plays a client of 60 ticks, with a round trip of 8.
func makeInputVectors(t *testing.T) *inputVectors {
	table := tableFor[turner](t)
	p := newModelPlayer(table, rand.New(rand.NewPCG(11, 1)))
	v := &inputVectors{Input: table.Line()}
	for k := range table.Words {
		v.Bits = append(v.Bits, table.WordBits(k))
	}
	p.seq = 65_500
	for n := range 60 {
		var e inputVector
		if n >= 8 && n%3 == 0 {
			e.Acked = []uint16{p.seq - 7}
			p.acked(p.seq - 7)
		}
		switch n {
		case 20:
			p.epoch++
		case 23:
			p.every = 6
		case 26, 27, 28:
			p.shift -= 3
		case 36:
			p.limit = 5
		case 44:
			p.limit = 32
		case 48:
			p.seq += 100
		}
		inputs := 1
		if n == 32 {
			inputs = 2
		}
		b := p.send(inputs)
		newest := len(p.Log) - 1
		e.Packet, e.Epoch, e.Every, e.Shift, e.Newest, e.Hex = p.seq, p.epoch, p.every, p.shift, uint16(newest), hex.EncodeToString(b)
		for i := newest - min(newest-p.got, p.limit) + 1; i <= newest; i++ {
			var words []uint32
			for k, w := range p.Log[i] {
				words = append(words, p.Coder.cut(k, w))
			}
			e.Inputs = append(e.Inputs, words)
		}
		v.Packets = append(v.Packets, e)
	}
	return v
}

// lines returns v as JSON with one packet per line.
func (v *inputVectors) lines(t *testing.T) []byte {
	object := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	head := object(inputVectors{Input: v.Input, Bits: v.Bits, Packets: []inputVector{}})
	b := head[:len(head)-2] // without the end of the packets
	for i, p := range v.Packets {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, '\n'), object(p)...)
	}
	return append(b, "\n]}\n"...)
}

// The bytes of input messages equal the documented ones, in both directions. Run with -update after an intended change.
func TestInputVectors(t *testing.T) {
	if *update {
		if err := os.WriteFile(inputVectorFile, makeInputVectors(t).lines(t), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(inputVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var v inputVectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	table := tableFor[turner](t)
	if v.Input != table.Line() {
		t.Fatalf("the vectors are of %s", v.Input)
	}
	reader, writer := NewInputCoder(table), NewInputCoder(table)
	received, sent := NewInputBases(table.Words), NewInputBases(table.Words)
	forms := map[byte]bool{}
	for _, e := range v.Packets {
		for _, seq := range e.Acked {
			sent.Ack(seq)
		}
		msg, err := hex.DecodeString(e.Hex)
		if err != nil {
			t.Fatal(err)
		}
		var m Input
		if err := reader.Read(msg, &m, e.Packet, received); err != nil {
			t.Fatalf("packet %d: %v", e.Packet, err)
		}
		received.Put(e.Packet, &m, reader.State)
		if m.Epoch != e.Epoch || m.Every != e.Every || m.Shift != e.Shift || m.Newest != e.Newest || m.Count != len(e.Inputs) {
			t.Errorf("packet %d: epoch %d, every %d, shift %d, newest %d, %d inputs", e.Packet, m.Epoch, m.Every, m.Shift, m.Newest, m.Count)
		}
		for i, words := range e.Inputs {
			for k, w := range words {
				if got := uint32(m.Words[i*table.Words+k]); got != w {
					t.Errorf("packet %d, input %d, word %d: %d, not %d", e.Packet, i, k, got, w)
				}
			}
		}
		if out := writer.Append(nil, &m, e.Packet, sent); !slices.Equal(out, msg) {
			t.Errorf("packet %d: written as %x, not %x", e.Packet, out, msg)
		}
		sent.Put(e.Packet, &m, writer.State)
		form := msg[0] >> KindBits
		forms[min(form, 1)+form/InputRelative] = true
	}
	if len(forms) != 3 {
		t.Errorf("not all forms of messages are among the vectors: %v", forms)
	}
}
