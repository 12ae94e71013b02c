package channel_test

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
)

// Say is a typed message.
type Say struct {
	Mood uint8 `net:"enum 4"`
	Text struct {
		N     uint8    `net:"count"`
		Bytes [80]byte `net:"text"`
	}
}

// Two endpoints with packets carried by hand, one of them lost.
func Example() {
	config := channel.Config{}
	alice, err := channel.New(config)
	if err != nil {
		panic(err)
	}
	bob, err := channel.New(config)
	if err != nil {
		panic(err)
	}
	event := config.Channel("event")
	for _, s := range []string{"one", "two", "three"} {
		if err := alice.Send(event, []byte(s)); err != nil {
			panic(err)
		}
	}

	now := time.Now()
	lost := alice.Fill(now, 0, nil, 1185)
	fmt.Println("lost:", len(lost), "bytes")

	now = now.Add(time.Second) // longer than an acknowledgement can take
	packet := alice.Fill(now, 1, nil, 1185)
	err = bob.Receive(now, packet, func(number int, message []byte) {
		fmt.Printf("%d: %s\n", number, message)
	})
	if err != nil {
		panic(err)
	}
	alice.Acked(now, 1)
	fmt.Println("waiting:", alice.Channel(event).Queued)

	// Output:
	// lost: 18 bytes
	// 0: one
	// 0: two
	// 0: three
	// waiting: 0
}

// Typed messages with one registry for both sides and a dispatcher at the receiver.
func ExampleRegister() {
	config := channel.Config{}
	registry := channel.NewRegistry(config)
	say := channel.Register[Say](registry, "event")

	sender, err := channel.New(config)
	if err != nil {
		panic(err)
	}
	receiver, err := channel.New(config)
	if err != nil {
		panic(err)
	}
	dispatcher := channel.NewDispatcher[string](registry)
	channel.Handle(dispatcher, say, func(player string, m *Say) {
		fmt.Printf("%s says %s, mood %d\n", player, m.Text.Bytes[:m.Text.N], m.Mood)
	})

	m := Say{Mood: 2}
	m.Text.N = uint8(copy(m.Text.Bytes[:], "good game"))
	if err := say.Send(sender, &m); err != nil {
		panic(err)
	}
	now := time.Now()
	packet := sender.Fill(now, 0, nil, 1185)
	fmt.Println(len(packet), "bytes")
	err = receiver.Receive(now, packet, func(number int, message []byte) {
		if err := dispatcher.Deliver("bob", number, message); err != nil {
			panic(err)
		}
	})
	if err != nil {
		panic(err)
	}

	// Output:
	// 15 bytes
	// bob says good game, mood 2
}

// A transfer of any length leaves each snapshot its place: here both are offered together, and the snapshot is
// in the first packet, whole.
func ExampleEndpoint_Fill() {
	config := channel.Config{}
	server, err := channel.New(config)
	if err != nil {
		panic(err)
	}
	client, err := channel.New(config)
	if err != nil {
		panic(err)
	}
	now := time.Unix(0, 0)
	state, bulk := config.Channel("state"), config.Channel("bulk")
	if err := server.Send(bulk, make([]byte, 5000)); err != nil {
		panic(err)
	}
	snapshot := make([]byte, server.Available(now, state, 700))
	if err := server.Send(state, snapshot); err != nil {
		panic(err)
	}
	for next := uint16(0); ; next++ {
		packet := server.Fill(now, next, nil, 1185)
		if len(packet) == 0 {
			break
		}
		fmt.Println("packet of", len(packet), "bytes")
		err := client.Receive(now, packet, func(number int, message []byte) {
			fmt.Printf("%s of %d bytes\n", map[int]string{state: "snapshot", bulk: "transfer"}[number], len(message))
		})
		if err != nil {
			panic(err)
		}
	}
	// Output:
	// packet of 964 bytes
	// snapshot of 697 bytes
	// packet of 1030 bytes
	// packet of 1030 bytes
	// packet of 1030 bytes
	// packet of 1030 bytes
	// packet of 654 bytes
	// transfer of 5000 bytes
}
