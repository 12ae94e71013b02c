//go:build !js

// Command client plays the game. Without build tags it runs in a terminal: a bot plays, and the client prints one line
// per second about its view. With the tag window it opens a window in which you play:
//
//	go run ./client
//	go run -tags window ./client -name Ann
//	go run ./client -connect play.example.com:7777 -token FILE
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

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
	connect := fs.String("connect", "127.0.0.1:7777", "the server's `address`")
	name := fs.String("name", os.Getenv("USER"), "the `name` of the player")
	token := fs.String("token", "", "the `file` with the answer of the login service; empty: for a server on this machine without a key")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}
	var config systems.ClientConfig
	who := game.Login{}
	who.Name.Set(*name)
	config.Login = who
	if *token != "" {
		var err error
		if config.Session.Token, err = read(*token); err != nil {
			return fmt.Errorf("-token: %w", err)
		}
	}
	return play(ctx, *connect, config, out)
}

// read reads a connect token from the answer of a login service: {"token": "…"}, in base64.
func read(name string) (*netcode.ConnectToken, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var answer struct{ Token []byte }
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	return netcode.ParseToken(answer.Token)
}
