package natsdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tactusgo/tactus/systems/rooms/fleet"
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

// serve runs a child process until its parent ends.
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

// cluster is three servers in processes of their own, that may be killed and started again by their names.
type cluster struct {
	Config
	t       *testing.T
	start   map[string]func() *exec.Cmd
	running map[string]*exec.Cmd
}

// newCluster starts one of the embedded servers.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	s := &Servers{password: "drawn"}
	_, ports, err := s.routes(6)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Config: Config{Replicas: 3}, t: t, start: make(map[string]func() *exec.Cmd), running: make(map[string]*exec.Cmd)}
	folder := t.TempDir()
	for i := range 3 {
		about, err := json.Marshal(child{i, ports[i], ports[3:], s.password, folder})
		if err != nil {
			t.Fatal(err)
		}
		c.URL += "," + s.url(ports[i]).String()
		c.add(fmt.Sprintf("tactus-%d", i+1), func() *exec.Cmd {
			e := exec.Command(os.Args[0])
			e.Env = append(os.Environ(), childVariable+"="+string(about))
			return e
		})
	}
	return c
}

// add starts a server, which ends with this process.
func (c *cluster) add(name string, command func() *exec.Cmd) {
	c.t.Helper()
	c.start[name] = command
	c.begin(name)
	c.t.Cleanup(func() { c.kill(name) })
}

// begin starts a server, again after it was killed.
func (c *cluster) begin(name string) {
	c.t.Helper()
	e := c.start[name]()
	e.Stderr = os.Stderr
	_, err := e.StdinPipe()
	if err == nil {
		err = e.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.running[name] = e
}

// kill kills a server, if it runs.
func (c *cluster) kill(name string) {
	if e := c.running[name]; e != nil {
		_, _ = e.Process.Kill(), e.Wait()
		delete(c.running, name)
	}
}

// settled waits until writes work: the servers have found each other.
func (c *cluster) settled(d *Directory) {
	c.t.Helper()
	within(c.t, "the first write", func() bool {
		_, err := d.Save(c.t.Context(), "test.first", nil, 0, 0)
		return err == nil || errors.Is(err, fleet.ErrConflict) // it was written, and the answer was lost
	})
}

// leader returns the name of the server that leads the stream, when all others follow it.
func (c *cluster) leader(d *Directory) (name string) {
	c.t.Helper()
	within(c.t, "a leader that two follow", func() bool {
		info, err := d.stream.Info(c.t.Context())
		if err != nil || info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) != 2 {
			return false
		}
		for _, r := range info.Cluster.Replicas {
			if !r.Current || r.Offline {
				return false
			}
		}
		name = info.Cluster.Leader
		return true
	})
	return name
}
