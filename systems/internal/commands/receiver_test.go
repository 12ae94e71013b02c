package commands_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
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
	notes notice.Queue
	tick  uint32
	given given
}

func newTestReceiver(t testing.TB, rate int) *testReceiver {
	_, w, _ := newLog()
	d := &testReceiver{tick: 7}
	var err error
	d.Receiver, err = commands.NewReceiver(commands.Config{World: w, Rate: rate, TickRate: 60, Tick: &d.tick, Logger: slog.New(slog.DiscardHandler)})
	testgame.Must(t, err)
	d.in = d.Join(3, &d.notes, new(notice.Once))
	return d
}

// packet returns a packet of commands, numbered from first on.
func packet(first uint64, values ...byte) []byte {
	b := codec.AppendUvarint([]byte{commands.PacketKind}, first)
	for _, v := range values {
		b = append(b, 0, v)
	}
	return b
}

// receive receives a valid packet.
func receive(t testing.TB, d *testReceiver, in *commands.Inbox, packet []byte) {
	t.Helper()
	_, _, err := d.Receive(in, packet, at(0))
	testgame.Must(t, err)
}

// at returns a time.
func at(d time.Duration) time.Time { return time.Unix(100, 0).Add(d) }

// A command is accepted once and in order, however often it arrives. A command in a packet that was not read is lost and
// counted.
func TestTakenOnce(t *testing.T) {
	d := newTestReceiver(t, 10)
	for _, b := range [][]byte{packet(1, 5, 6), packet(1, 5, 6, 7), packet(2, 6), packet(6, 8), packet(1, 5)} {
		receive(t, d, d.in, b)
	}
	d.Forward(d.in, &d.given)
	if want := (given{"3: 0005", "3: 0006", "3: 0007", "3: 0008"}); !slices.Equal(d.given, want) {
		t.Errorf("%q, want %q", d.given, want)
	}
	testgame.Equal(t, "counted", d.in.Stats, commands.Stats{Taken: 4, Dropped: 2})
	d.Forward(d.in, &d.given)
	testgame.Equal(t, "given again", len(d.given), 4)
}

// A client gets its rate, bursts of twice as many, and 32 commands per tick, even if that tick is not reached. Excess commands
// are dropped and reported.
func TestTakenInBounds(t *testing.T) {
	d := newTestReceiver(t, 10)
	n := uint64(0)
	send := func(d *testReceiver, k int, now time.Duration) {
		before := d.in.Stats.Dropped
		fresh, dropped, err := d.Receive(d.in, packet(n+1, make([]byte, k)...), at(now))
		testgame.Must(t, err)
		testgame.Equal(t, "new", fresh, k)
		testgame.Equal(t, "dropped", uint64(dropped), d.in.Stats.Dropped-before)
		n += uint64(k)
	}
	send(d, 25, 0)
	d.Forward(d.in, &d.given)
	testgame.Equal(t, "at once", d.in.Stats, commands.Stats{Taken: 20, Dropped: 5})
	send(d, 9, 500*time.Millisecond)
	d.Forward(d.in, &d.given)
	testgame.Equal(t, "half a second later", d.in.Stats, commands.Stats{Taken: 25, Dropped: 9})
	testgame.Equal(t, "told", d.notes.Waiting() > 0, true)

	d, n = newTestReceiver(t, 1000), 0
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
		_, dropped, err := d.Receive(d.in, packet(uint64(n+1), 5), at(-time.Duration(n)*time.Hour))
		testgame.Must(t, err)
		testgame.Equal(t, "dropped", dropped, 0)
	}
}

// A packet with more commands than may wait, or with an incomplete one, is refused as a whole. A value is decoded only when the
// command is new and within the rate; the commands before an invalid one are kept.
func TestTakesWholePackets(t *testing.T) {
	bad := byte(200) // out of the range of order
	for _, x := range []struct {
		packet         []byte
		err            bool
		fresh, dropped int
		taken          uint64
	}{
		{packet(1, make([]byte, commands.MaxWaiting)...), false, 32, 12, 20},
		{packet(1, make([]byte, commands.MaxWaiting+1)...), true, 0, 0, 0},
		{packet(1, make([]byte, 549)...), true, 0, 0, 0},
		{append(packet(1, 1, 2), 0), true, 0, 0, 0},
		{append(packet(1, 1, 2), 9, 1), true, 0, 0, 0},
		{packet(1, 1, 2, bad, 3), true, 3, 0, 2},
		{packet(1, append(make([]byte, 20), bad, bad)...), false, 22, 2, 20},
	} {
		d := newTestReceiver(t, 10)
		fresh, dropped, err := d.Receive(d.in, x.packet, at(0))
		d.Forward(d.in, &d.given)
		if (err != nil) != x.err || fresh != x.fresh || dropped != x.dropped || d.in.Stats.Taken != x.taken {
			t.Errorf("%d bytes: %d new, %d dropped, %v, %+v", len(x.packet), fresh, dropped, err, d.in.Stats)
		}
	}
}

// Unknown kinds of commands, and bytes that no client of the protocol writes, are errors.
func TestTakesNoNonsense(t *testing.T) {
	for _, b := range [][]byte{{}, {4}, {4, 0, 0, 1}, {4, 1}, {4, 1, 1, 1}, {4, 1, 0}, {5, 1, 0, 1}, packet(1<<32, 1), append(packet(1, 1), 0)} {
		d := newTestReceiver(t, 10)
		if _, _, err := d.Receive(d.in, b, at(0)); err == nil {
			t.Errorf("%x is taken", b)
		}
	}
	_, w, _ := newLog()
	_, err := commands.NewReceiver(commands.Config{World: w, Refuse: []commands.Refuse{{}}})
	if err == nil || !strings.Contains(err.Error(), "ecs.Command") {
		t.Errorf("%v", err)
	}
}

// After arbitrary packets, no more commands wait than allowed, and each is of a known kind and runs.
func FuzzTake(f *testing.F) {
	f.Add(packet(1, 5, 6), packet(2, 6, 7))
	f.Add(packet(1, 5), packet(9, 1))
	f.Add([]byte{4, 1, 1, 1}, packet(1, make([]byte, 50)...))
	f.Add(packet(1<<32-20, 5, 6), packet(1<<32-1, 5, 6, 7))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := newTestReceiver(t, 1000)
		for _, p := range [][]byte{a, b} {
			_, _, _ = d.Receive(d.in, p, at(0))
		}
		d.Forward(d.in, &d.given)
		if len(d.given) > commands.MaxWaiting || uint64(len(d.given)) != d.in.Stats.Taken {
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
