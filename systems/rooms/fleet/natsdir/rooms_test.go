package natsdir_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
)

type push struct {
	DX int8 `net:"-1..1"`
}

// dots returns a game.
func dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[push](p)
	p.Simulate("move", func(*ecs.World) {})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, push{})
	})
	return p
}

// start returns a process of a fleet.
func start(ctx context.Context, servers *natsdir.Servers, key netcode.Key, name string) (*rooms.Server, error) {
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	directory, err := natsdir.Open(ctx, servers.Config()) // in other processes: natsdir.Config with this URL, from the environment
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, directory.Close)
	saves, err := directory.Store(ctx)
	if err != nil {
		return nil, err
	}
	kinds := []rooms.Kind{{Name: "dots", Protocol: dots, Capacity: 4, Server: systems.ServerConfig{Overload: systems.Overload{Off: true}}}}
	server, err := rooms.New(rooms.Config{Kinds: kinds, Process: name, Key: key, Store: saves}, wire)
	if err != nil {
		return nil, err
	}
	_, err = fleet.New(fleet.Config{Directory: directory, Here: server}) // the rooms.Seats of the whole fleet
	return server, err
}

// Processes of rooms find each other, each other's rooms and players in the directory.
func TestServersOfRooms(t *testing.T) {
	servers, err := natsdir.Embedded(natsdir.Embedding{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	key := netcode.GenerateKey(nil)
	var all []*rooms.Server
	for _, name := range []string{"one", "two"} {
		s, err := start(ctx, servers, key, name)
		if err != nil {
			t.Fatal(err)
		}
		serving, end := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- s.Run(serving) }()
		defer func() { end(); <-ended }()
		all = append(all, s)
	}
	seats, err := all[0].Join("dots", nil, rooms.Player{ID: 7})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{fleet.ProcessKey("one"): true, fleet.ProcessKey("two"): true, fleet.RoomKey(seats[0].Seat.Room): true}
	watching, enough := context.WithTimeout(ctx, time.Minute)
	defer enough()
	directory, err := natsdir.Open(ctx, servers.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	told, err := directory.Watch(watching, "")
	if err != nil {
		t.Fatal(err)
	}
	for r := range told {
		if delete(want, r.Key); len(want) == 0 {
			break
		}
	}
	if len(want) != 0 {
		t.Fatalf("the other process does not hear of %v", want)
	}
	var room rooms.RoomEntry
	r, err := directory.Load(ctx, fleet.RoomKey(seats[0].Seat.Room))
	if err == nil {
		err = json.Unmarshal(r.Value, &room)
	}
	if err != nil || room.Process != "one" || room.Capacity != 4 {
		t.Fatalf("%+v, %v", room, err)
	}
}
