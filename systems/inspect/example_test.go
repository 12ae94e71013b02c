package inspect_test

import (
	"context"
	"log"
	"net"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inspect"
)

// A server with an inspector beside it. It answers this machine alone; let others in by Config.Token.
func Example() {
	ctx := context.Background()
	wire, err := netsys.ListenUDP("127.0.0.1:7777")
	if err != nil {
		log.Fatal(err)
	}
	server, err := systems.NewServer(wire, ecs.NewProtocol("mygame/1"), systems.ServerConfig{})
	if err != nil {
		log.Fatal(err)
	}
	inspector, err := inspect.New(server, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	pages, err := net.Listen("tcp", "127.0.0.1:7781")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		if err := inspector.Serve(ctx, pages); err != nil {
			log.Print(err)
		}
	}()
	if err := server.Run(ctx); err != nil { // it closes the wire
		log.Fatal(err)
	}
}
