package channel

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	one := func(c ChannelConfig) Config { return Config{Channels: []ChannelConfig{c}} }
	for _, test := range []struct {
		c    Config
		want string
	}{
		{Config{}, ""},
		{Config{Channels: DefaultChannels(), Packet: 1200, Piece: 600, Rate: 1000, MaxRate: 1000}, ""},
		{Config{Channels: []ChannelConfig{}}, "0 channels"},
		{Config{Channels: make([]ChannelConfig, 33)}, "33 channels"},
		{Config{Packet: 255}, "Packet is 255"},
		{Config{Packet: 1 << 20}, "Packet is"},
		{Config{Piece: 63}, "Piece is 63"},
		{Config{Piece: 576}, "Piece is 576"},
		{Config{History: 31}, "History is 31"},
		{Config{RTT: -1}, "RTT"},
		{Config{Rate: -1}, "MinRate"},
		{Config{MinRate: 1 << 20}, "MinRate"},
		{Config{MaxRate: 1000}, "MaxRate"},
		{one(ChannelConfig{}), "Name"},
		{one(ChannelConfig{Name: "two words"}), "Name"},
		{one(ChannelConfig{Name: strings.Repeat("x", 33)}), "Name"},
		{one(ChannelConfig{Name: "a", Kind: 4}), "Kind is 4"},
		{one(ChannelConfig{Name: "a", MaxMessage: -1}), "MaxMessage is -1"},
		{one(ChannelConfig{Name: "a", MaxMessage: MaxMessage + 1}), "MaxMessage is"},
		{one(ChannelConfig{Name: "a", Queue: -1}), "Queue is -1"},
		{one(ChannelConfig{Name: "a", QueueBytes: 1000}), "QueueBytes is 1000"},
		{Config{Channels: []ChannelConfig{{Name: "a"}, {Name: "a"}}}, "taken"},
	} {
		err := test.c.Validate()
		switch {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: %v, want %q", test.c, err, test.want)
		}
		if e, err2 := New(test.c); (err2 == nil) != (err == nil) || (e == nil) != (err2 != nil) {
			t.Errorf("%+v: New gives %v, Validate %v", test.c, err2, err)
		}
	}
}

func TestLines(t *testing.T) {
	want := []string{
		"channels packet 1150 piece 256",
		"channel 0 event reliable-ordered message 4096 queue 256 bytes 65536",
		"channel 1 message reliable-unordered message 4096 queue 256 bytes 65536",
		"channel 2 signal unreliable message 1024",
		"channel 3 state unreliable-sequenced message 65536",
		"channel 4 bulk reliable-ordered message 1048576 queue 256 bytes 2097152",
	}
	if got := (Config{}).Lines(); !slices.Equal(got, want) {
		t.Errorf("lines %q", got)
	}
	// Fields that each peer sets for itself are not compared.
	c := Config{Rate: 1 << 20, RTT: time.Second, History: 100, Channels: DefaultChannels()}
	for i := range c.Channels {
		c.Channels[i].Priority, c.Channels[i].MaxAge = -i, -1
	}
	if got := c.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines %q", got)
	}
	if (Config{}).Channel("state") != 3 || (Config{}).Channel("other") != -1 {
		t.Error("channels are found under other numbers")
	}
	if got := ReliableUnordered.String() + " " + Kind(9).String(); got != "reliable-unordered kind 9" {
		t.Errorf("kinds %s", got)
	}
	if got := mustNew(t, Config{}).Config(); got.Packet != 1150 || len(got.Channels) != 5 || got.Channels[0].Queue != 256 {
		t.Errorf("configuration %+v", got)
	}
}
