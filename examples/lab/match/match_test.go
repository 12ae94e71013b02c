package match

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
)

// counts returns the numbers of rows of the server and of each client.
func counts(b []byte) (n []int) {
	for len(b) > 0 {
		rows := int(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		n = append(n, rows)
		b = b[4+rows*6*4:]
	}
	return n
}

// Under every model, each client joins over a bad link and draws what the server has. The figures show the link.
func TestMatch(t *testing.T) {
	for _, model := range policy.Presets() {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			m, err := New(model.String())
			if err != nil {
				t.Fatal(err)
			}
			m.SetLink(0.15, 0.02, 0.02, true)
			for range 5 * 60 {
				if err := m.Advance(1. / 60); err != nil {
					t.Fatal(err)
				}
			}
			all := counts(m.Rows())
			for _, n := range all {
				if len(all) != 1+players || n != players+drones {
					t.Fatalf("rows: %v", all)
				}
			}
			for _, f := range m.Figures(5) {
				if f.Client == 0 || f.RoundTrip < 0.1 || f.RoundTrip > 0.25 || f.Down < 100 || f.Up < 100 {
					t.Errorf("%+v", f)
				}
			}
			for _, f := range m.Figures(1) {
				if f.Down != 0 || f.Corrections != 0 {
					t.Errorf("the call before did not begin anew: %+v", f)
				}
			}
		})
	}
	if _, err := New("Hope"); err == nil {
		t.Error("an unknown model")
	}
}
