package host_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/host"
)

// Lines differ where a value lies elsewhere, though peers understand each other: bindings of before would read nonsense.
func TestLinesSayWhereValuesLie(t *testing.T) {
	lines := func(field string, note func(b *host.Book, r *channel.Registry)) []string {
		p := ecs.NewProtocol("lines/1")
		fields := schema.Fields{"X": "0..9", "Y": "0..9", "Z": "0..9", "List": "0..9"}
		fields[field] = "-"
		type spot struct {
			X, Y, Z uint16
			List    [4]uint16
		}
		ecs.ReplicateFields[spot](p, 0, fields)
		ecs.Input[components.Health](p)
		var b host.Book
		note(&b, channel.NewRegistry(channel.Config{}))
		return host.Lines(p, &b)
	}
	none := func(*host.Book, *channel.Registry) {}
	got := lines("Y", none)
	want := []string{
		"protocol lines/1", "replicate Owner{Client uint32 raw}", "replicate owner-only SpawnKey{Owner uint32 raw; Input uint32 raw; Nth uint16 raw}",
		"replicate spot{X uint16 0..9; Z uint16 0..9; List[0] uint16 0..9; List[1] uint16 0..9; List[2] uint16 0..9; List[3] uint16 0..9}",
		"input Health{Points uint8 0..255}",
		"column 0 Owner of 4 bytes{Client uint32 at 0}",
		"column 1 SpawnKey of 12 bytes{Owner uint32 at 0; Input uint32 at 4; Nth uint16 at 8}",
		"column 2 spot of 14 bytes{X uint16 at 0; Z uint16 at 4; List[0] uint16 at 6; List[1] uint16 at 8}",
		"column 3 Health of 1 bytes{Points uint8 at 0}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	said := lines("Y", func(b *host.Book, r *channel.Registry) {
		host.Message(b, channel.Register[components.Teleports](r, "event"))
	})
	if want := append(want, "message 0 Teleports of 1 bytes{Count uint8 at 0}"); !slices.Equal(said, want) {
		t.Errorf("with a message %q", said[len(want)-1:])
	}
	type wide struct {
		Cache uint64 `net:"-"`
		X     uint8  `net:"0..9"`
	}
	type narrow struct {
		X uint8 `net:"0..9"`
	}
	of := func(replicate func(p *ecs.Protocol)) string {
		p := ecs.NewProtocol("lines/2")
		replicate(p)
		all := host.Lines(p, nil)
		_, fields, _ := strings.Cut(all[len(all)-1], " of ")
		return fields
	}
	a, b := of(func(p *ecs.Protocol) { ecs.Replicate[wide](p, 0) }), of(func(p *ecs.Protocol) { ecs.Replicate[narrow](p, 0) })
	if a != "16 bytes{X uint8 at 8}" || b != "1 bytes{X uint8 at 0}" {
		t.Errorf("a field that is not replicated moves others: %q and %q", a, b)
	}
}
