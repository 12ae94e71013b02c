package commands_test

import (
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// Commands are delivered client by client in the order in which the clients joined, in whatever order packets arrived, and
// commands of the server after them. Commands of a player who is not in the game yet wait. Those of a departed player are
// dropped.
func TestDeliveredInOrder(t *testing.T) {
	d := newTestReceiver(t, 10)
	receive := func(in *commands.Inbox, value byte) {
		_, err := d.Receive(in, command(value), at(0))
		testgame.Must(t, err)
	}
	var notes notice.Queue
	second, third := d.Join(2, &notes, new(notice.Once)), d.Join(1, &notes, new(notice.Once))
	d.Issue(commands.Entry{Player: 9, Value: "\x00\x09"})
	for _, x := range []struct {
		in    *commands.Inbox
		value byte
	}{{third, 31}, {second, 21}, {d.in, 11}, {second, 22}} {
		receive(x.in, x.value)
	}
	deliver := func(plays func(uint32) bool, want ...string) {
		t.Helper()
		d.given = nil
		if d.Deliver(&d.given, plays); !slices.Equal(d.given, want) {
			t.Errorf("%q, want %q", d.given, want)
		}
	}
	deliver(func(client uint32) bool { return client != 2 }, "3: 000b", "1: 001f", "9: 0009")
	receive(d.in, 12)
	deliver(func(uint32) bool { return true }, "3: 000c", "2: 0015", "2: 0016")
	deliver(func(uint32) bool { return true })
	receive(second, 23)
	d.Leave(second)
	deliver(func(uint32) bool { return true })
}
