package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v2"

	"github.com/tactusgo/tactus/systems/rooms/fleet/agones"
)

// manifest has the values of one document by their paths, such as spec.ports[0].name.
type manifest struct {
	t      *testing.T
	name   string
	values map[string]string
}

// load reads the manifests in a file of the folder deploy, by their kinds.
func load(t *testing.T, name string) map[string]*manifest {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*manifest)
	for d := yaml.NewDecoder(bytes.NewReader(b)); ; {
		var document any
		switch err := d.Decode(&document); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		}
		m := &manifest{t: t, name: name, values: make(map[string]string)}
		m.flatten("", document)
		all[m.values["kind"]] = m
	}
}

func (m *manifest) flatten(path string, value any) {
	switch value := value.(type) {
	case map[any]any:
		for key, value := range value {
			m.flatten(strings.TrimPrefix(path+"."+fmt.Sprint(key), "."), value)
		}
	case []any:
		for i, value := range value {
			m.flatten(fmt.Sprintf("%s[%d]", path, i), value)
		}
	default:
		m.values[path] = fmt.Sprint(value)
	}
}

// says compares values.
func (m *manifest) says(all map[string]string) {
	m.t.Helper()
	for path, want := range all {
		if got, ok := m.values[path]; !ok || got != want {
			m.t.Errorf("%s: %s is %q, want %q", m.name, path, got, want)
		}
	}
}

// number returns a value.
func (m *manifest) number(path string) int {
	m.t.Helper()
	n, err := strconv.Atoi(m.values[path])
	if err != nil {
		m.t.Errorf("%s: %s: %v", m.name, path, err)
	}
	return n
}

// named returns the field of the item of a list that has a name, such as the value of a variable.
func (m *manifest) named(list, name, field string) string {
	for i := 0; ; i++ {
		item := fmt.Sprintf("%s[%d].", list, i)
		switch m.values[item+"name"] {
		case name:
			return m.values[item+field]
		case "":
			return ""
		}
	}
}

// settings returns the settings of a process in a pod, from the ConfigMap and the variables of its container.
func (m *manifest) settings(container string, common *manifest) (s settings) {
	m.t.Helper()
	m.says(map[string]string{container + ".envFrom[0].configMapRef.name": common.values["metadata.name"]})
	given := make(map[string]string)
	for path, value := range common.values {
		if name, ok := strings.CutPrefix(path, "data."); ok {
			given[name] = value
		}
	}
	for i := 0; ; i++ {
		item := fmt.Sprintf("%s.env[%d].", container, i)
		name := m.values[item+"name"]
		if name == "" {
			break
		}
		given[name] = m.values[item+"value"] + m.values[item+"valueFrom.secretKeyRef.key"] + m.values[item+"valueFrom.fieldRef.fieldPath"]
	}
	variables := make(map[string]bool)
	s.flags().VisitAll(func(f *flag.Flag) { variables[variable(f.Name)] = true })
	var environment []string
	for name, value := range given {
		if strings.HasPrefix(name, prefix) && !variables[name] {
			m.t.Errorf("%s: the program has no flag for %s", m.name, name)
		}
		for other, with := range given { // as Kubernetes does
			value = strings.ReplaceAll(value, "$("+other+")", with)
		}
		environment = append(environment, name+"="+value)
	}
	if err := s.parse(nil, environment); err != nil {
		m.t.Errorf("%s: %v", m.name, err)
	}
	return s
}

// port returns the port of an address to listen on.
func port(t *testing.T, address string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil || host != "0.0.0.0" {
		t.Errorf("%q is not on all networks: %v", address, err)
	}
	return port
}

