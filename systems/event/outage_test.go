package event_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// bell is an event that counts: reliable, and in order or not.
type bell struct {
	N uint32 `net:"raw"`
}

type chime bell

func bells() (channel.Config, *event.Registry) {
	channels := channel.DefaultChannels()
	for i := range channels {
		if channels[i].Name == "event" {
			unordered := channels[i]
			unordered.Name, unordered.Kind = "chime", channel.ReliableUnordered
			channels = append(channels, unordered)
		}
	}
	c := channel.Config{Channels: channels}
	r := event.NewRegistry(c)
	event.Register[bell](r, event.Options{})
	event.Register[chime](r, event.Options{Channel: "chime", Early: true})
	return c, r
}

// A client that reconnects to its seat handles each reliable event of the outages once, in the order of its channel: events
// that were in flight when the session ended, events raised while it had none, and events of several outages in a row.
func TestEventsOfOutage(t *testing.T) {
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.Rollback{}) {
		t.Run(model.String(), func(t *testing.T) {
			systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
				config := fieldtest.PresetConfig(model, seed, 2, systemstest.RoundTrip(120*time.Millisecond, 30*time.Millisecond, 0.1))
				channels, registry := bells()
				events := event.NewServer(registry, event.ServerConfig{})
				config.Server.Events, config.Server.Session.Channels = events, channels
				config.Server.Players.ReconnectWindow, config.Server.Session.Timeout = 30*time.Second, 2*time.Second
				var heard []uint32
				chimes := map[uint32]int{}
				config.Client = func(n int) systems.ClientConfig {
					mine := event.NewClient(registry, event.ClientConfig{})
					if n == 1 {
						event.OnClient(mine, func(_ *ecs.World, _ event.Origin, b *bell) { heard = append(heard, b.N) })
						event.OnClient(mine, func(_ *ecs.World, _ event.Origin, b *chime) { chimes[b.N]++ })
					}
					return systems.ClientConfig{Session: systems.ClientSession{Reconnect: true, Timeout: time.Second, Channels: channels}, Events: mine}
				}
				c := systemstest.New(t, config)
				c.Connect()
				k, n := c.Clients[1], uint32(0)
				play := func(d time.Duration) {
					for range d / (50 * time.Millisecond) {
						n++
						event.Raise(c.Server.World(), event.ToAll(), bell{n})
						event.Raise(c.Server.World(), event.ToAll(), chime{n})
						c.Run(50 * time.Millisecond)
					}
				}
				outage := func(d time.Duration) {
					up, down := k.Links()
					k.SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1})
					play(d)
					k.SetLinks(up, down)
				}
				play(time.Second)
				outage(1500 * time.Millisecond) // the server has not noticed when the client is back
				play(5 * time.Second)
				outage(6 * time.Second)
				play(3 * time.Second)
				for range 2 { // the session that begins between them hardly says anything
					outage(4 * time.Second)
					for end := c.Now().Add(10 * time.Second); !k.Connected() && c.Now().Before(end); {
						play(50 * time.Millisecond)
					}
					play(100 * time.Millisecond)
				}
				play(8 * time.Second)
				c.Run(5 * time.Second)
				if got := k.Stats().Reconnects; got < 4 {
					t.Fatalf("%d reconnects, the outages were no outages", got)
				}
				for i, got := range heard {
					if got != uint32(i)+1 {
						t.Fatalf("event %d is %d: %v", i+1, got, heard[max(i-5, 0):min(i+5, len(heard))])
					}
				}
				if len(heard) != int(n) {
					t.Errorf("%d events of %d", len(heard), n)
				}
				for i := range n {
					if chimes[i+1] != 1 {
						t.Errorf("unordered event %d was heard %d times", i+1, chimes[i+1])
					}
				}
				if st := k.Stats(); st.MalformedMessages > 0 {
					t.Errorf("%+v", st)
				}
			})
		})
	}
}
