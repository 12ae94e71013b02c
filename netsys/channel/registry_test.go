package channel

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// line is a text of bounded length, as components.Text is one.
type line struct {
	N     uint8    `net:"count"`
	Bytes [60]byte `net:"text"`
}

func (l *line) set(s string) { l.N = uint8(copy(l.Bytes[:], s)) }

type chat struct {
	To   uint32 `net:"ref"`
	Line line
}

type item struct {
	Kind uint8 `net:"enum 20"`
	Many uint8 `net:"1..10"`
}

type bag struct {
	N     uint8 `net:"count"`
	Slots [8]item
}

type trade struct {
	Price  float32 `net:"0..1000 step 0.01"`
	Exact  float64 `net:"raw"`
	Bag    bag
	Turn   float32    `net:"degrees 0.5"`
	Aim    [2]float32 `net:"unit 10"`
	Place  float32    `net:"-512..512 step 0.01 axis x lines 0.1"`
	Fast   bool
	secret int `net:"-"`
}

type ready struct{}

type unsent struct{ A bool }

// typedConfig returns the configuration for tests of types.
func typedConfig() Config {
	return Config{Channels: []ChannelConfig{
		{Name: "talk", Kind: ReliableOrdered},
		{Name: "short", Kind: Unreliable, MaxMessage: 10},
	}}
}

type kit struct {
	registry *Registry
	chat     *Type[chat]
	trade    *Type[trade]
	ready    *Type[ready]
}

func newKit() kit {
	r := NewRegistry(typedConfig())
	return kit{r, Register[chat](r, "talk"), Register[trade](r, "talk"), Register[ready](r, "short")}
}

func (k *kit) example() trade {
	v := trade{Price: 12.5, Exact: 1.0 / 3, Turn: 90, Aim: [2]float32{0, 1}, Place: -3.25, Fast: true, secret: 7}
	v.Bag.N = 2
	v.Bag.Slots[0], v.Bag.Slots[1] = item{3, 10}, item{19, 1}
	return v
}

func TestTypedMessages(t *testing.T) {
	k := newKit()
	e, r := mustNew(t, typedConfig()), mustNew(t, typedConfig())
	d := NewDispatcher[string](k.registry)
	var said []string
	var traded trade
	readies := 0
	Handle(d, k.chat, func(peer string, c *chat) { said = append(said, peer+": "+string(c.Line.Bytes[:c.Line.N])) })
	Handle(d, k.trade, func(_ string, v *trade) { traded = *v })
	Handle(d, k.ready, func(string, *ready) { readies++ })

	for _, s := range []string{"hello", "", "a longer line, and an é in it"} {
		var c chat
		c.Line.set(s)
		must(t, k.chat.Send(e, &c))
	}
	v := k.example()
	must(t, k.trade.Send(e, &v))
	must(t, k.ready.Send(e, &ready{}))
	now := time.Unix(0, 0)
	var failed error
	err := r.Receive(now, e.Fill(now, 0, nil, 1000), func(number int, b []byte) {
		failed = errors.Join(failed, d.Deliver("ann", number, b))
	})
	must(t, errors.Join(err, failed))
	if want := []string{"ann: hello", "ann: ", "ann: a longer line, and an é in it"}; !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	v.secret = 0
	if traded.Exact != v.Exact || traded.Bag != v.Bag || traded.Fast != v.Fast || traded.Turn != 90 || traded.secret != 0 ||
		traded.Price < 12.499 || traded.Price > 12.501 || traded.Place < -3.26 || traded.Place > -3.24 || traded.Aim[1] < 0.999 {
		t.Errorf("traded %+v, want %+v", traded, v)
	}
	if readies != 1 {
		t.Errorf("%d readies", readies)
	}
}

