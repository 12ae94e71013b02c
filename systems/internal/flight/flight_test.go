package flight

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

// notes records all calls.
type notes struct {
	list []string
	stop int // stops after so many hashes
}

func (n *notes) add(format string, v ...any) { n.list = append(n.list, fmt.Sprintf(format, v...)) }

func (n *notes) Message(client uint32, channel int, message []byte) {
	n.add("message %d %d %q", client, channel, message)
}

func (n *notes) Outside(index int) error {
	n.add("outside %d", index)
	if index == 666 {
		return errors.New("no such system")
	}
	return nil
}

func (n *notes) Hash(sum uint64) bool {
	n.add("hash %x", sum)
	n.stop--
	return n.stop != 0
}

func (n *notes) Claim(kind ClaimKind, client, number uint32) {
	n.add("claim %d %d %d", kind, client, number)
}

func (n *notes) Entry(e commands.Entry) { n.add("entry %d %d %q", e.Kind, e.Player, e.Value) }

func (n *notes) Alone(p *Player) { n.add("alone %v", *p) }

func (n *notes) Run(players []Player, cut bool) bool {
	n.add("run %v %v", players, cut)
	return true
}

// read returns the happenings of all segments.
func read(t testing.TB, b []byte) (x *File, list []string) {
	t.Helper()
	x, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Segments {
		s := &x.Segments[i]
		save, err := s.Save()
		if err != nil {
			t.Fatal(err)
		}
		n := &notes{}
		n.add("checkpoint %d %s", s.Tick, save)
		ok, err := s.Ticks(i == len(x.Segments)-1, n)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		list = append(list, n.list...)
	}
	return x, list
}

// saveOf returns a save.
func saveOf(text string) func(dst []byte) []byte {
	return func(dst []byte) []byte { return append(dst, text...) }
}

// sample returns a log in the middle of a tick.
func sample() *Log {
	l := New(Config{Length: 100, Every: 10, MaxBytes: 1 << 20, Neutral: make([]int32, 2)})
	l.Hold(9, 9, []int32{9, 9}) // before the first checkpoint nothing is kept
	l.Run()
	l.Checkpoint(5, saveOf("five"), saveOf("claims"))
	l.Hash(0xabc)
	l.Entry(commands.Entry{Tick: 5, Kind: commands.Join, Player: 1, Value: "login"})
	l.Hold(1, 7, []int32{-3, 1 << 30})
	l.Skip(2)
	l.Run()
	l.Message(1, 2, []byte("hello"))
	l.Claim(Recorded, 0, 6)
	l.Outside(3)
	l.Hold(1, 8, []int32{-3, 1 << 30}) // as expected
	l.Hold(2, 1, []int32{4, 0})
	l.Run()
	l.Checkpoint(7, saveOf("seven"), nil)
	l.Hold(3, 20, []int32{1, 1}) // first
	l.Hold(2, 2, []int32{4, 0})  // 1 is gone
	l.Alone(2)
	l.Hold(2, 3, []int32{0, 0})
	l.Run()
	at := l.Message(2, 1, []byte("too many"))
	l.Remove(at)
	l.Hold(2, 9, []int32{0, 5}) // before 3, and with a gap
	l.Hold(3, 21, []int32{1, 1})
	return l
}

var header = Header{Protocol: "game/1", Lines: 77, Model: "Rollback", TickRate: 60, SendRate: 20, Words: 2, Reason: "test"}

