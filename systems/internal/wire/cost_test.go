package wire

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// turner has a word of each kind that can move.
type turner struct {
	Fire   bool
	Stick  int8    `net:"-100..100"`
	Aim    uint16  `net:"0..65535"`
	Degree int16   `net:"0..359 angle"`
	Turn   float32 `net:"degrees 0.5"`
}

// Inputs that continue as before cost nothing, even across the end of their range. A change costs only its own bits.
func TestInputChangesCostThemselves(t *testing.T) {
	table := tableFor[turner](t)
	c, b := NewInputCoder(table), NewInputBases(table.Words)
	var log []int32
	at, seq, turn := turner{Degree: 350}, uint16(0), int16(0)
	var sizes []int
	for n := range uint16(400) {
		switch n {
		case 100:
			at.Fire = true
		case 200:
			at.Stick = 50
		case 300:
			turn = 7
		}
		at.Aim += uint16(turn) * 39
		at.Degree = (at.Degree + turn + 360) % 360
		at.Turn = float32((int(at.Turn*2)+int(turn)*5)%720) / 2
		words := make([]int32, table.Words)
		table.Quantize(words, table.Words, unsafe.Pointer(&at), 1)
		log = append(log, words...)
		m := &Input{Newest: n, Count: min(6, int(n)+1)}
		m.Words = log[len(log)-m.Count*table.Words:]
		msg := c.Append(nil, m, seq, b)
		b.Put(seq, m, c.State)
		b.Ack(seq - 5)
		seq++
		sizes = append(sizes, len(msg))
	}
	for n, size := range sizes {
		since := n % 100
		switch want := 1; {
		case n < 100:
		case since < 6: // not all of these messages' inputs are behind the change
			if want = []int{0, 3, 4, 8}[n/100]; size > want || size == 1 {
				t.Errorf("%d ticks after a change, message %d has %d bytes, at most %d are due", since, n, size, want)
			}
		default:
			if size != want {
				t.Errorf("message %d has %d bytes, and nothing changed", n, size)
			}
		}
	}
}

// Encoding and decoding inputs allocates nothing.
func TestInputsAllocateNothing(t *testing.T) {
	table := tableFor[every](t)
	p := newModelPlayer(table, rand.New(rand.NewPCG(1, 1)))
	s := &modelServer{Coder: NewInputCoder(table), Bases: NewInputBases(table.Words)}
	for range 200 {
		p.Gather()
	}
	m := &Input{Words: make([]int32, 0, MaxRedundancy*table.Words)}
	buf, seq, n := make([]byte, 0, 1<<16), uint16(0), 1
	once := func() {
		m.Words = m.Words[:0]
		for i := range 8 {
			m.Words = append(m.Words, p.Log[(n+i)%200+1]...)
		}
		n++
		m.Count, m.Newest = 8, uint16(n)
		buf = p.Coder.Append(buf[:0], m, seq, p.Bases)
		p.Bases.Put(seq, m, p.Coder.State)
		p.Bases.Ack(seq)
		if err := s.Coder.Read(buf, &s.M, seq, s.Bases); err != nil {
			t.Fatal(err)
		}
		s.Bases.Put(seq, &s.M, s.Coder.State)
		seq++
	}
	once()
	if n := testing.AllocsPerRun(300, once); n != 0 {
		t.Errorf("%.0f allocations a message", n)
	}
}
