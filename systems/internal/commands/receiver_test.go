package commands_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// given records the delivered commands as text.
type given []string

func (g *given) Command(client uint32, command string) {
	*g = append(*g, fmt.Sprintf("%d: %x", client, command))
}

// testReceiver is a Receiver with one client.
type testReceiver struct {
	*commands.Receiver
	in    *commands.Inbox
	tick  uint32
	given given
}

func newTestReceiver(t testing.TB, rate int) *testReceiver {
	_, w, _ := newLog()
	d := &testReceiver{tick: 7}
	var err error
	d.Receiver, err = commands.NewReceiver(commands.Config{World: w, Rate: rate, TickRate: 60, Tick: &d.tick, Logger: slog.New(slog.DiscardHandler)})
	testgame.Must(t, err)
	d.in = d.Join(3, new(notice.Queue), new(notice.Once))
	return d
}

// command returns a command.
func command(v byte) []byte { return []byte{0, v} }

// at returns a time.
func at(d time.Duration) time.Time { return time.Unix(100, 0).Add(d) }

// A client gets its rate, bursts of twice as many, and 32 commands per tick, even if that tick is not reached. Excess commands
// are dropped and reported.
func TestTakenInBounds(t *testing.T) {
	d := newTestReceiver(t, 10)
	send := func(d *testReceiver, k int, now time.Duration) {
		for range k {
			before := d.in.Stats.Dropped
			dropped, err := d.Receive(d.in, command(0), at(now))
			testgame.Must(t, err)
			testgame.Equal(t, "dropped", dropped, d.in.Stats.Dropped > before)
		}
	}
	send(d, 25, 0)
	d.Forward(d.in, &d.given)
	testgame.Equal(t, "at once", d.in.Stats, commands.Stats{Taken: 20, Dropped: 5})
	send(d, 9, 500*time.Millisecond)
	d.Forward(d.in, &d.given)
	testgame.Equal(t, "half a second later", d.in.Stats, commands.Stats{Taken: 25, Dropped: 9})

	d = newTestReceiver(t, 1000)
	send(d, 20, 0)
	send(d, 20, 0)
	testgame.Equal(t, "waits", d.in.Stats.Dropped, 8)
	for range 3 {
		d.Forward(d.in, &d.given)
		send(d, 20, 0)
	}
	testgame.Equal(t, "of a tick", len(d.given), 32)
	d.tick++
	d.Forward(d.in, &d.given)
	testgame.Equal(t, "of two ticks", len(d.given), 64)
}

// A clock that is set back keeps no command out.
func TestTakenWhenTheClockIsSetBack(t *testing.T) {
	d := newTestReceiver(t, 10)
	for n := range 10 {
		dropped, err := d.Receive(d.in, command(5), at(-time.Duration(n)*time.Hour))
		testgame.Must(t, err)
		testgame.Equal(t, "dropped", dropped, false)
	}
}

// A message that is not exactly one command is an error, and so is an invalid value. The value of a command in excess of the rate is not
// decoded.
func TestTakesNoNonsense(t *testing.T) {
	bad := command(200) // out of the range of order
	d := newTestReceiver(t, 10)
	for _, b := range [][]byte{{}, {0}, {9, 1}, {0, 1, 0}, bad} {
		if _, err := d.Receive(d.in, b, at(0)); err == nil {
			t.Errorf("%x is taken", b)
		}
	}
	for len(d.in.Waiting) < 19 { // the invalid value used a part of the rate
		_, err := d.Receive(d.in, command(1), at(0))
		testgame.Must(t, err)
	}
	dropped, err := d.Receive(d.in, bad, at(0))
	testgame.Must(t, err)
	testgame.Equal(t, "dropped", dropped, true)
	_, w, _ := newLog()
	_, err = commands.NewReceiver(commands.Config{World: w, Refuse: []commands.Refuse{{}}})
	if err == nil || !strings.Contains(err.Error(), "ecs.Command") {
		t.Errorf("%v", err)
	}
}

// After arbitrary messages, each command that waits is of a known kind and runs.
func FuzzTake(f *testing.F) {
	f.Add(command(5), command(6))
	f.Add([]byte{0, 200}, []byte{1, 1, 1})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := newTestReceiver(t, 1000)
		for _, p := range [][]byte{a, b} {
			_, _ = d.Receive(d.in, p, at(0))
		}
		d.Forward(d.in, &d.given)
		if uint64(len(d.given)) != d.in.Stats.Taken {
			t.Fatalf("%d given, %+v", len(d.given), d.in.Stats)
		}
		l, _, _ := newLog()
		for _, g := range d.given {
			var player uint32
			var command string
			if _, err := fmt.Sscanf(g, "%d: %x", &player, &command); err != nil {
				t.Fatal(err)
			}
			l.Add(commands.Entry{Tick: 1, Player: player, Kind: commands.Command, Value: command})
		}
		l.Run(1)
	})
}
