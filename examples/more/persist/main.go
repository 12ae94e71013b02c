// Command persist is a game whose players keep their inventory, position and score in SQLite, also if the process is killed. Players
// pick up coins and spend them in a shop. docs/guide/players.md explains the parts:
//
//   - game.go has the rules. They know nothing about the store.
//
//   - store.go has the store: an interface with three methods, and SQLite.
//
//   - keeper.go reads players who join, and saves the world with the players in one transaction.
//
//   - bot.go has a bot.
//
// Run it with four bots:
//
//	go -C examples/more run ./persist -bots 4
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:7777", "serve this UDP `address`")
	file := flag.String("db", "persist.db", "keep world and players in this `file`")
	bots := flag.Int("bots", 4, "number of bots")
	c := config{Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	flag.DurationVar(&c.Interval, "every", 5*time.Second, "time between saves")
	flag.DurationVar(&c.Window, "window", 30*time.Second, "how long a disconnected player stays in the world")
	slow := flag.Duration("slow", 0, "delay each commit by this `time`, like a slow disk")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr, *file, *bots, *slow, c); err != nil {
		fmt.Fprintln(os.Stderr, "persist:", err)
		os.Exit(1)
	}
}

// serve runs the game until ctx ends.
func serve(ctx context.Context, addr, file string, bots int, slow time.Duration, c config) (err error) {
	store, err := OpenSQLite(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	wire, err := eventloop.Listen(addr)
	if err != nil {
		return err
	}
	k, err := newKeeper(wire, slowStore{store, slow}, c, time.Now())
	if err != nil {
		return err
	}
	ground := 0
	for range ecs.All[struct{ Coin Coin }](k.server.World()) {
		ground++
	}
	fmt.Printf("serving %s from tick %d: %d players in the world, %d coins on the ground\n", addr, k.server.Tick(), len(k.written), ground)
	for n := range bots {
		go func() {
			if err := play(ctx, addr, uint64(n)+1); err != nil {
				c.Log.Error("bot ended", "bot", n, "error", err)
			}
		}()
	}
	return k.run(ctx)
}

// slowStore is a store that waits before each commit.
type slowStore struct {
	Store
	delay time.Duration
}

// Commit implements [Store].
func (s slowStore) Commit(world []byte, players []Player) error {
	time.Sleep(s.delay)
	return s.Store.Commit(world, players)
}
