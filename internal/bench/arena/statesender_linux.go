package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// The state of a send tick, as sent by the server's process, little-endian:
//
//	tick u32 │ entities u32 │ for each: id u32 │ x f32 │ y f32 │ heading u16 │ health u8 │ 0 u8
const (
	truthHead    = 8
	truthRowSize = 16
)

// stateSender sends the state of each send tick to the process with the clients.
type stateSender struct {
	steps   uint32 // ticks between two send ticks
	newest  uint32 // newest send tick sent
	free    chan []byte
	full    chan []byte
	written chan struct{}
	leftOut atomic.Uint64
}

// newStateSender starts to write states to a file and closes it at the end.
func newStateSender(to *os.File) *stateSender {
	const most = 16 // send ticks waiting to be written
	t := &stateSender{free: make(chan []byte, most), full: make(chan []byte, most), written: make(chan struct{})}
	for range most {
		t.free <- nil
	}
	go func() {
		defer close(t.written)
		defer to.Close()
		for b := range t.full {
			if _, err := to.Write(b); err != nil {
				t.leftOut.Add(1) // the reader has ended
			}
			t.free <- b[:0]
		}
	}()
	return t
}

func (t *stateSender) close() {
	close(t.full)
	<-t.written
}

// step is a system after Snapshot. It sends the world at each send tick.
func (t *stateSender) step(w *ecs.World, s *systems.Server) {
	if t.steps == 0 {
		c := s.Config()
		t.steps = uint32(c.TickRate / c.Snapshots.SendRate)
	}
	send := s.Tick() / t.steps
	if send == t.newest {
		return
	}
	t.newest = send
	var b []byte
	select {
	case b = <-t.free:
	default:
		t.leftOut.Add(1)
		return
	}
	b = binary.LittleEndian.AppendUint32(b, s.Tick())
	b = binary.LittleEndian.AppendUint32(b, 0)
	n := uint32(0)
	for e, r := range ecs.All[toldRow](w) {
		b = binary.LittleEndian.AppendUint32(b, uint32(w.NetID(e)))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(r.Pos.X))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(r.Pos.Y))
		b = binary.LittleEndian.AppendUint16(b, r.Head.Angle)
		b = append(b, r.Health.Points, 0)
		n++
	}
	binary.LittleEndian.PutUint32(b[4:], n)
	t.full <- b
}

// told is the state of one send tick.
type told struct {
	tick uint32 // the state is after this tick
	send uint32 // number of the send tick
	at   map[components.NetID]row
}

// row is the sent state of an entity.
type row struct {
	x, y    float32
	heading uint16
	health  uint8
}

// maxTold is the largest number of entities in a state.
const maxTold = 1 << 20

// readTold reads a state into the memory of another, which may be nil. The error at the end of the file is [io.EOF].
func readTold(from *bufio.Reader, into *told) (*told, error) {
	var head [truthHead]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[4:])
	if n > maxTold {
		return nil, fmt.Errorf("the server's process tells of %d entities", n)
	}
	if into == nil {
		into = &told{at: make(map[components.NetID]row, n)}
	}
	into.tick = binary.LittleEndian.Uint32(head[:])
	clear(into.at)
	var b [truthRowSize]byte
	for range n {
		if _, err := io.ReadFull(from, b[:]); err != nil {
			return nil, errors.Join(io.ErrUnexpectedEOF, err)
		}
		into.at[components.NetID(binary.LittleEndian.Uint32(b[:]))] = row{
			math.Float32frombits(binary.LittleEndian.Uint32(b[4:])), math.Float32frombits(binary.LittleEndian.Uint32(b[8:])),
			binary.LittleEndian.Uint16(b[12:]), b[14],
		}
	}
	return into, nil
}
