package stack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeAWS has the addresses of AWS's services for functions that run as deployed, without a local endpoint: a
// proxy that ends their TLS connections, with a certificate that they trust. Requests to DynamoDB reach the
// stack's table.
type fakeAWS struct {
	dir, proxy string
	mu         sync.Mutex
	secrets    map[string]string // values by ARN, guarded by mu
}

// put is aws secretsmanager put-secret-value.
func (f *fakeAWS) put(arn, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.secrets[arn] = value
}

func newFakeAWS(t *testing.T, dynamoDB string) *fakeAWS {
	t.Helper()
	target, err := url.Parse(dynamoDB)
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeAWS{dir: t.TempDir(), secrets: map[string]string{}}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	services := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "secretsmanager.") {
			f.getSecretValue(w, r)
			return
		}
		forward.ServeHTTP(w, r)
	})}
	tunnels := &tunnels{conns: make(chan net.Conn), done: make(chan struct{})}
	certificate := f.certificate(t)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		select {
		case tunnels.conns <- tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}}):
		case <-tunnels.done:
			conn.Close()
		}
	}))
	go services.Serve(tunnels)
	t.Cleanup(func() { services.Close(); proxy.Close() })
	f.proxy = proxy.URL
	return f
}

func (f *fakeAWS) getSecretValue(w http.ResponseWriter, r *http.Request) {
	var in struct{ SecretId string }
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &in)
	f.mu.Lock()
	value, ok := f.secrets[in.SecretId]
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if !ok || r.Header.Get("X-Amz-Target") != "secretsmanager.GetSecretValue" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"__type": "ResourceNotFoundException"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"ARN": in.SecretId, "SecretString": value})
}

// certificate returns one for the services' names, and stores it as the only one that functions trust.
func (f *fakeAWS) certificate(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, DNSNames: []string{"*." + Region + ".amazonaws.com"}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.roots(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (f *fakeAWS) roots() string { return filepath.Join(f.dir, "roots.pem") }

// environment returns the environment of a deployed function, and the address of the fake.
func (f *fakeAWS) environment(table, configPath string) []string {
	return []string{"TIDEMARK_TABLE=" + table, "TIDEMARK_CONFIG=" + configPath, "AWS_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + accessKey,
		"AWS_SECRET_ACCESS_KEY=" + secretKey, "HTTPS_PROXY=" + f.proxy, "SSL_CERT_FILE=" + f.roots()}
}

// tunnels is a listener of the connections through the proxy.
type tunnels struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *tunnels) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *tunnels) Addr() net.Addr { return &net.TCPAddr{} }
