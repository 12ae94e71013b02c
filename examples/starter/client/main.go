//go:build !js

// Command client plays the game. Without build tags it runs in a terminal: a bot plays, and the client prints one line
// per second about its view. With the tag window it opens a window in which you play. It joins an open room, or the room of
// an invitation:
//
//	go run ./client
//	go run -tags window ./client -name Ann
//	go run ./client -connect http://127.0.0.1:8080/#CODE
//	go run ./client -connect https://play.example.com/ -token FILE
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"

	"github.com/tactusgo/tactus/examples/starter/game"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run plays until ctx or the session ends.
func run(ctx context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("client", flag.ContinueOnError)
	fs.SetOutput(errs)
	connect := fs.String("connect", "http://127.0.0.1:8080/", "the `link` to the game: its page, or an invitation to a room")
	name := fs.String("name", os.Getenv("USER"), "the `name` of the player")
	token := fs.String("token", "", "the `file` with the token of the login service; empty: for a server that needs no login")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}
	login := ""
	if *token != "" {
		text, err := os.ReadFile(*token)
		if err != nil {
			return fmt.Errorf("-token: %w", err)
		}
		login = strings.TrimSpace(string(text))
	}
	var config systems.ClientConfig
	who := game.Login{}
	who.Name.Set(*name)
	config.Login = who
	a, err := seat(ctx, *connect, login)
	if err != nil {
		return err
	}
	if config.Session.Token, err = netcode.ParseToken(a.Token); err != nil {
		return err
	}
	fmt.Fprintln(out, "room", a.Code)
	return play(ctx, a.Endpoints.UDP, config, out)
}
