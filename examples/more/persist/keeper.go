package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/save"
)

// retry is the time between attempts after an error of the store.
const retry = time.Second

// config configures a keeper.
type config struct {
	Interval time.Duration // between saves
	Window   time.Duration // how long a disconnected player stays in the world
	Log      *slog.Logger
}

// keeper runs a server and keeps its world and players in a store. A player's data are in one of three places: in the world while
// the player has an entity, in left from the end of the entity until a commit, and in the store afterwards.
type keeper struct {
	config
	server *systems.Server
	store  Store

	left    map[uint64]Player // players who left, until their rows are committed
	written map[uint64]Player // what the store has of players in the world and in left; defaults of new ones
	reading map[uint64]bool   // players whose rows are being read
	saving  bool              // a commit is running
	next    time.Time         // when the next save is due
	hold    time.Time         // no save before this time, because one failed

	rows    chan Player // rows that were read
	commits chan commit // commits that have ended
}

// commit is a save with its result.
type commit struct {
	encode  func() ([]byte, error)
	players []Player
	err     error
}

// newKeeper creates a server on a transport that continues with the world in a store, if there is one.
func newKeeper(wire netsys.Wire, store Store, c config, start time.Time) (*keeper, error) {
	world, err := store.World()
	if err == nil && world != nil {
		world, err = compression.Decompress(world, save.MaxSize)
	}
	if err != nil {
		return nil, fmt.Errorf("world in the store: %w", err)
	}
	server, err := systems.NewServer(wire, protocol(), systems.ServerConfig{
		Load: world, Start: start, Logger: c.Log,
		Players: systems.Players{
			ReconnectWindow: c.Window,
			Login: systems.Login(func(s netsys.Session, v *Login) error {
				v.Account = s.ClientID()
				return nil
			}),
		},
	})
	if err != nil {
		return nil, err
	}
	ecs.SetResource(server.World(), &Left{})
	if world == nil {
		scatter(server.World(), coins, 0)
	}
	k := &keeper{
		config: c, server: server, store: store, next: start.Add(c.Interval),
		left: make(map[uint64]Player), written: make(map[uint64]Player), reading: make(map[uint64]bool),
		rows: make(chan Player), commits: make(chan commit, 1),
	}
	for _, p := range ecs.All[player](server.World()) {
		k.written[p.Account.ID] = p.stored()
	}
	k.issueReceipts()
	return k, nil
}

// run runs the server until ctx ends, and saves it a last time.
func (k *keeper) run(ctx context.Context) error {
	for ctx.Err() == nil && k.server.Err() == nil {
		now := time.Now()
		k.server.Advance(now)
		k.step(now)
		time.Sleep(time.Until(k.server.Next()))
	}
	if k.saving {
		k.finish(<-k.commits)
	}
	k.collect()
	last := k.capture()
	last.run(k.store)
	k.finish(last)
	if err := k.server.Close(time.Now()); err != nil {
		return err
	}
	return last.err
}

// step runs between ticks.
func (k *keeper) step(now time.Time) {
	select {
	case c := <-k.commits:
		if k.finish(c); c.err != nil {
			k.hold = now.Add(retry)
		}
	default:
	}
	k.collect()
	k.admit()
	if !k.saving && !now.Before(k.hold) && (len(k.left) > 0 || k.pending() || !now.Before(k.next)) {
		k.saving, k.next = true, now.Add(k.Interval)
		c := k.capture()
		go func() {
			c.run(k.store)
			k.commits <- c
		}()
	}
}

// collect takes over the players who left.
func (k *keeper) collect() {
	left := ecs.Resource[Left](k.server.World())
	for _, p := range *left {
		k.left[p.ID] = p
	}
	*left = (*left)[:0]
}

// admit lets the players enter whose data are known, and starts to read the rows of the others.
func (k *keeper) admit() {
	w := k.server.World()
	waiting := make(map[uint64]ecs.Entity)
	for e, a := range ecs.All[struct{ Account Account }](w) {
		if !ecs.Has[Bag](w, e) {
			waiting[a.Account.ID] = e
		}
	}
	for range len(k.reading) {
		select {
		case p := <-k.rows:
			delete(k.reading, p.ID)
			if e, waits := waiting[p.ID]; waits {
				k.written[p.ID] = p
				enter(w, e, p, p.Bag.Bought)
				delete(waiting, p.ID)
			}
		default:
		}
	}
	for id, e := range waiting {
		if p, found := k.left[id]; found {
			enter(w, e, p, k.written[id].Bag.Bought)
			delete(k.left, id)
		} else if _, playing := k.written[id]; !playing && !k.reading[id] {
			k.reading[id] = true
			go k.read(id)
		}
	}
}

// read reads the row of a player.
func (k *keeper) read(id uint64) {
	p, found, err := k.store.Player(id)
	for ; err != nil; p, found, err = k.store.Player(id) {
		k.Log.Error("player not read", "player", id, "error", err)
		time.Sleep(retry)
	}
	if !found {
		p = Player{ID: id, Place: Place{width / 2, height / 2}}
	}
	k.rows <- p
}

// pending reports whether a purchase waits for its receipt.
func (k *keeper) pending() bool {
	for _, p := range ecs.All[player](k.server.World()) {
		if p.Bag.Bought != p.Receipt.Bought {
			return true
		}
	}
	return false
}

// capture copies the world and the rows that have changed since they were committed. Both are of the same moment: otherwise a coin
// could be in a bag and on the ground.
func (k *keeper) capture() commit {
	c := commit{encode: k.server.Save()}
	for _, p := range ecs.All[player](k.server.World()) {
		if row := p.stored(); k.written[row.ID] != row {
			c.players = append(c.players, row)
		}
	}
	for _, row := range k.left {
		c.players = append(c.players, row)
	}
	return c
}

// run encodes and commits a save. It needs no lock: nothing else has the copy.
func (c *commit) run(store Store) {
	world, err := c.encode()
	if err == nil {
		err = store.Commit(compression.Compress(world), c.players)
	}
	c.err = err
}

// finish notes what was committed and issues receipts.
func (k *keeper) finish(c commit) {
	k.saving = false
	if c.err != nil {
		k.Log.Error("not saved", "error", c.err)
		return
	}
	for _, row := range c.players {
		k.written[row.ID] = row
		if k.left[row.ID] == row {
			delete(k.left, row.ID)
			delete(k.written, row.ID)
		}
	}
	k.issueReceipts()
}

// issueReceipts tells the players in the world which of their purchases are stored.
func (k *keeper) issueReceipts() {
	for _, p := range ecs.Each[struct {
		Account *Account
		Receipt *Receipt
	}](k.server.World()) {
		p.Receipt.Bought = k.written[p.Account.ID].Bag.Bought
	}
}
