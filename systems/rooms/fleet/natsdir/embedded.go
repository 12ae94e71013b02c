package natsdir

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	user = "tactus"
	host = "127.0.0.1"
	// startTime is the timeout for starting the servers.
	startTime = 30 * time.Second
)

// Embedding configures [Embedded].
type Embedding struct {
	// Servers is the number of servers: 1, or 3 for redundancy. Default (0): 1.
	Servers int
	// Port is the port of the first server, on loopback. Default (0): a free port.
	Port int
	// Password is the clients' password. Default (""): random.
	Password string
	// Folder is where the servers store their data. Default (""): a temporary folder, removed by Close.
	Folder string
}

// Servers are NATS servers in this process.
type Servers struct {
	all      []*server.Server
	password string
	folder   string // to remove
}

// Embedded starts NATS servers with JetStream in this process, on loopback, for the processes of one machine. An error
// about the configuration wraps [ErrConfig].
func Embedded(e Embedding) (*Servers, error) {
	e.Servers = cmp.Or(e.Servers, 1)
	if e.Servers != 1 && e.Servers != 3 {
		return nil, fmt.Errorf("%w: Servers is %d: write 1, or 3 that replace each other", ErrConfig, e.Servers)
	}
	if e.Port < 0 || e.Port > 65535 {
		return nil, fmt.Errorf("%w: Port %d is none", ErrConfig, e.Port)
	}
	s := &Servers{password: cmp.Or(e.Password, rand.Text())}
	if e.Folder == "" {
		var err error
		if e.Folder, err = os.MkdirTemp("", "tactus-fleet-"); err != nil {
			return nil, err
		}
		s.folder = e.Folder
	}
	if err := s.start(e); err != nil {
		s.Close()
		return nil, fmt.Errorf("natsdir: NATS does not start: %w", err)
	}
	return s, nil
}

// start starts the servers and waits until they answer requests.
func (s *Servers) start(e Embedding) error {
	routes, ports, err := s.routes(e.Servers)
	if err != nil {
		return err
	}
	for i := range e.Servers {
		o := s.options(i, e.Folder)
		if i == 0 && e.Port != 0 {
			o.Port = e.Port
		}
		if e.Servers > 1 {
			o.Cluster.Name, o.Cluster.Port, o.Routes = "tactus", ports[i], routes
		}
		one, err := server.NewServer(o)
		if err != nil {
			return err
		}
		s.all = append(s.all, one)
		one.Start()
	}
	limit := time.Now().Add(startTime)
	for _, one := range s.all {
		if !one.ReadyForConnections(time.Until(limit)) {
			return errors.New("no connections; is the port taken?")
		}
	}
	for !s.leads() {
		if time.Now().After(limit) {
			return errors.New("the servers do not find each other")
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}

// options returns the options of one server.
func (s *Servers) options(i int, folder string) *server.Options {
	return &server.Options{
		ServerName: fmt.Sprintf("tactus-%d", i+1), Host: host, Port: server.RANDOM_PORT, Username: user, Password: s.password,
		JetStream: true, StoreDir: filepath.Join(folder, fmt.Sprint(i+1)), JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 16 * maxBytes,
		NoLog: true, NoSigs: true, Cluster: server.ClusterOpts{Host: host, Username: user, Password: s.password},
	}
}

// leads reports whether the servers have elected a leader.
func (s *Servers) leads() bool {
	if len(s.all) == 1 {
		return s.all[0].JetStreamEnabled()
	}
	for _, one := range s.all {
		if one.JetStreamIsLeader() {
			return true
		}
	}
	return false
}

// routes returns free ports at which the servers of a cluster connect to each other.
func (s *Servers) routes(n int) (routes []*url.URL, ports []int, err error) {
	if n == 1 {
		return nil, nil, nil
	}
	for range n {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return nil, nil, err
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		ports = append(ports, port)
		routes = append(routes, s.url(port))
	}
	return routes, ports, nil
}

func (s *Servers) url(port int) *url.URL {
	return &url.URL{Scheme: "nats", User: url.UserPassword(user, s.password), Host: net.JoinHostPort(host, fmt.Sprint(port))}
}

// Config returns the configuration with which this and other processes on this machine open a directory on these servers.
// Its URL contains the password: pass it in the environment, not in arguments, which are public.
func (s *Servers) Config() Config {
	var all []string
	for _, one := range s.all {
		all = append(all, s.url(one.Addr().(*net.TCPAddr).Port).String())
	}
	return Config{URL: strings.Join(all, ","), Replicas: len(s.all)}
}

// Close stops the servers.
func (s *Servers) Close() {
	for _, one := range s.all {
		one.Shutdown()
	}
	for _, one := range s.all {
		one.WaitForShutdown()
	}
	if s.folder != "" {
		_ = os.RemoveAll(s.folder)
	}
}
