package delta

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec"
)

// sceneDictionary is a dictionary trained on a scene.
func sceneDictionary(t testing.TB, seed uint64) *Dictionary {
	t.Helper()
	s := newScene(t, seed, 6, 0.3)
	trainer := NewDictionaryTrainer(s.layout)
	s.teach(60, trainer.Add)
	d, err := trainer.Dictionary()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A block that was compressed with a dictionary opens with the same one only.
func TestDictionary(t *testing.T) {
	one, other := sceneDictionary(t, 1), sceneDictionary(t, 2)
	if one.Hash() == other.Hash() || one.id == other.id {
		t.Fatalf("two dictionaries with hashes %x, %x and ids %d, %d", one.Hash(), other.Hash(), one.id, other.id)
	}
	again, err := NewDictionary(one.Bytes())
	if err != nil || again.Hash() != one.Hash() || again.id != one.id {
		t.Errorf("read again: %v", err)
	}
	_, plain, parts := news(t, 9, 8, 0.4)
	body, coder := new(byteEncoder).append(nil, plain.WithDictionary(one), parts)
	if coder != Zstd {
		t.Fatalf("coder %d", coder)
	}
	reads(t, new(Decoder), plain.WithDictionary(one), parts, body, coder)
	for name, m := range map[string]*Model{"none": plain, "another": plain.WithDictionary(other)} {
		err := new(Decoder).Decode(body, coder, m, sceneEmpty(parts))
		if !errors.Is(err, ErrDictionary) || !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A block without one opens with any model.
	body, coder = new(byteEncoder).append(nil, plain, parts)
	reads(t, new(Decoder), plain.WithDictionary(one), parts, body, coder)
}

func TestDictionaryRefuses(t *testing.T) {
	good := sceneDictionary(t, 1).Bytes()
	for name, b := range map[string][]byte{
		"nothing": nil, "magic": good[:4], "head": good[:dictionaryHead], "cut": good[:len(good)/4],
		"other": bytes.Repeat([]byte("dictionary"), 20),
	} {
		if _, err := NewDictionary(b); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewDictionary(append(bytes.Clone(good), make([]byte, MaxDictionary)...)); !errors.Is(err, codec.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := NewDictionaryTrainer(sceneLayout(t)).Dictionary(); err == nil {
		t.Error("a dictionary from nothing")
	}
}

// A few bytes that expand to the maximum length of a block are refused. This needs no more memory than the largest valid
// block.
func TestZstdBombIsRefused(t *testing.T) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	// The only block of a frame: its three bytes of header stand behind a frame
	// header of 4 + 1 + 4 bytes.
	frame := enc.EncodeAll(append(bytes.Repeat([]byte{maxClass + 1}, maxPlain-1), 1), nil)
	size := int(frame[9])>>3 | int(frame[10])<<5 | int(frame[11])<<13
	block := frame[12 : 12+size]
	body := appendPacked(nil, block, nil, nil)
	if len(body) > 200 {
		t.Fatalf("the bomb is %d bytes", len(body))
	}
	m, parts := NewModel(sceneLayout(t), nil), []Part{{Cur: &Group{Send: 2}, Slots: 1}}
	var d byteDecoder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		if err := d.decode(body, Zstd, m, parts); !errors.Is(err, codec.ErrMalformed) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 16*maxPlain {
		t.Errorf("%d bytes allocated", used)
	}
	if _, err := d.zip.inflate(make([]byte, maxPlain), nil); !errors.Is(err, codec.ErrTooLarge) {
		t.Errorf("a long block: %v", err)
	}
}
