// Command deploy is a server with rooms as it runs in a cluster: seats by HTTP for the game's login service, the wire for
// players, Agones where there is one, and drains. Beside it lie a container file and the manifests of a fleet.
//
//	SEATS_SECRET=$(openssl rand -hex 32) go run ./examples/rooms/deploy
//
// Where there is no Agones, say where players reach the process:
//
//	go run ./examples/rooms/deploy -listen 0.0.0.0:7777 -address 203.0.113.7:7777
//
// The login service knows the players. It asks for their seats with the secret, and names the player:
//
//	curl -H "Authorization: Bearer $SEATS_SECRET" -H "Player: 17" -H Content-Type:application/json \
//		-d '{"kind":"dots"}' http://127.0.0.1:8080/rooms/join
package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/agones"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// What a process is for. The manifests say the same.
const (
	maxRooms = 64
	capacity = 4
	// longest is how long a match may take, and so a drain.
	longest = 50 * time.Minute
	// secretName is the variable with what the login service knows.
	secretName = "SEATS_SECRET"
	// gamePort is the port of the manifest that players reach.
	gamePort = "game"
)

// move is the input: what a client sends, every tick.
type move struct {
	DX, DY int8 `net:"-1..1"`
}

// dots is the game, of one room.
func dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[move](p)
	p.Simulate("move", func(w *ecs.World) {
		for _, d := range ecs.Each[struct {
			Pos *components.Position
			In  *move
		}](w) {
			d.Pos.X, d.Pos.Y = d.Pos.X+float32(d.In.DX), d.Pos.Y+float32(d.In.DY)
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, move{})
	})
	return p
}

// process is what a process listens on, and what ends it.
type process struct {
	wire    *netsys.UDP
	address netip.AddrPort // where players reach the wire; not valid: Agones says so, or the wire itself
	seats   net.Listener
	secret  string
	log     *slog.Logger
	serve   serve.Config
}

// run serves until the process is told to stop, and its rooms have ended.
func (p process) run(ctx context.Context) error {
	cluster := agones.Config{Rooms: maxRooms, Players: maxRooms * capacity, Logger: p.log}
	addresses := []netip.AddrPort{p.address}
	if !p.address.IsValid() {
		var err error
		if addresses, err = agones.Addresses(ctx, cluster, gamePort); err != nil { // nil without Agones
			return err
		}
	}
	c := rooms.Config{
		Kinds:    []rooms.Kind{{Name: "dots", Protocol: dots, Capacity: capacity}},
		MaxRooms: maxRooms, Addresses: addresses, Logger: p.log,
	}
	if addresses != nil {
		c.Endpoints.UDP = addresses[0].String()
	}
	server, err := rooms.New(c, p.wire)
	if err != nil {
		return err
	}
	here := rooms.Here(server)
	seats, err := web.New(web.Config{Authenticate: p.authenticate, Logger: p.log}, here)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/rooms", seats)
	mux.Handle("/rooms/", seats)
	mux.Handle("/ready", web.Ready(here))
	p.serve.Deadline, p.serve.Logger = longest, p.log
	p.serve.Beside = append(p.serve.Beside, web.Beside(p.seats, mux), func(ctx context.Context) error { return agones.Run(ctx, server, cluster) })
	return serve.Run(ctx, server, p.serve)
}

// authenticate believes the login service, which knows the secret, who the player is.
func (p process) authenticate(r *http.Request) (rooms.Player, error) {
	want := "Bearer " + p.secret
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) != 1 {
		return rooms.Player{}, errors.New("the login service of the game alone may ask for seats")
	}
	id, err := strconv.ParseUint(r.Header.Get("Player"), 10, 64)
	if err != nil || id == 0 {
		return rooms.Player{}, errors.New("name the player: a number in the header Player")
	}
	return rooms.Player{ID: id}, nil
}

func main() {
	players := flag.String("listen", "127.0.0.1:7777", "where players are served, over UDP")
	address := flag.String("address", "", "where players reach the process, such as 203.0.113.7:7777; none: Agones says so, and without Agones the address of -listen")
	asks := flag.String("http", "127.0.0.1:8080", "where the login service asks for seats")
	flag.Parse()
	if err := start(*players, *address, *asks, os.Getenv(secretName)); err != nil {
		log.Fatal(err)
	}
}

// start listens, and runs.
func start(players, address, asks, secret string) error {
	if len(secret) < 32 {
		return fmt.Errorf("%s has %d bytes: give 32 or more that nobody can guess", secretName, len(secret))
	}
	var at netip.AddrPort
	if address != "" {
		udp, err := net.ResolveUDPAddr("udp", address)
		if err != nil {
			return fmt.Errorf("-address: %w", err)
		}
		at = netip.AddrPortFrom(udp.AddrPort().Addr().Unmap(), udp.AddrPort().Port())
	}
	wire, err := netsys.ListenUDP(players)
	if err != nil {
		return err
	}
	seats, err := net.Listen("tcp", asks)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	p := process{wire: wire, address: at, seats: seats, secret: secret, log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	return p.run(context.Background())
}