func TestFlight(t *testing.T) {
	l := sample()
	x, got := read(t, l.Capture(header, 0, nil)())
	want := []string{
		"checkpoint 5 five", "hash abc", `entry 1 1 "login"`, "run [{1 7 [-3 1073741824] false} {2 0 [0 0] true}] false",
		`message 1 2 "hello"`, "claim 3 0 6", "outside 3", "run [{1 8 [-3 1073741824] false} {2 1 [4 0] false}] false",
		"checkpoint 7 seven", "alone {2 2 [4 0] false}", "run [{3 20 [1 1] false} {2 3 [0 0] false}] false",
		"run [{2 9 [0 5] false} {3 21 [1 1] false}] true",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !reflect.DeepEqual(x.Header, header) {
		t.Errorf("header %+v", x.Header)
	}
	if b, err := x.Segments[0].Claims(); err != nil || string(b) != "claims" {
		t.Errorf("claims %q, %v", b, err)
	}
	if b, err := x.Segments[1].Claims(); err != nil || b != nil {
		t.Errorf("claims of the second segment %q, %v", b, err)
	}
	// With a last checkpoint the log continues as before, and the file has one more segment.
	h := header
	h.Panic, h.PanicTick, h.Stack = "boom", 8, []string{"main.f:3", "main.g:9"}
	if x, got = read(t, l.Capture(h, 8, saveOf("end"))()); len(got) != len(want) || got[len(got)-1] != "checkpoint 8 end" || !reflect.DeepEqual(x.Header, h) {
		t.Errorf("got\n%s\n%+v", strings.Join(got, "\n"), x.Header)
	}
}

// The oldest segments are dropped when the others are long enough, and when there is no room.
func TestLogIsARing(t *testing.T) {
	r := uint32(1)
	noise := func(n int) string { // which cannot be compressed
		b := make([]byte, n)
		for i := range b {
			r = r*1664525 + 1013904223
			b[i] = byte(r >> 24)
		}
		return string(b)
	}
	run := func(c Config, save int) *Log {
		l := New(c)
		for tick := range uint32(200) {
			if l.Due(tick) {
				l.Checkpoint(tick, saveOf(noise(save)), nil)
			}
			l.Message(1, 0, []byte(noise(1000)))
			l.Hold(1, tick, nil)
			l.Run()
		}
		return l
	}
	first := func(l *Log) (tick uint32, segments int) {
		x, list := read(t, l.Capture(Header{}, 0, nil)())
		if len(list) == 0 {
			t.Error("nothing happened")
		}
		return x.Segments[0].Tick, len(x.Segments)
	}
	if tick, n := first(run(Config{Length: 50, Every: 10, MaxBytes: 1 << 20}, 10)); tick != 140 || n != 6 {
		t.Errorf("%d segments from tick %d on", n, tick)
	}
	l := run(Config{Length: 150, Every: 10, MaxBytes: 64 << 10}, 10)
	if tick, n := first(l); tick < 130 || tick > 150 || n < 5 || l.Bytes() > 80<<10 {
		t.Errorf("%d segments from tick %d on, %d bytes", n, tick, l.Bytes())
	}
	if tick, n := first(run(Config{Length: 150, Every: 100, MaxBytes: 64 << 10}, 10)); tick < 100 || n < 2 {
		t.Errorf("%d segments from tick %d on: much happened, and there is no checkpoint", n, tick)
	}
}

// In steady state the log allocates nothing.
func TestLogAllocatesNothing(t *testing.T) {
	l := New(Config{Length: 1000, Every: 200, MaxBytes: 1 << 20, Neutral: make([]int32, 3)})
	tick := uint32(0)
	step := func() {
		l.Hash(uint64(tick))
		for k := range uint32(50) {
			l.Hold(k, tick, []int32{int32(k * tick), 1, int32(tick)})
		}
		l.Skip(99)
		l.Run()
		tick++
	}
	for range 1000 {
		if l.Due(tick) {
			l.Checkpoint(tick, saveOf("save"), nil)
		}
		step()
	}
	l.Checkpoint(tick, saveOf("save"), nil)
	if n := testing.AllocsPerRun(150, step); n > 0 {
		t.Errorf("%.1f allocations per tick", n)
	}
}

// A file that is truncated anywhere, has an additional byte, or is of another version is refused.
func TestDamagedFiles(t *testing.T) {
	b := sample().Capture(header, 8, saveOf("end"))()
	for n := range b {
		if _, err := Parse(b[:n]); !errors.Is(err, ErrFlight) {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
	plain, err := compression.Decompress(b, MaxFile)
	if err != nil {
		t.Fatal(err)
	}
	for n := range plain {
		if _, err := Parse(compression.Compress(plain[:max(n, 1)])); !errors.Is(err, ErrFlight) {
			t.Fatalf("%d of %d plain bytes: %v", n, len(plain), err)
		}
	}
	older := append([]byte(mark), version+1)
	for want, bad := range map[string][]byte{
		"damaged": append(plain, 0), "version 4": append(older, plain[len(older):]...), "not a flight": []byte("tactus save something"),
	} {
		if _, err := Parse(compression.Compress(bad)); !errors.Is(err, ErrFlight) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// segmentOf returns a segment with happenings.
func segmentOf(words int, events ...byte) *Segment {
	return &Segment{words: words, events: compression.Compress(append(events, opEnd)), save: compression.Compress([]byte{0})}
}

func TestDamagedHappenings(t *testing.T) {
	for name, events := range map[string][]byte{
		"unknown code": {99, 0}, "unknown player": {opHold, 1, 0}, "cut off": {opHash, 1, 2, 3}, "long message": {opMessage, 1, 1, 200},
		"unknown kind": {opEntry, 7, 1, 0}, "unknown claim": {opClaim, 9, 1, 1}, "refused system": {opOutside, 0x9a, 5}, "large number": {opSkip, 255, 255, 255, 255, 255, 255, 1},
	} {
		if _, err := segmentOf(1, events...).Ticks(false, &notes{}); !errors.Is(err, ErrFlight) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ok, err := segmentOf(0, binary.LittleEndian.AppendUint64([]byte{opHash}, 1)...).Ticks(false, &notes{stop: 1}); ok || err != nil {
		t.Errorf("a handler that stops: %v, %v", ok, err)
	}
	s := Segment{events: []byte("no frame"), save: []byte("no frame")}
	if _, err := s.Ticks(false, &notes{}); !errors.Is(err, ErrFlight) {
		t.Error(err)
	}
	if _, err := s.Save(); !errors.Is(err, ErrFlight) {
		t.Error(err)
	}
}

// quiet ignores all calls.
type quiet struct{ notes }

func (q *quiet) Run(players []Player, _ bool) bool {
	if len(players) > 0 && players[0].Words == nil {
		panic("a player without words")
	}
	q.list = q.list[:0]
	return true
}

func FuzzParse(f *testing.F) {
	f.Add(compression.Compress([]byte(mark)), false)
	plain, err := compression.Decompress(sample().Capture(header, 8, saveOf("end"))(), MaxFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain, true)
	f.Fuzz(func(t *testing.T, b []byte, compress bool) {
		if compress && len(b) > 0 {
			b = compression.Compress(b)
		}
		x, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrFlight) {
				t.Fatal(err)
			}
			return
		}
		for i := range x.Segments {
			_, _ = x.Segments[i].Save()
			if _, err := x.Segments[i].Ticks(true, &quiet{}); err != nil && !errors.Is(err, ErrFlight) {
				t.Fatal(err)
			}
		}
	})
}

func FuzzTicks(f *testing.F) {
	f.Add([]byte(sample().current().events), uint8(2))
	f.Fuzz(func(t *testing.T, events []byte, words uint8) {
		s := segmentOf(1+int(words), events...)
		if _, err := s.Ticks(true, &quiet{}); err != nil && !errors.Is(err, ErrFlight) {
			t.Fatal(err)
		}
	})
}
