package host_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// FuzzHost makes calls in any order between the frames of a match, with any lengths, numbers and times. Each succeeds or
// returns an error. A call is encoded as its number, the length of its bytes, and the bytes. Afterwards the match continues,
// unless the host was closed.
func FuzzHost(f *testing.F) {
	in, text, name := bytesOf(keys{DX: 1, Jump: true}), bytesOf(said{}), bytesOf(rename{})
	f.Add(calls(call{9, nil}, call{0, in}, call{9, nil}, call{4, text}, call{5, bytesOf(bang{1})}, call{6, name}, call{9, nil}))
	f.Add(calls(call{1, u64(0)}, call{1, u64(math.MaxUint64)}, call{2, u64(1 << 63)}, call{2, u64(7)}, call{9, nil}))
	f.Add(calls(call{0, nil}, call{0, in[1:]}, call{3, []byte("no datagram")}, call{3, make([]byte, 200)}, call{9, nil}, call{7, []byte{200, 1, 2, 3}}))
	f.Add(calls(call{8, nil}, call{0, in}, call{4, text}, call{6, name}, call{8, nil}, call{9, nil}))
	f.Add(calls(call{9, nil}, call{10, nil}, call{9, nil}, call{4, text}))
	f.Fuzz(func(t *testing.T, script []byte) {
		m := newMatch(t, protocol(), systems.ServerConfig{})
		k := m.join(protocol(), netsys.Link{}, m.config())
		m.play(200*time.Millisecond, 60, nil)
		closed, frames := false, 0
		for len(script) >= 2 {
			what, n := script[0], min(int(script[1]), len(script)-2)
			b := script[2 : 2+n]
			script = script[2+n:]
			number := int(int32(numberOf(b)))
			at := time.Unix(0, int64(numberOf(b)))
			switch what % 11 {
			case 0:
				_ = k.SetInput(b)
			case 1:
				// A time in the future would be one: those after it would go back.
				if ticks, err := k.Advance(at); at.Before(m.now) && err == nil {
					t.Fatalf("%d ticks at %v", ticks, at)
				} else if !errors.Is(err, host.ErrTime) {
					return
				}
			case 2:
				if err := k.Frame(at); at.Before(m.now) && err == nil {
					t.Fatalf("a frame at %v", at)
				} else if !errors.Is(err, host.ErrTime) {
					return
				}
			case 3:
				_ = k.wire.Push(m.now, b)
				_ = k.wire.Push(at, b)
			case 4:
				_ = k.Send(number%3, b)
				_ = k.Send(0, b)
			case 5:
				_ = k.Raise(number%3, b)
				_ = k.Raise(0, b)
			case 6:
				_ = k.Command(number%3, b)
				_ = k.Command(0, b)
			case 7:
				_ = k.Single(number)
				_ = k.Value(host.News{At: uint32(number), Size: uint32(number >> 3)})
			case 8:
				_ = k.Close()
				closed = true
			case 9:
				if frames++; frames < 50 {
					m.now = m.now.Add(time.Second / 60)
					m.frame()
				}
			case 10:
				k.lost = !k.lost
			}
		}
		k.lost = false
		m.play(time.Second, 60, nil)
		if reason, text := k.End(); !closed && reason != host.Going {
			t.Fatalf("it ended: %d %s", reason, text)
		}
	})
}

// call is one of a script.
type call struct {
	what  byte
	bytes []byte
}

func calls(list ...call) (script []byte) {
	for _, c := range list {
		script = append(append(script, c.what, byte(len(c.bytes))), c.bytes...)
	}
	return script
}

func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// numberOf returns a number of up to eight bytes.
func numberOf(b []byte) uint64 {
	var eight [8]byte
	copy(eight[:], b)
	return binary.LittleEndian.Uint64(eight[:])
}
