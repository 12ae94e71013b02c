package netsys_test

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
)

// heap is what is in use after a collection.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A client that reads everything and acknowledges nothing: datagrams go on, reliable messages are refused once the
// queue is full, unreliable ones are dropped, the rate of the channels falls to its floor, and memory stays where
// the queues put it. Others do not notice. The game sees it, and throws the client out.
func TestSlowReader(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{})
	honest := s.seat(1, netsys.Link{})
	r := s.intrude(66)
	slow := s.sessionOf(66)
	message := make([]byte, 1000)
	refused, taken, sent := 0, 0, 0
	second := func() {
		s.run(time.Second, func() {
			honest.everything()
			if _, err := slow.Send(s.now, message); err != nil {
				t.Fatal(err)
			}
			sent++
			for _, number := range []int{eventChannel, messageChannel, signalChannel, stateChannel} {
				switch err := slow.Channels().Send(number, message); {
				case errors.Is(err, channel.ErrFull):
					refused++
				case err != nil:
					t.Fatal(err)
				default:
					taken++
				}
			}
			r.send(channelsKind, nil)
			r.poll()
		})
	}
	for range 10 {
		second()
	}
	before := heap()
	for range 60 {
		second()
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("the heap grew by %d kB in a minute", grown>>10)
	}
	stats := slow.Channels().Stats()
	for _, number := range []int{eventChannel, messageChannel} {
		config := slow.Channels().Config().Channels[number]
		if c := slow.Channels().Channel(number); c.QueuedBytes > config.QueueBytes || c.Queued > config.Queue || c.Refused == 0 {
			t.Errorf("channel %d: %+v", number, c)
		}
	}
	if stats.Stalled < time.Minute || stats.Rate > 2*(16<<10) || refused == 0 || taken == 0 {
		t.Errorf("stalled for %v, rate %d, %d messages refused", stats.Stalled, stats.Rate, refused)
	}
	if got := r.kinds[datagramKind] + r.kinds[bothKind]; got < sent-1 { // the last is on its way
		t.Errorf("%d datagrams of %d came", got, sent)
	}
	if slow.Stats().LossOut < 0.9 {
		t.Errorf("loss %v", slow.Stats().LossOut)
	}
	slow.Close(s.now, netsys.ReasonKicked)
	s.run(time.Second, r.poll)
	if r.closed != int(netsys.ReasonKicked) || s.server.Len() != 1 {
		t.Errorf("the client was told %d", r.closed)
	}
	s.until("the honest client has all", honest.delivered)
	honest.perfect()
}

// A client that does not read at all times out; until then the server sends to it as if nothing was, and keeps no
// more for it than for others.
func TestDeafClient(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{Timeout: 5 * time.Second})
	honest, deaf := s.seat(1, netsys.Link{}), s.seat(2, netsys.Link{})
	s.run(time.Second, func() {
		honest.everything()
		deaf.everything()
	})
	deaf.asleep = true
	s.run(4*time.Second, func() {
		honest.everything()
		deaf.hear()
	})
	if deaf.endAtServer != nil {
		t.Fatalf("ended too early with %v", deaf.endAtServer)
	}
	s.run(2*time.Second, honest.everything)
	if !errors.Is(deaf.endAtServer, netsys.ErrTimeout) || s.server.Len() != 1 {
		t.Errorf("ended with %v, %d clients", deaf.endAtServer, s.server.Len())
	}
	honest.perfect()
}

// piece is the bytes of a channel packet: one piece of a message of count pieces.
func piece(number int, id uint16, count, first int) []byte {
	b := []byte{byte(number) | 0x20 | 0x80}
	b = binary.LittleEndian.AppendUint16(b, id)
	b = binary.AppendUvarint(b, uint64(count-2))
	b = binary.AppendUvarint(b, uint64(first))
	b = binary.AppendUvarint(b, 0)
	return append(b, make([]byte, 256)...)
}

// TestFragmentBomb announces long messages and never completes one. Within what the channels allow it costs
// what the channels allow, and beyond that it is malformed and ends the session, with which all memory goes.
func TestFragmentBomb(t *testing.T) {
	const pieces = 1 << 20 / 256 // of the longest message of the bulk channel
	s := newStage(t, netsys.ServerConfig{})
	honest := s.seat(1, netsys.Link{})
	play := func() {
		honest.everything()
		s.step()
	}
	for range 60 {
		play()
	}
	before := heap()

	// All that one message may have, but for its last piece, and the same again and again of others.
	lawful := s.intrude(66)
	held := 0
	for first := range pieces - 1 {
		if lawful.send(channelsKind, piece(bulkChannel, 0, pieces, first)); first%8 == 7 {
			play()
		}
		lawful.send(channelsKind, piece(stateChannel, uint16(first/100), 256, first%100))
		held = max(held, s.sessionOf(66).Channels().Stats().HeldBytes)
	}
	play()
	if session := s.sessionOf(66); session.Stats().Malformed != 0 {
		t.Errorf("%d lawful packets count as malformed", session.Stats().Malformed)
	}
	if held < 1<<20-512 || held > 1<<20+16*64<<10+64<<10 {
		t.Errorf("%d bytes held", held)
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("the heap grew by %d kB by one client", grown>>10)
	}

	// More than that.
	greedy := s.intrude(67)
	bombs := 0
	for s.server.Len() == 3 && bombs < 10_000 {
		greedy.send(channelsKind, piece(bulkChannel, uint16(bombs), pieces, 0))
		if bombs++; bombs%8 == 0 {
			play()
		}
	}
	var closed *netsys.CloseError
	if len(s.ends) != 1 || !errors.As(s.ends[0], &closed) || closed.Reason != netsys.ReasonProtocol || bombs > 80 { // two messages, 65 too many, and those under way
		t.Errorf("ended with %v after %d", s.ends, bombs)
	}

	before = heap()
	s.sessionOf(66).Close(s.now, netsys.ReasonKicked)
	s.step()
	s.step()
	if freed := before - heap(); freed < held*9/10 {
		t.Errorf("the end of the session freed %d kB, it held %d kB", freed>>10, held>>10)
	}
	s.until("the honest client has all", honest.delivered)
	honest.perfect()
}
