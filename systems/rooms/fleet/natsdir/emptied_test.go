package natsdir

import (
	"context"
	"net/url"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
)

// emptied are the ways in which NATS loses a stream.
var emptied = map[string]func(t *testing.T, s *Servers, stream string){
	"deleted": func(t *testing.T, s *Servers, stream string) {
		conn, err := nats.Connect(s.Config().URL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		js, err := jetstream.New(conn)
		if err != nil {
			t.Fatal(err)
		}
		if err := js.DeleteStream(t.Context(), stream); err != nil {
			t.Fatal(err)
		}
	},
	"restarted": func(t *testing.T, s *Servers, _ string) {
		at, err := url.Parse(s.Config().URL)
		if err != nil {
			t.Fatal(err)
		}
		port, err := strconv.Atoi(at.Port())
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		again, err := Embedded(Embedding{Port: port, Password: s.password, Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(again.Close)
	},
}

// The store of a fleet is emptied: its stream is deleted, or the server restarts without its files. The processes write their
// records again, so every process lists every room and gives seats in all of them. Meanwhile no process reports that a room
// does not exist, and all players play on.
func TestEmptiedStore(t *testing.T) {
	for name, empty := range emptied {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := embedded(t, 1)
			key := netcode.GenerateKey(nil)
			var all []*venue
			for _, name := range []string{"one", "two", "three"} {
				ctx, enough := context.WithTimeout(t.Context(), patience)
				d, err := Open(ctx, s.Config())
				enough()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(d.Close)
				all = append(all, newVenue(t, name, key, d))
			}
			stop, played := make(chan struct{}), make(chan struct{})
			go func() { defer close(played); play(t, stop, all...) }()
			settled := func() bool {
				for _, v := range all {
					if v.fleet.Epoch() == 0 || len(v.fleet.List()) < 6 {
						return false
					}
					for _, other := range all {
						if !v.joinsAt(other) {
							return false
						}
					}
				}
				return true
			}
			within(t, "every process gives seats in every room", settled)
			before := make(map[*venue]uint64)
			for _, v := range all {
				before[v] = v.fleet.Epoch()
			}
			empty(t, s, "KV_"+defaultBucket)
			within(t, "every process has claimed its name again", func() bool {
				for _, v := range all {
					for _, other := range all {
						v.joinsAt(other)
					}
				}
				for _, v := range all {
					if now := v.fleet.Epoch(); now == 0 || now == before[v] {
						return false
					}
				}
				return true
			})
			within(t, "every process gives seats in every room again", settled)
			for _, v := range all {
				for _, r := range v.rooms {
					if i := r.Info(); i.State != rooms.Open || i.Orphaned {
						t.Errorf("room %v of %s is %v, orphaned: %v", i.ID, i.Process, i.State, i.Orphaned)
					}
				}
			}
			close(stop)
			<-played
		})
	}
}
