package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
)

// childVariable tells a process that the demonstration started it. The process ends when its input ends.
const childVariable = "FLEET_CHILD"

// demo is the demonstration. Its methods may be called from any goroutine.
type demo struct {
	ctx       context.Context
	stop      context.CancelFunc
	beside    sync.WaitGroup // number of running players
	folder    string
	nats      *natsdir.Servers
	directory *natsdir.Directory
	issuer    *issuer
	operator  string   // token
	env       []string // environment of the processes
	players   []*player
	began     time.Time

	mu        sync.Mutex
	out       io.Writer
	processes []*process
}

// process is a process started by the demonstration.
type process struct {
	*exec.Cmd
	name           string
	in             io.Closer
	http, operator string        // set before serving is closed
	serving, gone  chan struct{} // closed when it serves, and when it has ended
}

func (p *process) running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// demonstrate plays on several processes on this machine until ctx ends. It executes the commands in in.
func demonstrate(ctx context.Context, in io.Reader, out io.Writer) error {
	d, err := newDemo(ctx, out)
	if err != nil {
		return err
	}
	defer d.end()
	d.say("NATS, an issuer of logins and three processes run. Each process gives seats for all, and has an operator page:")
	for _, p := range d.all() {
		d.say("    %s   http://%s/rooms   http://%s", p.name, p.http, p.operator)
	}
	if err := d.account(); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	d.say(`It goes on until Ctrl-C. Write "kill N" or "drain N" about process-N, or "start". The operator page takes the token %s. A seat by hand:
  TOKEN=$(curl -s -d name=eve %s/token)
  curl -H "Authorization: Bearer $TOKEN" -H Content-Type:application/json -d '{"kind":"dots"}' http://%s/rooms/join`,
		d.operator, d.issuer.url, d.lobbies()[0])
	go d.read(in) // it waits for lines, not for the end
	<-ctx.Done()
	return nil
}

// newDemo starts NATS, an issuer and three processes. Call end.
func newDemo(ctx context.Context, out io.Writer) (*demo, error) {
	d := &demo{out: out, began: time.Now(), operator: rand.Text()}
	d.ctx, d.stop = context.WithCancel(ctx)
	if err := d.setUp(); err != nil {
		d.end()
		return nil, err
	}
	return d, nil
}

// setUp runs the part of newDemo that may fail.
func (d *demo) setUp() (err error) {
	if d.folder, err = os.MkdirTemp("", "fleet-"); err != nil {
		return err
	}
	file, key := filepath.Join(d.folder, "key"), netcode.GenerateKey(nil)
	if err := os.WriteFile(file, []byte(hex.EncodeToString(key[:])), 0o600); err != nil {
		return err
	}
	if d.nats, err = natsdir.Embedded(natsdir.Embedding{Folder: filepath.Join(d.folder, "nats")}); err != nil {
		return err
	}
	if d.directory, err = natsdir.Open(d.ctx, d.nats.Config()); err != nil {
		return err
	}
	if d.issuer, err = issue(d.ctx); err != nil {
		return err
	}
	for name, value := range map[string]string{
		"nats": d.nats.Config().URL, "key": file, "issuer": d.issuer.url, "audience": game, "jwks": d.issuer.url + "/keys",
		"listen": "127.0.0.1:0", "http": "127.0.0.1:0", "operator": "127.0.0.1:0", "operators": "ada=" + d.operator,
	} {
		d.env = append(d.env, variable(name)+"="+value)
	}
	for range 3 {
		if _, err := d.start(); err != nil {
			return err
		}
	}
	return d.ready()
}

// end stops players and processes and waits for them.
func (d *demo) end() {
	d.stop()
	d.beside.Wait()
	for _, p := range d.all() {
		_ = p.in.Close()
	}
	for _, p := range d.all() {
		<-p.gone
	}
	if d.directory != nil {
		d.directory.Close()
	}
	if d.nats != nil {
		d.nats.Close()
	}
	_ = os.RemoveAll(d.folder)
}

// account runs the steps of the demonstration.
func (d *demo) account() error {
	for i, name := range []string{"ada", "bob", "cleo", "dan"} {
		p := &player{demo: d, name: name, party: []string{"party-1", "party-2"}[i/2], asks: i}
		d.players = append(d.players, p)
		d.beside.Go(func() { p.play(d.ctx) })
	}
	if err := d.until("all play", func() bool { return all(d.players, (*player).walks) }); err != nil {
		return err
	}
	d.say("Two parties of two asked different processes, and each met in one room.")

	old, there, err := d.hosts(d.players[0])
	if err != nil {
		return err
	}
	fresh, err := d.start()
	if err != nil {
		return err
	}
	if err := d.ready(); err != nil {
		return err
	}
	d.say("A deploy: %s has started, and %s gets SIGTERM. %d play there.", fresh.name, old.name, len(there))
	if err := old.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := d.until("all have travelled, and their process has ended", func() bool {
		return !old.running() && all(there, func(p *player) bool { return p.travels.Load() > 0 && p.walks() })
	}); err != nil {
		return err
	}
	d.say("%s has ended: %v. Its players went on without a break.", old.name, old.ProcessState)

	victim, there, err := d.hosts(d.players[0])
	if err != nil {
		return err
	}
	d.say("A crash: kill -9 of %s. %d play there.", victim.name, len(there))
	if err := victim.Process.Kill(); err != nil {
		return err
	}
	if err := d.until("all play again", func() bool {
		return all(there, func(p *player) bool { return p.losses.Load() > 0 && p.walks() })
	}); err != nil {
		return err
	}
	d.say("All play again.")
	return nil
}

