package natsdir

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// must is for the preparations of a test.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// certificate writes one for this machine, and its key, to files of that name, signed by a parent: nil, by itself.
func certificate(t *testing.T, name string, parent *tls.Certificate) *tls.Certificate {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: filepath.Base(name)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: parent == nil,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	by, signer := about, any(key)
	if parent != nil {
		by, signer = parent.Leaf, parent.PrivateKey
	}
	der := must(x509.CreateCertificate(rand.Reader, about, by, &key.PublicKey, signer))(t)
	secret := must(x509.MarshalPKCS8PrivateKey(key))(t)
	for suffix, block := range map[string]*pem.Block{".pem": {Type: "CERTIFICATE", Bytes: der}, ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name+suffix, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: must(x509.ParseCertificate(der))(t)}
}

// accounts returns an operator with an account whose users may use JetStream, as the configuration of a server, and the
// credentials of a user, and of one of another operator.
func accounts(t *testing.T) (config string, credentials, foreign []byte) {
	t.Helper()
	for i := range 2 {
		operator, system, account, user := must(nkeys.CreateOperator())(t), must(nkeys.CreateAccount())(t), must(nkeys.CreateAccount())(t), must(nkeys.CreateUser())(t)
		public := func(k nkeys.KeyPair) string { return must(k.PublicKey())(t) }
		o := jwt.NewOperatorClaims(public(operator))
		o.SystemAccount = public(system)
		a := jwt.NewAccountClaims(public(account))
		a.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
		theirs := must(jwt.FormatUserConfig(must(jwt.NewUserClaims(public(user)).Encode(account))(t), must(user.Seed())(t)))(t)
		if i == 1 {
			return config, credentials, theirs
		}
		credentials = theirs
		config = fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n  %s: %s\n  %s: %s\n}\n",
			must(o.Encode(operator))(t), public(system),
			public(system), must(jwt.NewAccountClaims(public(system)).Encode(operator))(t), public(account), must(a.Encode(operator))(t))
	}
	panic("unreachable")
}

// realCluster starts three servers as in production: the program nats-server with a file each, TLS among them and to clients,
// and an operator's accounts. foreign is a credentials file of another account.
func realCluster(t *testing.T) (c *cluster, foreign string) {
	t.Helper()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	program := at("nats-server")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("building nats-server: %v\n%s", err, out)
	}
	authority := certificate(t, at("authority"), nil)
	certificate(t, at("server"), authority)
	config, mine, theirs := accounts(t)
	for name, b := range map[string][]byte{"fleet.creds": mine, "foreign.creds": theirs} {
		if err := os.WriteFile(at(name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, ports, err := (&Servers{}).routes(6)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority.Leaf)
	c = &cluster{
		Config: Config{Replicas: 3, TLS: &tls.Config{RootCAs: roots}, Credentials: at("fleet.creds")},
		t:      t, start: make(map[string]func() *exec.Cmd), running: make(map[string]*exec.Cmd),
	}
	var routes []string
	for _, port := range ports[3:] {
		routes = append(routes, fmt.Sprintf("tls://127.0.0.1:%d", port))
	}
	secure := fmt.Sprintf("tls: { cert_file: %q, key_file: %q, ca_file: %q, timeout: 5 }\n", at("server.pem"), at("server.key"), at("authority.pem"))
	for i := range 3 {
		name := fmt.Sprintf("tactus-%d", i+1)
		text := fmt.Sprintf("server_name: %s\nlisten: 127.0.0.1:%d\njetstream: { store_dir: %q }\n%s%scluster: {\n  name: tactus\n  listen: 127.0.0.1:%d\n  routes: [%s]\n  %s}\n",
			name, ports[i], at(name), secure, config, ports[3+i], strings.Join(routes, ", "), secure)
		if err := os.WriteFile(at(name+".conf"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.URL += fmt.Sprintf(",tls://127.0.0.1:%d", ports[i])
		c.add(name, func() *exec.Cmd { return exec.Command(program, "-c", at(name+".conf"), "-l", at(name+".log")) })
	}
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := os.ReadFile(at("tactus-1.log"))
			t.Logf("%.4000s", log)
		}
	})
	return c, at("foreign.creds")
}

// On a cluster of the program nats-server with TLS and credentials, clients without credentials are refused, and rooms outlive
// leaders.
func TestRealServers(t *testing.T) {
	if os.Getenv(long) == "" {
		t.Skip("builds nats-server and kills it: set " + long + "=1")
	}
	t.Parallel()
	c, foreign := realCluster(t)
	outlive(t, c, 3)
	try := func(change func(c *Config)) error {
		other := c.Config
		change(&other)
		ctx, enough := context.WithTimeout(t.Context(), 5*time.Second)
		defer enough()
		d, err := Open(ctx, other)
		if err == nil {
			d.Close()
		}
		return err
	}
	if err := try(func(c *Config) {}); err != nil {
		t.Fatalf("with all that it takes: %v", err)
	}
	if err := try(func(c *Config) { c.Credentials = foreign }); !errors.Is(err, ErrConfig) {
		t.Errorf("with credentials of another operator: %v", err)
	}
	if err := try(func(c *Config) { c.Credentials = "" }); !errors.Is(err, ErrConfig) {
		t.Errorf("without credentials: %v", err)
	}
	if err := try(func(c *Config) { c.TLS = nil }); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without knowing who signs for the servers: %v", err)
	}
	if err := try(func(c *Config) { c.TLS, c.URL = nil, strings.ReplaceAll(c.URL, "tls:", "nats:") }); err == nil {
		t.Error("without TLS")
	}
}