// TestTypedSizes counts bytes: only the used part of a list or text is sent.
func TestTypedSizes(t *testing.T) {
	k := newKit()
	var c chat
	equal := func(name string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
	}
	equal("ready", len(k.ready.Append(nil, &ready{})), 1)
	// The type, 32 bits of a ref, 6 of a length.
	equal("empty line", len(k.chat.Append(nil, &c)), 1+5)
	c.Line.set("hello")
	equal("hello", len(k.chat.Append(nil, &c)), 1+5+5)
	c.Line.N = 60
	equal("full line", len(k.chat.Append(nil, &c)), k.chat.MaxSize())
	// The type; 17 bits, 64, 4, 10, 10, 17, 1 make 123.
	v := trade{Aim: [2]float32{1, 0}}
	equal("empty bag", len(k.trade.Append(nil, &v)), 1+16)
	// And 5 and 4 bits for each item.
	v.Bag.N = 8
	equal("full bag", len(k.trade.Append(nil, &v)), 1+25)
	if got := k.trade.MaxSize(); got != 26 || k.trade.Channel() != 0 || k.ready.Channel() != 1 {
		t.Errorf("MaxSize %d", got)
	}
}

func TestTypedHostile(t *testing.T) {
	k := newKit()
	d := NewDispatcher[int](k.registry)
	Handle(d, k.chat, func(int, *chat) {})
	Handle(d, k.ready, func(int, *ready) {})
	var c chat
	c.Line.set("hello")
	good := k.chat.Append(nil, &c)
	long := bytes.Clone(good)
	long[5] = 61
	for _, test := range []struct {
		name   string
		number int
		b      []byte
		want   error
	}{
		{"good", 0, good, nil},
		{"nothing", 0, nil, codec.ErrShort},
		{"a type in two bytes", 0, append([]byte{0x80, 0}, good[1:]...), codec.ErrMalformed},
		{"a type that there is not", 0, []byte{9}, ErrUnknownType},
		{"a type near 2^64", 0, []byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, ErrUnknownType},
		{"a type of another channel", 1, good, ErrUnknownType},
		{"a type without a handler", 0, []byte{1}, ErrUnknownType},
		{"cut off", 0, good[:len(good)-1], codec.ErrShort},
		{"a byte more", 0, append(bytes.Clone(good), 0), codec.ErrMalformed},
		{"bits behind the end", 0, append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]|0x80), codec.ErrMalformed},
		{"a text longer than its array", 0, long, codec.ErrMalformed},
		{"bytes in an empty message", 1, []byte{2, 0}, codec.ErrMalformed},
	} {
		if err := d.Deliver(0, test.number, test.b); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	if err := k.trade.Read(good, new(trade)); !errors.Is(err, ErrUnknownType) || !errors.Is(err, codec.ErrMalformed) {
		t.Errorf("chat read as trade: %v", err)
	}
}

func TestRegistryLines(t *testing.T) {
	got := newKit().registry.Lines()
	want := []string{"message 0 talk chat{To uint32 ref; Line", "message 1 talk trade{Price float32 0..1000 step 0.01; Exact", "message 2 short ready{}"}
	if len(got) != len(want) {
		t.Fatalf("lines %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("line %q, want %q…", got[i], want[i])
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	panics := func(name, advice string, f func()) {
		t.Helper()
		defer func() {
			if text, _ := recover().(string); !strings.Contains(text, advice) {
				t.Errorf("%s: says %q, want %q in it", name, text, advice)
			}
		}()
		f()
	}
	k := newKit()
	panics("channel", `no channel "x"`, func() { Register[unsent](k.registry, "x") })
	panics("twice", "registered already", func() { Register[chat](k.registry, "talk") })
	panics("pointer", "pointer", func() { Register[struct{ P *int }](k.registry, "talk") })
	panics("long", "raise its MaxMessage", func() {
		Register[struct {
			A [20]uint8 `net:"raw"`
		}](k.registry, "short")
	})
	d := NewDispatcher[int](k.registry)
	other := newKit()
	panics("other", "another registry", func() { Handle(d, other.chat, func(int, *chat) {}) })
	Handle(d, k.chat, func(int, *chat) {})
	panics("handled", "handler already", func() { Handle(d, k.chat, func(int, *chat) {}) })
	defer func() {
		if recover() == nil {
			t.Error("NewRegistry takes a bad configuration")
		}
	}()
	NewRegistry(Config{Packet: 1})
}
