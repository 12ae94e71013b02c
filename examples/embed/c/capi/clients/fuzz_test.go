package clients

import (
	"encoding/binary"
	"math"
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/host"
)

func servers() []netip.AddrPort { return []netip.AddrPort{address} }

// FuzzClients makes calls in any order, for any numbers, with any lengths and times, between frames of a match. Each call
// is its number, a byte that chooses the client, a length of the bytes that follow, and these. Each ends well, or in an
// error; views lead to memory that is there; and who is not closed plays on.
func FuzzClients(f *testing.F) {
	add := func(calls ...[]byte) {
		var script []byte
		for _, c := range calls {
			script = append(script, c...)
		}
		f.Add(script)
	}
	call := func(what, which byte, b ...byte) []byte { return append([]byte{what, which, byte(len(b))}, b...) }
	time8 := func(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
	in := make([]byte, unsafe.Sizeof(game.Action{}))
	add(call(0, 0), call(1, 0, in...), call(9, 0), call(2, 0, time8(1)...), call(2, 0, time8(math.MaxInt64)...), call(9, 0))
	add(call(1, 0, in[1:]...), call(1, 1, in...), call(1, 9, in...), call(5, 0, in...), call(6, 0), call(7, 0), call(4, 0))
	add(call(4, 0, make([]byte, 81)...), call(9, 0), call(8, 0), call(8, 0), call(9, 0), call(0, 1), call(9, 0))
	add(call(3, 0, time8(-1)...), call(3, 0, time8(math.MinInt64)...), call(9, 0), call(10, 0, 1, 2, 3), call(0, 0, in...))
	f.Fuzz(func(t *testing.T, script []byte) {
		m := newMatch(t)
		list := []uint32{m.open(1), m.open(2)}
		m.play(300*time.Millisecond, nil, list...)
		frames := 0
		for len(script) >= 3 {
			what, which, n := script[0], script[1], min(int(script[2]), len(script)-3)
			b := script[3 : 3+n]
			script = script[3+n:]
			var eight [8]byte
			copy(eight[:], b)
			number := int64(binary.LittleEndian.Uint64(eight[:]))
			client := uint32(number)
			if int(which) < len(list) {
				client = list[which]
			}
			later := number == 0 || number >= m.at()
			switch what % 11 {
			case 0:
				if len(list) < 4 {
					if n, err := m.Open(Options{Server: string(b), Flags: uint32(which), Login: b, Now: m.at()}); err == nil {
						list = append(list, n)
					}
				}
			case 1:
				if code := m.SetInput(client, b); code == OK && len(b) != len(in) {
					t.Fatalf("an input of %d bytes", len(b))
				}
			case 2: // a time in the future would be one: those after it would go back
				if !later && m.Advance(client, number) >= 0 {
					t.Fatalf("ticks at %d", number)
				}
			case 3:
				if !later && m.Frame(client, number) != nil {
					t.Fatalf("a frame at %d", number)
				}
			case 4:
				m.Send(client, uint32(number)%3, b)
				m.Send(client, 0, b)
			case 5:
				m.Raise(client, uint32(number), b)
			case 6:
				m.Command(client, uint32(number)%3, b)
				m.Command(client, 0, b)
			case 7:
				m.End(client)
				m.Text(client)
				m.Next(client)
				m.Refuse(client)
			case 8:
				m.Close(client)
			case 9:
				if frames++; frames < 50 {
					m.play(time.Second/60, m.look, list...)
				}
			case 10:
				m.held = !m.held
			}
		}
		m.held = false
		m.play(500*time.Millisecond, m.look, list...)
		for _, n := range list[:2] {
			if reason := m.End(n); reason > 0 {
				t.Fatalf("client %#x ended: %d", n, reason)
			}
		}
	})
}

// look reads what a view leads to.
func (m *match) look(v *View) {
	sum := 0.0
	for i := range v.tables() {
		t := &v.tables()[i]
		for _, p := range column[game.Player](m, t) {
			sum += float64(p.Kills)
		}
		for _, h := range unsafe.Slice((*uint64)(unsafe.Pointer(t.Handles)), t.Rows) {
			sum += float64(h)
		}
	}
	for _, x := range unsafe.Slice(v.News, v.NewsCount) {
		if x.Kind > host.NewsRefused || uint64(x.At)+uint64(x.Size) > uint64(v.ValuesSize) {
			m.t.Fatalf("%+v, of %d bytes", x, v.ValuesSize)
		}
	}
	if math.IsInf(sum, 0) {
		m.t.Fatal("no numbers")
	}
}
