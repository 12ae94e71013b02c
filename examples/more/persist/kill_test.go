//go:build unix

package main

import (
	"bufio"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// account is a player of the kill test, with the confirmations that its clients received.
type account struct {
	bot

	mu                 sync.Mutex
	confirmed          uint32 // the highest number in a receipt
	lost               bool   // a client of this player has seen a bag without a confirmed purchase
	receipts, sessions int
}

// think plays, sometimes repeats its last purchase, and checks the server's answers.
func (a *account) think(c *systems.Client, in *Move) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bot.think(c, in)
	if a.asked > 0 && c.Input()%30 == 15 {
		_ = systems.Command(c, Buy{Number: a.asked, Item: uint8(a.asked % 3)})
	}
	own, _ := c.Own(c.World())
	bag, receipt := ecs.Get[Bag](c.World(), own), ecs.Get[Receipt](c.World(), own)
	if bag == nil || receipt == nil {
		return
	}
	if bag.Bought < a.confirmed {
		a.lost = true
	}
	if receipt.Bought > a.confirmed {
		a.confirmed = receipt.Bought
		a.receipts++
	}
}

// state returns the number of the last confirmed purchase, that of the last requested one, and the number of receipts.
func (a *account) state() (confirmed, asked uint32, receipts int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.confirmed, a.asked, a.receipts
}

// play joins and leaves until ctx ends. After half of the sessions, the server keeps the seat for a while.
func (a *account) play(ctx context.Context, addr string, id uint64) {
	for r := rand.New(rand.NewPCG(id, 1)); ctx.Err() == nil; time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) {
		c, err := systems.Dial(ctx, addr, protocol(), systems.ClientConfig{
			Gather: systems.Gather(a.think), Schedule: systems.Thin,
			Session: systems.ClientSession{ClientID: id, Timeout: time.Second / 2},
		})
		if err != nil {
			continue // the server is dead
		}
		a.sessions++
		session, end := context.WithTimeout(ctx, time.Duration(r.IntN(3000))*time.Millisecond)
		if r.IntN(2) == 0 {
			_ = c.Run(session, nil)
		} else {
			for session.Err() == nil && c.Err() == nil {
				c.Advance(time.Now())
				time.Sleep(time.Until(c.Next()))
			}
			c.Away(time.Now())
			_ = c.Close(time.Now())
		}
		end()
	}
}

// server starts the program and waits until it serves.
func server(t *testing.T, program, addr, file string) *exec.Cmd {
	t.Helper()
	slow := time.Duration(rand.IntN(2)) * 80 * time.Millisecond // so that some kills hit a receipt that was sent too early
	cmd := exec.Command(program, "-addr", addr, "-db", file, "-bots", "0", "-every", "200ms", "-window", "700ms", "-slow", slow.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the server does not start: %v", err)
	}
	return cmd
}

// changed returns when a file was last written.
func changed(t *testing.T, file string) time.Time {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// check counts the coins in the store of a dead server, and compares the players with the confirmations that they received.
func check(t *testing.T, file string, accounts []*account) (inWorld, inRows int) {
	t.Helper()
	store, err := OpenSQLite(file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	wire := netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:1"))
	k, err := newKeeper(wire, store, config{Window: time.Minute, Log: slog.New(slog.DiscardHandler)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer k.server.Close(time.Now())
	total := 0
	for range ecs.All[struct{ Coin Coin }](k.server.World()) {
		total++
	}
	for i, a := range accounts {
		confirmed, asked, _ := a.state()
		row, found, err := store.Player(uint64(i) + 1)
		if err != nil {
			t.Fatal(err)
		}
		if world, is := k.written[uint64(i)+1]; !is && found {
			inRows++
		} else if is {
			inWorld++
			if found && row != world {
				t.Errorf("player %d: the row has %+v, the world %+v", i+1, row, world)
			}
			row = world
		}
		var items [3]uint16
		for n := range row.Bag.Bought {
			items[(n+1)%3]++
		}
		if row.Bag.Items != items {
			t.Errorf("player %d has the items %v, want %v after %d purchases", i+1, row.Bag.Items, items, row.Bag.Bought)
		}
		if b := row.Bag.Bought; b < confirmed || b > asked {
			t.Errorf("player %d has %d purchases, of which %d were confirmed and %d requested", i+1, b, confirmed, asked)
		}
		if points := row.Score.Points; points != uint32(row.Bag.Coins)+price*row.Bag.Bought {
			t.Errorf("player %d has picked up %d coins, spent %d and has %d", i+1, points, price*row.Bag.Bought, row.Bag.Coins)
		}
		total += int(row.Bag.Coins)
	}
	if total != coins {
		t.Errorf("%d coins on the ground and in bags, want %d", total, coins)
	}
	return inWorld, inRows
}

// A server is killed at random moments while players collect, buy, leave and return. After each kill the store has every confirmed
// purchase exactly once, and every coin exactly once.
func TestKill(t *testing.T) {
	kills := 5
	if os.Getenv("TACTUS_LONG") != "" {
		kills = 50
	}
	folder := t.TempDir()
	program, file := filepath.Join(folder, "persist"), filepath.Join(folder, "persist.db")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.LocalAddr().String()
	_ = free.Close()

	accounts := make([]*account, 6)
	ctx, stop := context.WithCancel(t.Context())
	var playing sync.WaitGroup
	defer playing.Wait()
	defer stop()
	for i := range accounts {
		accounts[i] = new(account)
		playing.Go(func() { accounts[i].play(ctx, addr, uint64(i)+1) })
	}
	receipts := func() (n int) {
		for _, a := range accounts {
			_, _, r := a.state()
			n += r
		}
		return n
	}
	returned, absent := 0, 0
	for range kills {
		cmd := server(t, program, addr, file)
		kind := rand.IntN(3)
		if kind > 0 { // the others end at any moment after the start, perhaps before a purchase
			for before := receipts(); receipts() == before; time.Sleep(time.Millisecond) {
			}
		}
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
		if kind > 1 { // while SQLite writes
			for before := changed(t, file+"-wal"); changed(t, file+"-wal").Equal(before); {
			}
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		world, rows := check(t, file, accounts)
		returned, absent = returned+world, absent+rows
		if t.Failed() {
			t.FailNow()
		}
	}
	stop()
	playing.Wait()
	sessions, bought := 0, uint32(0)
	for i, a := range accounts {
		if a.lost {
			t.Errorf("a client of player %d did not see a purchase that was confirmed to it", i+1)
		}
		sessions, bought = sessions+a.sessions, bought+a.confirmed
	}
	if bought == 0 || kills >= 50 && (returned == 0 || absent == 0) {
		t.Error("the test tests nothing")
	}
	t.Logf("%d kills, %d sessions of %d players; %d purchases in %d receipts; at the kills, players were %d times in the world and %d times only in rows",
		kills, sessions, len(accounts), bought, receipts(), returned, absent)
}
