package event_test

import (
	"testing"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

func TestLines(t *testing.T) {
	r := event.NewRegistry(channel.Config{})
	channel.Register[plain](r.Messages(), "event")
	event.Register[note](r, event.Options{From: both})
	event.Register[ask](r, event.Options{From: event.FromClients, Tell: true})
	event.Register[spark](r, event.Options{Channel: "signal"})
	lines := r.Lines()
	messages := r.Messages().Lines()
	expect(t, lines, messages[0], messages[1]+" event from both", messages[2],
		messages[3]+" event from clients", messages[4]+" event from server")
}

func TestRegisterPanics(t *testing.T) {
	r := event.NewRegistry(channel.Config{Channels: []channel.ChannelConfig{
		{Name: "event", Kind: channel.ReliableOrdered, MaxMessage: 8},
		{Name: "state", Kind: channel.UnreliableSequenced},
	}})
	for word, f := range map[string]func(){
		"0 for 20":           func() { event.Register[ask](r, event.Options{Rate: -1}) },
		"4 times Rate":       func() { event.Register[ask](r, event.Options{Burst: 1 << 20}) },
		"From is 9":          func() { event.Register[ask](r, event.Options{From: 9}) },
		"Tell are only for":  func() { event.Register[ask](r, event.Options{Tell: true}) },
		"Early is only for":  func() { event.Register[ask](r, event.Options{From: event.FromClients, Early: true}) },
		"keeps one message":  func() { event.Register[ask](r, event.Options{Channel: "state"}) },
		"raise its MaxMess":  func() { event.Register[note](r, event.Options{}) },
		"no channel":         func() { event.Register[plain](r, event.Options{Channel: "none"}) },
		"Config.Packet is 1": func() { event.NewRegistry(channel.Config{Packet: 1}) },
	} {
		testgame.MustPanic(t, word, word, f)
	}
	if got := event.Side(8).String(); got != "side 8" {
		t.Error(got)
	}
}
