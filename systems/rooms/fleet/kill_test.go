package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tactusgo/tactus/systems/rooms"
)

// child is a server in a process of its own, so that it can be killed: one that is shut down hands over before.
type child struct {
	Number   int
	Port     int
	Ports    []int // of all, for each other
	Password string
	Folder   string
}

const childVariable = "TACTUS_FLEET_CHILD"

// TestMain is a child, too.
func TestMain(m *testing.M) {
	if about := os.Getenv(childVariable); about != "" {
		if err := serve(about); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve runs a child until who started it ends.
func serve(about string) error {
	var c child
	if err := json.Unmarshal([]byte(about), &c); err != nil {
		return err
	}
	s := &Servers{password: c.Password}
	o := s.options(c.Number, c.Folder)
	o.Port, o.Cluster.Name, o.Cluster.Port = c.Port, "tactus", c.Ports[c.Number]
	for _, port := range c.Ports {
		o.Routes = append(o.Routes, s.url(port))
	}
	one, err := server.NewServer(o)
	if err != nil {
		return err
	}
	one.Start()
	_, err = os.Stdin.Read(make([]byte, 1))
	return err
}

// processes are three servers in processes of their own, and how one is killed by its name.
func processes(t *testing.T) (Config, func(name string)) {
	t.Helper()
	s := &Servers{password: "drawn"}
	_, ports, err := s.routes(6)
	if err != nil {
		t.Fatal(err)
	}
	folder, c := t.TempDir(), Config{Replicas: 3}
	commands := make(map[string]*exec.Cmd)
	for i := range 3 {
		about, err := json.Marshal(child{i, ports[i], ports[3:], s.password, folder})
		if err != nil {
			t.Fatal(err)
		}
		e := exec.Command(os.Args[0])
		e.Env = append(os.Environ(), childVariable+"="+string(about))
		e.Stderr = os.Stderr
		if _, err = e.StdinPipe(); err == nil { // it ends with this process
			err = e.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = e.Process.Kill(), e.Wait() })
		commands[fmt.Sprintf("tactus-%d", i+1)] = e
		c.URL += "," + s.url(ports[i]).String()
	}
	return c, func(name string) {
		if err := commands[name].Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = commands[name].Wait()
	}
}

// leader is the name of the server that leads the stream.
func leader(t *testing.T, d *Directory) (name string) {
	t.Helper()
	within(t, "a leader", func() bool {
		info, err := d.stream.Info(t.Context())
		if err == nil {
			name = info.Cluster.Leader
		}
		return name != ""
	})
	return name
}

// When the leader of three is killed, writes are refused for a while; reads go on, no lease ends, and nothing that was
// written is lost. Then all goes on, and leases begin again.
func TestLeaderIsKilled(t *testing.T) {
	s, kill := processes(t)
	one, _ := opened(t, s)
	two, clock := opened(t, s)
	ctx := t.Context()
	told, err := two.Watch(ctx, "room.")
	if err != nil {
		t.Fatal(err)
	}
	process := save(t, one, "process.one", "1", 0, 10*time.Second)
	written := make(map[string]uint64)
	for i := range 50 {
		key := fmt.Sprint("room.", i)
		written[key] = save(t, one, key, "1", 0, 0)
	}
	within(t, "two hears all", func() bool { all, _ := two.List(ctx, ""); return len(all) == 51 })

	kill(leader(t, one))
	var refused *Refused
	refusals, key, revision := 0, "", uint64(0)
	within(t, "writes go on", func() bool {
		// Reads do, all the time.
		if r, err := two.Load(ctx, "process.one"); err != nil || r.Revision != process {
			t.Fatalf("load: %+v, %v", r, err)
		}
		if all, err := two.List(ctx, "room."); err != nil || len(all) < 50 {
			t.Fatalf("list: %d, %v", len(all), err)
		}
		key = fmt.Sprint("room.late", refusals)
		var err error
		if revision, err = one.Save(ctx, key, []byte("1"), 0, 0); err == nil {
			return true
		}
		if !errors.Is(err, rooms.ErrUnavailable) || !errors.As(err, &refused) || refused.Again <= 0 || refused.Since.IsZero() {
			t.Fatalf("%v", err)
		}
		refusals++
		clock.turn(time.Hour) // for two no lease may end meanwhile
		return false
	})
	if refusals == 0 {
		t.Fatal("no write was refused: the one that was killed did not lead")
	}
	t.Logf("%d writes were refused: %v", refusals, refused)
	written[key] = revision
	for key, revision := range written {
		if r, err := one.Load(ctx, key); err != nil || r.Revision != revision {
			t.Fatalf("%s: %+v, %v, want revision %d", key, r, err, revision)
		}
	}
	for told := range told {
		if told.Gone {
			t.Fatalf("told of %+v", told)
		}
		if told.Key == key {
			break
		}
	}
	// The process is there, and has a whole lease again to say so.
	within(t, "two writes again", func() bool { down, _ := two.health.down(clock.get()); clock.turn(time.Second); return !down })
	two.reconnected()
	clock.turn(10*time.Second - 1)
	two.expire(ctx)
	process = save(t, one, "process.one", "2", process, 10*time.Second)
	within(t, "two hears of it", func() bool { r, _ := two.known.load("process.one"); return r.Revision == process })
	clock.turn(10 * time.Second)
	two.expire(ctx)
	if _, err := one.Load(ctx, "process.one"); !errors.Is(err, rooms.ErrAbsent) {
		t.Fatalf("after its lease: %v", err)
	}
}