// pod checks the common properties of pods with and without Agones.
func (m *manifest) pod(pod string, common map[string]*manifest, nats map[string]*manifest) settings {
	m.t.Helper()
	container := pod + ".spec.containers[0]"
	s := m.settings(container, common["ConfigMap"])
	for _, value := range []string{s.issuer, s.audience, s.keys, s.look, s.operators} {
		if value == "" {
			m.t.Errorf("%s: a setting is missing: %+v", m.name, s)
		}
	}
	if _, err := newLogin(s.issuer, s.audience, s.keys, quiet); err != nil {
		m.t.Errorf("%s: %v", m.name, err)
	}
	if _, err := networks(s.proxies); err != nil {
		m.t.Errorf("%s: %v", m.name, err)
	}
	if s.name != "metadata.name" {
		m.t.Errorf("%s: processes have one name in common: %q", m.name, s.name)
	}
	for name, address := range map[string]string{"http": s.http, "operator": s.operator} {
		if got, want := m.named(container+".ports", name, "containerPort"), port(m.t, address); got != want {
			m.t.Errorf("%s: port %s is %q, and the program listens at %s", m.name, name, got, want)
		}
	}
	m.says(map[string]string{
		container + ".readinessProbe.httpGet.path": "/ready", container + ".readinessProbe.httpGet.port": common["Service"].values["spec.ports[0].targetPort"],
		pod + ".metadata.labels.app": common["Service"].values["spec.selector.app"],
	})
	for file, volume := range map[string]string{s.key: "key", s.ca: "nats-tls"} {
		folder := m.named(container+".volumeMounts", volume, "mountPath")
		if item := m.named(pod+".spec.volumes", volume, "secret.items[0].path"); file == "" || filepath.Join(folder, item) != file {
			m.t.Errorf("%s: the program reads %s, and there is %s/%s", m.name, file, folder, item)
		}
	}
	if grace := time.Duration(m.number(pod+".spec.terminationGracePeriodSeconds")) * time.Second; grace < longest+time.Minute {
		m.t.Errorf("%s: a pod is killed after %v, and a drain may take %v", m.name, grace, longest)
	}
	limit, err := strconv.Atoi(strings.TrimSuffix(m.values[container+".resources.limits.memory"], "Mi"))
	soft, err2 := strconv.Atoi(strings.TrimSuffix(common["ConfigMap"].values["data.GOMEMLIMIT"], "MiB"))
	if err != nil || err2 != nil || soft > limit*95/100 || soft < limit*85/100 {
		m.t.Errorf("%s: GOMEMLIMIT is %d of %d", m.name, soft, limit)
	}
	u, err := url.Parse(s.nats)
	if err != nil || u.Scheme != "tls" || u.Hostname() != nats["Service"].values["metadata.name"] || u.Port() != nats["Service"].values["spec.ports[0].port"] {
		m.t.Errorf("%s: NATS is at %s, %v", m.name, u.Redacted(), err)
	}
	if password, _ := u.User.Password(); password != "nats-password" {
		m.t.Errorf("%s: the password of NATS is not of its secret: %q", m.name, password)
	}
	nats["StatefulSet"].says(map[string]string{
		"spec.replicas": strconv.Itoa(s.replicas), "spec.template.spec.containers[0].env[1].valueFrom.secretKeyRef.key": "nats-password",
	})
	return s
}

// The manifests name the variables, files, ports, counters and limits that the program has, and the program has the time that it
// needs.
func TestManifests(t *testing.T) {
	common, nats := load(t, "common.yaml"), load(t, "nats.yaml")
	d := load(t, "deployment.yaml")["Deployment"]
	const container = "spec.template.spec.containers[0]"
	s := d.pod("spec.template", common, nats)
	host, at, err := net.SplitHostPort(s.address)
	if err != nil || host != "status.hostIP" || at != d.named(container+".ports", "game", "hostPort") {
		t.Errorf("players are told %q, %v", s.address, err)
	}
	d.says(map[string]string{
		container + ".ports[0].containerPort": port(t, s.listen), container + ".ports[0].protocol": "UDP",
		container + ".livenessProbe.httpGet.path": "/rooms", container + ".livenessProbe.httpGet.port": "http",
		container + ".startupProbe.httpGet.path": "/rooms", container + ".startupProbe.httpGet.port": "http",
		"spec.selector.matchLabels.app": d.values["spec.template.metadata.labels.app"],
	})

	all := load(t, "agones.yaml")
	m := all["Fleet"]
	game, server := "spec.template.spec.ports[0]", "spec.template.spec"
	s = m.pod(server+".template", common, nats)
	if s.address != "" {
		t.Errorf("Agones says where players reach a process, and not %s", s.address)
	}
	m.says(map[string]string{
		"apiVersion": "agones.dev/v1", "spec.priorities[0].type": "Counter", "spec.priorities[0].key": agones.Rooms,
		"spec.allocationOverflow.labels." + agones.Drain: "true",
		game + ".name": gamePort, game + ".containerPort": port(t, s.listen), game + ".protocol": "UDP",
		game + ".container": m.values[server+".container"], server + ".template.spec.containers[0].name": m.values[server+".container"],
		server + ".counters." + agones.Rooms + ".count": "0", server + ".counters." + agones.Rooms + ".capacity": strconv.Itoa(maxRooms),
		server + ".counters." + agones.Players + ".count": "0", server + ".counters." + agones.Players + ".capacity": strconv.Itoa(maxRooms * capacity),
	})
	if period := m.number(server + ".health.periodSeconds"); period < 5 {
		t.Errorf("a sign of life is asked for every %d s, and told every 2 s", period)
	}
	a := all["FleetAutoscaler"]
	a.says(map[string]string{
		"apiVersion": "autoscaling.agones.dev/v1", "spec.fleetName": m.values["metadata.name"],
		"spec.policy.type": "Counter", "spec.policy.counter.key": agones.Rooms,
	})
	buffer, least, most := a.number("spec.policy.counter.bufferSize"), a.number("spec.policy.counter.minCapacity"), a.number("spec.policy.counter.maxCapacity")
	if buffer < 1 || least < buffer || most < least || most%maxRooms != 0 || least < m.number("spec.replicas")*maxRooms {
		t.Errorf("the fleet grows from %d to %d rooms with %d of them free", least, most, buffer)
	}
}