// all reports whether a condition holds for all players.
func all(players []*player, holds func(p *player) bool) bool {
	return !slices.ContainsFunc(players, func(p *player) bool { return !holds(p) })
}

// hosts returns the process in which a player plays, and all players there.
func (d *demo) hosts(one *player) (at *process, there []*player, err error) {
	e, err := d.roomOf(one)
	if err != nil {
		return nil, nil, err
	}
	all := d.all()
	i := slices.IndexFunc(all, func(p *process) bool { return p.name == e.Process })
	if i < 0 {
		return nil, nil, fmt.Errorf("there is no process %s", e.Process)
	}
	for _, p := range d.players {
		if x, err := d.roomOf(p); err == nil && x.Process == e.Process {
			there = append(there, p)
		}
	}
	return all[i], there, nil
}

// until waits until a condition holds.
func (d *demo) until(what string, holds func() bool) error {
	for !holds() {
		if pause(d.ctx, 50*time.Millisecond); d.ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, d.ctx.Err())
		}
	}
	return nil
}

// ready waits until the running processes serve and are in the directory.
func (d *demo) ready() error {
	for _, p := range d.all() {
		select {
		case <-d.ctx.Done():
			return d.ctx.Err()
		case <-p.serving:
		case <-p.gone:
			select {
			case <-p.serving: // it has ended meanwhile
			default:
				return fmt.Errorf("%s does not start: %v", p.name, p.ProcessState)
			}
		}
	}
	return d.until("the directory has all processes", func() bool {
		return !slices.ContainsFunc(d.all(), func(p *process) bool {
			_, err := d.directory.Load(d.ctx, fleet.ProcessPrefix+p.name)
			return err != nil && p.running()
		})
	})
}

// roomOf returns the directory's record of a player's room.
func (d *demo) roomOf(p *player) (e rooms.RoomEntry, err error) {
	r, err := d.directory.Load(d.ctx, fleet.RoomKey(rooms.ID(p.room.Load())))
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(r.Value, &e)
}

// say prints a line of the demonstration.
func (d *demo) say(format string, v ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = fmt.Fprintf(d.out, "%5.1f s  %s\n", time.Since(d.began).Seconds(), fmt.Sprintf(format, v...))
}

// all returns the processes, including ended ones.
func (d *demo) all() []*process {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.processes)
}

// lobbies returns the HTTP addresses of the running processes. In a cluster a load balancer has them.
func (d *demo) lobbies() (all []string) {
	for _, p := range d.all() {
		select {
		case <-p.serving:
			if p.running() {
				all = append(all, p.http)
			}
		default:
		}
	}
	return all
}

// start starts this program again as a process with rooms. variables take precedence over the common ones.
func (d *demo) start(variables ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := &process{Cmd: exec.Command(self, "serve"), name: fmt.Sprintf("process-%d", len(d.processes)+1), serving: make(chan struct{}), gone: make(chan struct{})}
	p.Env = slices.Concat(os.Environ(), d.env, []string{variable("name") + "=" + p.name, childVariable + "=1"}, variables)
	log, err := p.StderrPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	d.processes = append(d.processes, p)
	go func() {
		d.hear(p, log)
		_ = p.Wait()
		close(p.gone)
	}()
	return p, nil
}

// hear reads the log of a process and prints warnings.
func (d *demo) hear(p *process, log io.Reader) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			d.say("    %s: %s", p.name, lines.Text())
			continue
		}
		level, msg := line["level"], line["msg"]
		for _, name := range []string{"time", "level", "msg"} {
			delete(line, name)
		}
		switch {
		case msg == "serving":
			p.http, p.operator = fmt.Sprint(line["http"]), fmt.Sprint(line["operator"])
			close(p.serving)
		case level == "WARN" || level == "ERROR":
			d.say("    %s warns: %v %s", p.name, msg, strings.TrimPrefix(fmt.Sprint(line), "map"))
		}
	}
}

// read executes the commands.
func (d *demo) read(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var what, number string
		_, _ = fmt.Sscan(lines.Text(), &what, &number)
		n, _ := strconv.Atoi(number)
		all := d.all()
		signal := map[string]os.Signal{"kill": os.Kill, "drain": syscall.SIGTERM}[what]
		switch {
		case what == "start":
			if _, err := d.start(); err != nil {
				d.say("%v", err)
			}
		case signal != nil && n >= 1 && n <= len(all) && all[n-1].running():
			_ = all[n-1].Process.Signal(signal)
		default:
			d.say(`%q: write "kill N", "drain N" or "start"`, lines.Text())
		}
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
