package rooms

import (
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Ids and codes are unlike each other however unlucky the draw.
func TestDrawnTwice(t *testing.T) {
	n := 0
	dice := func(b []byte) {
		n++
		for i := range b {
			b[i] = byte(n / 7)
		}
	}
	h := newHouse(t, Config{Kinds: []Kind{fields(2)}, Random: dice, Key: netcode.GenerateKey(nil)})
	ids, codes := map[ID]bool{}, map[string]bool{}
	for range 8 {
		r, err := h.server.Create("field", Creation{})
		if err != nil {
			t.Fatal(err)
		}
		if ids[r.ID()] || codes[r.Code()] || r.ID() == 0 || r.Code() == "" || h.server.ByCode(r.Code()) != r {
			t.Fatalf("room %v, code %q, after %v and %v", r.ID(), r.Code(), ids, codes)
		}
		ids[r.ID()], codes[r.Code()] = true, true
	}
}
