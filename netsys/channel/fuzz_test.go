package channel

import (
	"bytes"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// rewrite writes the records of a packet as a sender would.
func rewrite(e *Endpoint, b []byte) []byte {
	var p parser
	p.sizes, p.channels = e.sizes, e.channels
	p.in.Reset(b)
	w := packer{sizes: e.sizes}
	w.reset(nil, e.sizes.packet)
	for r, ok, _ := p.next(); ok; r, ok, _ = p.next() {
		if r.whole() {
			w.message(r.channel, e.channels[r.channel].kind, r.number, r.data, nil)
			continue
		}
		last := 0
		if r.first+r.run == r.count {
			last = len(r.data) - (r.run-1)*e.sizes.piece
		}
		w.run(r.channel, r.number, r.count, r.first, r.run, last, r.data, nil)
	}
	return w.finish()
}

// FuzzPacket receives any bytes as a packet. Encoding an accepted packet again yields the same bytes, and its messages respect
// the limits of their channels.
func FuzzPacket(f *testing.F) {
	for _, s := range []string{
		"", "80 6869", "00 02 6869 80 07", "03 0000 01 00 43 01 01 c3 02", "a2 0000 01 00 01 *200", "82 0000 *253",
		"a0 0000 08 08 01 *154", "22 0000 01 02 00 40 *64 81 0000 01", "22 0000 01 00 00 *100 a2 0000 01 02 00 *99",
	} {
		f.Add(unhex(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := mustNew(t, wireConfig())
		err := e.Receive(time.Unix(0, 0), b, func(number int, m []byte) {
			if len(m) > e.channel(number).maxMessage {
				t.Errorf("channel %d delivers %d bytes", number, len(m))
			}
		})
		if checked := e.check(b); checked != nil {
			if err != checked {
				t.Errorf("check says %v, Receive %v", checked, err)
			}
			return
		}
		if again := rewrite(e, b); !bytes.Equal(again, b) {
			t.Errorf("%x\nis written\n%x", b, again)
		}
	})
}

// FuzzEndpoint runs a pair over a network that the input directs, with packets of the input's own among those of
// an honest peer, and wants memory within its bounds. Without forged packets it wants order and wholeness too, and
// that all arrives once the network is kind.
func FuzzEndpoint(f *testing.F) {
	f.Add([]byte{0, 10, 1, 200, 5, 5, 2, 255, 5, 6, 3, 30, 5, 5, 5, 5}, []byte{})
	f.Add([]byte{2, 255, 5, 6, 5, 6, 7, 5, 5, 5, 8, 8, 8}, []byte{0xa2, 0, 0, 1, 0, 1})
	f.Add([]byte{9, 9, 3, 4, 5, 6, 7, 9}, []byte{0x82, 1, 0, 1})
	f.Fuzz(func(t *testing.T, moves, forged []byte) {
		if len(moves) > 400 {
			return
		}
		c := wireConfig()
		for i := range c.Channels {
			c.Channels[i].Queue, c.Channels[i].QueueBytes = 8, 4000
		}
		a, b := mustNew(t, c), mustNew(t, c)
		now := time.Unix(0, 0)
		var seq uint16
		type flying struct {
			seq uint16
			b   []byte
		}
		var net []flying
		var sent, got uint64
		honest := true
		deliver := func(number int, m []byte) {
			if len(m) > b.channel(number).maxMessage {
				t.Fatalf("channel %d delivers %d bytes", number, len(m))
			}
			if number == 3 && honest {
				if id := idOf(t, m); id != got {
					t.Fatalf("message %d after %d", id, got)
				}
				got++
			}
		}
		receive := func(i int) {
			p := net[i]
			if err := b.Receive(now, p.b, deliver); err != nil && honest {
				t.Fatalf("an honest packet: %v", err)
			}
			a.Acked(now, p.seq)
			net = append(net[:i], net[i+1:]...)
		}
		for len(moves) > 1 {
			move, arg := moves[0], int(moves[1])
			moves = moves[1:]
			switch move % 10 {
			case 0, 1, 2:
				_ = a.Send(int(move%10), text(uint64(arg), arg*4%1000))
			case 3, 4:
				if a.Send(3, text(sent, arg%200)) == nil {
					sent++
				}
			case 5:
				for {
					p := a.Fill(now, seq, nil, 256)
					if len(p) == 0 {
						break
					}
					if len(net) < 64 {
						net = append(net, flying{seq, p})
					}
					seq++
				}
			case 6:
				if len(net) > 0 {
					receive(arg % len(net))
				}
			case 7:
				if len(net) > 0 {
					net = net[1:]
				}
			case 8:
				now = now.Add(time.Duration(arg) * 4 * time.Millisecond)
			case 9:
				if len(forged) > 0 {
					honest = false
					n := min(len(forged), arg)
					_ = b.Receive(now, append(bytes.Clone(forged[:n]), make([]byte, arg)...), deliver)
				}
			}
			if held := b.Stats().HeldBytes; held > 2*(4000+8*100)+2*2000+2*100 {
				t.Fatalf("holds %d bytes", held)
			}
		}
		for round := 0; honest && got < sent; round++ {
			if round == 600 {
				t.Fatalf("%d of %d messages arrived in a minute", got, sent)
			}
			now = now.Add(100 * time.Millisecond)
			if p := a.Fill(now, seq, nil, 256); len(p) > 0 {
				net = append(net, flying{seq, p})
				seq++
			}
			for len(net) > 0 {
				receive(0)
			}
		}
	})
}

// FuzzTyped reads any bytes as typed messages. An accepted message, written again, has the same length and reads as the same
// value.
func FuzzTyped(f *testing.F) {
	k := newKit()
	var c chat
	c.Line.set("hello")
	v := k.example()
	f.Add(k.chat.Append(nil, &c))
	f.Add(k.trade.Append(nil, &v))
	f.Add(k.ready.Append(nil, &ready{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		k := newKit()
		var c chat
		if k.chat.Read(b, &c) == nil {
			again := k.chat.Append(nil, &c)
			var c2 chat
			if err := k.chat.Read(again, &c2); err != nil || c2 != c || len(again) != len(b) {
				t.Errorf("%x\nis %+v, written %x, then %+v, %v", b, c, again, c2, err)
			}
		}
		var v trade
		if k.trade.Read(b, &v) == nil {
			again := k.trade.Append(nil, &v)
			var v2 trade
			if err := k.trade.Read(again, &v2); err != nil || v2 != v || len(again) != len(b) {
				t.Errorf("%x\nis %+v, written %x, then %+v, %v", b, v, again, v2, err)
			}
		}
		var r ready
		_ = k.ready.Read(b, &r)
		d := NewDispatcher[int](k.registry)
		Handle(d, k.chat, func(int, *chat) {})
		for number := range 2 {
			if err := d.Deliver(0, number, b); err == nil && (number != 0 || codec.UvarintLen(uint64(b[0])) != 1) {
				t.Errorf("channel %d takes %x", number, b)
			}
		}
	})
}
