package lagcomp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/tactusgo/tactus/systems/lagcomp"
)

func TestNewClaim(t *testing.T) {
	for _, c := range []struct {
		drawn    float64
		from, to uint32
		want     lagcomp.Claim
	}{
		{100.5, 99, 102, lagcomp.Claim{100*256 + 128, 3, 1, 1}},
		{100, 99, 102, lagcomp.Claim{100 * 256, 3, 1, 1}},
		{102, 99, 105, lagcomp.Claim{102 * 256, 3, 2, 2}},
		{100, 100, 0, lagcomp.Claim{100 * 256, 1, 1, 0}}, // not a multiple of 3
		{65536 + 7.999, 65536 + 5, 65536 + 8, lagcomp.Claim{7*256 + 255, 3, 1, 1}},
		{100.5, 0, 0, lagcomp.Claim{100*256 + 128, 3, 31, 0}},
		{100.5, 102, 105, lagcomp.Claim{100*256 + 128, 3, 31, 0}},
		{101.5, 99, 100, lagcomp.Claim{101*256 + 128, 1, 31, 0}},
		{400, 399, 799, lagcomp.Claim{400 * 256, 1, 31, 0}},
		{400, 371, 401, lagcomp.Claim{400 * 256, 1, 30, 30}},
		{400, 370, 400, lagcomp.Claim{400 * 256, 1, 31, 0}},
		{900, 900, 993, lagcomp.Claim{900 * 256 % (1 << 24), 3, 31, 0}},
		{0, 0, 0, lagcomp.Claim{}},
		{-3, 0, 3, lagcomp.Claim{}},
		{math.NaN(), 9, 12, lagcomp.Claim{}},
		{math.Inf(1), 9, 12, lagcomp.Claim{}},
	} {
		got := claimOf(c.drawn, c.from, c.to)
		if got != c.want || got.Made() != (c.want != lagcomp.Claim{}) {
			t.Errorf("%v between %d and %d is %+v, want %+v", c.drawn, c.from, c.to, got, c.want)
		}
		if c := lagcomp.NewClaim(c.drawn, c.from, c.to, 0); c.Made() {
			t.Errorf("sends of no ticks: %+v", c)
		}
		b := got.Append([]byte{9})
		back, rest, err := lagcomp.ParseClaim(append(b[1:len(b):len(b)], 7))
		if back != got || !bytes.Equal(rest, []byte{7}) || err != nil || len(b) != 1+lagcomp.ClaimSize {
			t.Errorf("%+v came back as %+v before % x, %v", got, back, rest, err)
		}
	}
}

func TestParseClaimRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":           nil,
		"a byte short":      {1, 2, 3, 4, 5},
		"a tick not said":   {0, 1, 0, 0, 0, 0},
		"ahead not said":    {0, 0, 0, 0, 0, 1},
		"ahead not known":   {1, 0, 0, 3, 31, 1},
		"a part not said":   {7, 0, 0, 0, 0, 0},
		"all but what says": {1, 1, 1, 3, 0, 1},
		"every 0 ticks":     {1, 1, 1, 0, 1, 1},
		"back beyond":       {1, 1, 1, 3, 32, 1},
		"ahead beyond":      {1, 1, 1, 3, 1, 32},
	} {
		if c, rest, err := lagcomp.ParseClaim(b); !errors.Is(err, lagcomp.ErrClaim) || c != (lagcomp.Claim{}) || len(rest) != len(b) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	for _, c := range []lagcomp.Claim{{At: 7, Ahead: 3}, {At: 7, Back: 31, Ahead: 3}} {
		if _, _, err := lagcomp.ParseClaim(c.Append(nil)); err != nil {
			t.Errorf("%+v: %v", c, err) // what inputs hold need not be in order
		}
	}
}

func TestClampString(t *testing.T) {
	for c, want := range map[lagcomp.Clamp]string{lagcomp.Believed: "believed", lagcomp.Backwards: "backwards", lagcomp.Unclaimed: "unclaimed"} {
		if c.String() != want {
			t.Errorf("%d is %q", c, c)
		}
	}
}

// Arbitrary bytes are refused, or are a bounded claim with the same encoding. A tick whose high byte is from 1 to 127 counts
// relative to the present, because nearly all others would be clamped.
func FuzzClaims(f *testing.F) {
	var honest []byte
	for tick := range 20 {
		at := float64(tick) + 2.25
		honest = claimOf(at, uint32(at)/3*3, uint32(at)/3*3+3).Append(honest)
	}
	f.Add(honest)
	f.Add(claimOf(60000, 59990, 60003).Append(claimOf(3, 3, 6).Append(nil)))
	f.Add(bytes.Repeat([]byte{255}, 50))
	f.Add(bytes.Repeat([]byte{0, 40, 0, 3, 31, 0}, 8))
	f.Add(bytes.Repeat([]byte{128, 0xfb, 1, 3, 2, 1}, 40)) // five ticks ago
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newStage(t, 4, bounded())
		s.run(int(uint(len(b)) % 50))
		last := 0.0
		for n := 0; n < 100 && len(b) >= lagcomp.ClaimSize; n++ {
			s.step()
			said := bytes.Clone(b)
			if said[2] > 0 && said[2] < 128 {
				binary.LittleEndian.PutUint16(said[1:], uint16(s.tick)+uint16(int8(said[1])%32))
			}
			c, rest, err := lagcomp.ParseClaim(said)
			if err != nil {
				b = b[1:]
				continue
			}
			if again := c.Append(nil); !bytes.Equal(again, said[:lagcomp.ClaimSize]) {
				t.Fatalf("% x came back as % x", said[:lagcomp.ClaimSize], again)
			}
			b = rest
			within(t, s, s.comp.As(1, c), &last)
			s.comp.AsAfter(1, c, c.At/lagcomp.Parts)
		}
	})
}
