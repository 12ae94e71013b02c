package event_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/event"
)

// FuzzReceive passes arbitrary bytes to both sides. They are refused, or are an event in its only valid encoding.
func FuzzReceive(f *testing.F) {
	for _, h := range hostile {
		f.Add(uint8(h.channel), unhex(f, h.data))
	}
	f.Add(uint8(0), unhex(f, "00 07 01000000"))
	f.Add(uint8(0), unhex(f, "00 8701 05 01000000"))
	f.Add(uint8(2), unhex(f, "01 07 01000000"))
	r := kit()
	f.Fuzz(func(t *testing.T, number uint8, data []byte) {
		sw, cw := world(), world()
		server, client := event.NewServer(r, event.ServerConfig{}), event.NewClient(r, event.ClientConfig{})
		var up, down tube
		server.Attach(sw, event.Hooks{})
		server.Join(1, 0, &down)
		client.Join(cw, 0, &up)
		event.OnServer(server, event.Handlers[note]{Handle: func(_ *ecs.World, from event.Sender, v *note) {
			client.Start(from.Input)
			event.Raise(cw, event.ToServer(), *v)
			client.Done()
		}})
		event.OnServer(server, event.Handlers[ask]{Handle: func(_ *ecs.World, from event.Sender, v *ask) {
			client.Start(from.Input)
			event.Raise(cw, event.ToServer(), *v)
			client.Done()
		}})
		event.OnClient(client, func(_ *ecs.World, at event.Origin, v *spark) {
			if at.About != 0 {
				return // no entity here has that name
			}
			if late := lateOf(data); late > 0 { // another simulation of the tick raised it
				server.Start(at.Tick + late - 1)
				server.Done()
			}
			server.Start(at.Tick)
			event.Raise(sw, event.ToAll(), *v)
			server.Done()
		})
		check := func(took bool, err error) {
			if err != nil && (!took || !errors.Is(err, event.ErrEvent) || !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrShort)) {
				t.Errorf("%v, %v", took, err)
			}
		}
		check(server.Receive(1, int(number), data))
		check(client.Receive(int(number), data))
		client.Deliver(^uint32(0), nil)
		client.Settle(0)
		server.Settle(0)
		for _, m := range append(up.sent, down.sent...) {
			if m.channel != int(number) || !bytes.Equal(m.data, data) {
				t.Errorf("%x on %d is written %x on %d", data, number, m.data, m.channel)
			}
		}
	})
}

// lateOf returns by how many ticks the event in a message of a server is late.
func lateOf(message []byte) uint32 {
	in := new(codec.ByteReader)
	in.Reset(message)
	in.Uvarint() // the type
	if in.Uvarint()&1 == 0 {
		return 0
	}
	return uint32(in.Uvarint())
}
