package recording_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/recording"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// small records three segments, each with two datagrams and a message.
func small(w *recording.Writer) {
	at := noon
	for n := range 3 {
		w.Begin(at, recording.Header{Protocol: "dots/1", Lines: []string{"protocol dots/1"}, Model: "LocalSync"}, 7, []byte("welcome"))
		w.Message(at, 1, []byte("state"), true)
		w.Datagram(at, uint16(n), []byte{1, 2, byte(n)}, false)
		w.Message(at.Add(time.Second), 2, []byte("hello"), false)
		w.Check(at.Add(2*time.Second), 99)
		at = at.Add(5 * time.Second)
	}
}

func smallFile(t testing.TB) []byte {
	var b bytes.Buffer
	w := recording.NewWriter(&b, recording.Config{})
	small(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read returns how many records a client reads that begins at a time.
func read(r *recording.Reader, at time.Duration) (n int, err error) {
	if err = r.Begin(at); err != nil {
		return 0, err
	}
	for {
		var x recording.Record
		ok, err := r.Next(&x, r.Duration())
		if !ok || err != nil {
			return n, err
		}
		n++
	}
}

// A client that begins with a segment reads it with its state, and the following ones without.
func TestSegments(t *testing.T) {
	b := smallFile(t)
	r, err := recording.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if r.Duration() != 12*time.Second || len(r.Segments()) != 3 || !r.Header().Began.Equal(noon) || r.Header().Lines[0] != "protocol dots/1" {
		t.Errorf("%v, %d segments, %+v", r.Duration(), len(r.Segments()), r.Header())
	}
	for at, want := range map[time.Duration]int{0: 10, 5 * time.Second: 7, 11 * time.Second: 4} {
		if n, err := read(r, at); n != want || err != nil {
			t.Errorf("from %v: %d records, %v; want %d", at, n, err, want)
		}
		if number, welcome, _ := r.Session(); number != 7 || string(welcome) != "welcome" {
			t.Errorf("session %d, %q", number, welcome)
		}
	}
}

// A recording that is closed before anything arrived is empty, not damaged.
func TestEmptyRecording(t *testing.T) {
	var b bytes.Buffer
	if err := recording.NewWriter(&b, recording.Config{}).Close(); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, b.Len()} {
		if _, err := recording.Open(bytes.NewReader(b.Bytes()[:size]), int64(size)); !errors.Is(err, recording.ErrEmpty) {
			t.Errorf("%d bytes: got %v, want %v", size, err, recording.ErrEmpty)
		}
	}
}

// A recording of processes that were suspended for days plays on.
func TestLongPause(t *testing.T) {
	var b bytes.Buffer
	w := recording.NewWriter(&b, recording.Config{})
	w.Begin(noon, recording.Header{Protocol: "dots/1", Lines: []string{"protocol dots/1"}, Model: "LocalSync"}, 7, nil)
	w.Message(noon, 1, []byte("state"), true)
	w.Check(noon.Add(72*time.Hour), 99)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := read(r, 0); n != 2 || err != nil || r.Duration() != 72*time.Hour {
		t.Errorf("%d records of %v, %v", n, r.Duration(), err)
	}
}

// A recording that is cut at any byte plays its whole segments or is refused, and a changed byte is never played.
func TestTornAndDamaged(t *testing.T) {
	b := smallFile(t)
	segments := 0
	for n := range b {
		r, err := recording.Open(bytes.NewReader(b[:n]), int64(n))
		if err == nil {
			if len(r.Segments()) < segments {
				t.Fatalf("%d bytes have %d segments, fewer have %d", n, len(r.Segments()), segments)
			}
			segments = len(r.Segments())
		} else if !errors.Is(err, recording.ErrFormat) && n > 0 || segments > 0 {
			t.Fatalf("%d bytes: %v", n, err)
		}
		damaged := bytes.Clone(b)
		damaged[n] ^= 0x41
		if r, err = recording.Open(bytes.NewReader(damaged), int64(len(b))); err != nil {
			continue
		}
		for at := time.Duration(0); at < 15*time.Second; at += 5 * time.Second {
			if n, err := read(r, at); err == nil && n != 10 && n != 7 && n != 4 && len(r.Segments()) == 3 {
				t.Fatalf("%d records from %v", n, at)
			}
		}
	}
	if segments != 3 {
		t.Errorf("%d segments", segments)
	}
}

// full is a disk with room for some bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

// A full disk ends the recording with one error, and the match continues.
func TestFullDisk(t *testing.T) {
	w := recording.NewWriter(&full{room: 300}, recording.Config{})
	small(w)
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "no space left") || !w.Ended() {
		t.Error(err)
	}
	if _, err := recording.Create(t.TempDir()+"/no/such", recording.Config{}); err == nil || !strings.Contains(err.Error(), "no/such: no such file") {
		t.Error(err)
	}
}

