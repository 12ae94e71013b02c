package domain

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Behind a proxy with TLS, a guest plays under a path, whether the proxy removes the path or not.
func TestBehindProxy(t *testing.T) {
	for _, x := range servers(t) {
		for _, under := range []struct {
			name  string
			keeps bool // the path
			proxy func(t *testing.T, to string, keeps bool) (addr string)
		}{
			{"Go", false, goProxy}, {"Go keeps the path", true, goProxy}, {"nginx", false, nginx}, {"nginx keeps the path", true, nginx},
		} {
			t.Run(x.name+" behind "+under.name, func(t *testing.T) {
				plain := free(t, 1)[0]
				addr := under.proxy(t, plain, under.keeps)
				start(t, append(slices.Clip(x.command), plain, "-domain", name+"/games/play", "-proxy", "127.0.0.1"), nil)
				c := client(nil, map[string]string{name + ":443": addr})
				c.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
				base := "https://" + name + "/games/play/"
				var body string
				for r := new(http.Response); r.StatusCode != http.StatusOK; { // the proxy answers before the server does
					r, body = get(t, c, base+"connect.json")
				}
				if !strings.Contains(body, `"websocket":"wss://play.test/games/play/play"`) {
					t.Errorf("connect.json: %s", body)
				}
				seat := ask(t, c, base+"rooms/create", fmt.Sprintf(`{"kind":%q}`, x.kind))
				if seat.Endpoints.WS != "wss://play.test/games/play/play" {
					t.Errorf("the admission: %+v", seat.Endpoints)
				}
				x.play(t, c, overWebSocket(c), base+"rooms", seat, 1, func() {})
			})
		}
	}
}

// goProxy starts a proxy of the standard library.
func goProxy(t *testing.T, to string, keeps bool) string {
	t.Helper()
	h := http.Handler(&httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: to})
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	if !keeps {
		h = http.StripPrefix("/games/play", h)
	}
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// nginx starts nginx with a certificate of its own.
func nginx(t *testing.T, to string, keeps bool) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed: apt-get install nginx-light")
	}
	dir, addr := t.TempDir(), free(t, 1)[0]
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	own := certificate.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	if keeps {
		to += "/games/play"
	}
	config := fmt.Sprintf(`daemon off; pid %[1]s/pid; error_log stderr; events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server {
		listen %[2]s ssl;
		ssl_certificate %[1]s/certificate.pem; ssl_certificate_key %[1]s/key.pem;
		location /games/play/ {
			proxy_pass http://%[3]s/;
			proxy_http_version 1.1;
			proxy_set_header Host $host;
			proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
			proxy_set_header Upgrade $http_upgrade;
			proxy_set_header Connection upgrade;
			proxy_read_timeout 1h;
		}
	}
}
`, dir, addr, to)
	for file, b := range map[string][]byte{
		"nginx.conf":      []byte(config),
		"certificate.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}),
		"key.pem":         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	return addr
}