// The container file builds and starts this program with the Go version that it needs, opens its ports, and contains the
// certificates that it needs to trust the issuer of logins.
func TestContainerfile(t *testing.T) {
	b, err := os.ReadFile("deploy/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	c := load(t, "common.yaml")["ConfigMap"].values
	for _, want := range []string{
		"golang:" + regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1] + " AS build\n",
		"build -C examples/more/fleet ", "-o /out/fleet .\n", "STOPSIGNAL SIGTERM\n", "USER 65532:65532\n", `ENTRYPOINT ["/fleet", "serve"]`,
		"/etc/ssl/certs/ca-certificates.crt\n",
		fmt.Sprintf("EXPOSE %s/udp %s %s\n", port(t, c["data.FLEET_LISTEN"]), port(t, c["data.FLEET_HTTP"]), port(t, c["data.FLEET_OPERATOR"])),
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// Three servers of NATS run by the configuration of the manifest, and a process opens a directory on them: it knows them by the
// certificate, and they know it by the password.
func TestNATS(t *testing.T) {
	all := load(t, "nats.yaml")
	folder := t.TempDir()
	roots := certify(t, folder, []string{"dots-nats", "*.dots-nats"})
	text := strings.ReplaceAll(all["ConfigMap"].values["data.nats.conf"], "/etc/nats-tls", folder)
	file := filepath.Join(folder, "nats.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NATS_PASSWORD", "nats-0123")
	var ports []int
	var taken []net.Listener
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports, taken = append(ports, l.Addr().(*net.TCPAddr).Port), append(taken, l)
	}
	var servers []*server.Server
	for i := range 3 {
		name := fmt.Sprint(all["StatefulSet"].values["metadata.name"], "-", i)
		t.Setenv("POD_NAME", name)
		o, err := server.ProcessConfigFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Routes) != 3 || o.Routes[i].Hostname() != name+"."+all["Service"].values["metadata.name"] || o.Routes[i].Port() != all["Service"].values["spec.ports[1].port"] {
			t.Errorf("routes %v", o.Routes)
		}
		if err := roots.VerifyHostname(o.Routes[i].Hostname()); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(o.Port, o.Cluster.Port, o.HTTPPort); got != "4222 6222 8222" {
			t.Errorf("ports %s", got)
		}
		if o.Routes, o.StoreDir = nil, filepath.Join(folder, name); !o.TLSVerify && o.Cluster.TLSConfig == nil {
			t.Error("servers of the cluster do not know each other")
		}
		for _, p := range ports {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(p))})
		}
		o.Host, o.Port, o.HTTPPort, o.Cluster.Host, o.Cluster.Port, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, 0, "127.0.0.1", ports[i], true, true
		one, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { one.Shutdown(); one.WaitForShutdown() })
		servers = append(servers, one)
	}
	var urls []string
	for i, one := range servers {
		if err := taken[i].Close(); err != nil {
			t.Fatal(err)
		}
		one.Start()
		if !one.ReadyForConnections(patience) {
			t.Fatal("no connections")
		}
		urls = append(urls, "tls://dots:nats-0123@"+one.Addr().String())
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	s := settings{nats: strings.Join(urls, ","), ca: filepath.Join(folder, "ca.crt"), replicas: 3}
	directory, err := s.open(ctx, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	if _, err := directory.Save(ctx, "room.1", []byte("{}"), 0, 0); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]settings{
		"without the authority": {nats: s.nats, replicas: 3},
		"with another password": {nats: strings.ReplaceAll(s.nats, "0123", "4567"), ca: s.ca, replicas: 3},
	} {
		ctx, stop := context.WithTimeout(ctx, time.Second)
		if d, err := wrong.open(ctx, quiet); err == nil {
			d.Close()
			t.Errorf("%s: the directory is open", name)
		}
		stop()
	}
}

// certify writes the files of the secret nats-tls, for names and this machine, as the commands in nats.yaml do.
func certify(t *testing.T, folder string, names []string) *x509.Certificate {
	t.Helper()
	write := func(name, kind string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	b, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	write("tls.key", "PRIVATE KEY", private)
	write("tls.crt", "CERTIFICATE", b)
	write("ca.crt", "CERTIFICATE", b)
	if c, err = x509.ParseCertificate(b); err != nil {
		t.Fatal(err)
	}
	return c
}