// A ring keeps at least its length, and at most one more segment.
func TestRing(t *testing.T) {
	r := recording.NewRing(10*time.Second, recording.Config{})
	for i := range 100 {
		at := noon.Add(time.Duration(i) * time.Second)
		if r.Due(at) {
			r.Begin(at, recording.Header{}, 1, nil)
		}
		r.Datagram(at, uint16(i), []byte{byte(i)}, false)
		if i < 1 {
			continue
		}
		x, err := r.Recording()
		if err != nil {
			t.Fatal(err)
		}
		first := x.Segments()[0].Start
		if got := time.Duration(i)*time.Second - first; x.Duration() != time.Duration(i)*time.Second || got < min(10*time.Second, x.Duration()) || got > 20*time.Second {
			t.Fatalf("after %d s it keeps from %v to %v", i, first, x.Duration())
		}
	}
}

// countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	read int64
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	c.read += int64(len(b))
	return c.ReaderAt.ReadAt(b, at)
}

// Opening a recording without an index reads the heads of its segments, and the contents of the first and the last one only. A
// damaged last segment is left out.
func TestOpenWithoutIndexReadsHeads(t *testing.T) {
	var file bytes.Buffer
	w := recording.NewWriter(&file, recording.Config{})
	noise := rand.New(rand.NewPCG(1, 2))
	for n := range 13 { // as many as may wait to be written
		at := noon.Add(time.Duration(5*n) * time.Second)
		w.Begin(at, recording.Header{Protocol: "dots/1"}, 7, []byte("welcome"))
		for k := range 10 {
			payload := make([]byte, 1000)
			for i := range payload {
				payload[i] = byte(noise.Uint32())
			}
			w.Datagram(at.Add(time.Duration(k)*time.Second/10), uint16(n), payload, false)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := file.Bytes()
	whole, err := recording.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	all := whole.Segments()
	last := all[len(all)-1]
	b = b[:last.Offset+last.Size]
	c := &countingReader{ReaderAt: bytes.NewReader(b)}
	r, err := recording.Open(c, int64(len(b)))
	if err != nil || len(r.Segments()) != len(all) || r.Duration() != whole.Duration() {
		t.Fatalf("%v, %d segments of %d, %v", err, len(r.Segments()), len(all), r.Duration())
	}
	if limit := all[0].Offset + all[0].Size + last.Size + int64(len(all))*100 + 1000; len(all) != 13 || c.read > limit {
		t.Errorf("read %d bytes of %d, want up to %d for %d segments", c.read, len(b), limit, len(all))
	}
	b[len(b)-5] ^= 0x41
	if r, err = recording.Open(bytes.NewReader(b), int64(len(b))); err != nil || len(r.Segments()) != len(all)-1 || r.Duration() <= all[len(all)-2].Start {
		t.Errorf("damaged: %v, %d segments, %v", err, len(r.Segments()), r.Duration())
	}
}

// No bytes make a reader panic or take more memory than they may.
func FuzzOpen(f *testing.F) {
	b := smallFile(f)
	f.Add(b)
	f.Add(b[:len(b)-30])
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := recording.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, s := range r.Segments() {
			if _, err := read(r, s.Start); err != nil && !errors.Is(err, recording.ErrFormat) {
				t.Fatal(err)
			}
		}
	})
}
