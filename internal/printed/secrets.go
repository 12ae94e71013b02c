package printed

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// Secrets are keys by name, in all encodings that a careless program could print.
type Secrets map[string][]string

// Add adds a key of 24 bytes or more.
func (s Secrets) Add(name string, key []byte) {
	part := key[8:16]
	decimal := strings.Trim(fmt.Sprint(part), "[]")
	numbers := fmt.Sprintf("%#v", part)
	var hex []string
	for _, b := range part {
		hex = append(hex, fmt.Sprintf("%x", b))
	}
	for _, spelled := range []string{
		string(part), fmt.Sprintf("%x", part), fmt.Sprintf("% x", part), strings.Join(hex, " "),
		decimal, strings.ReplaceAll(decimal, " ", ","), strings.ReplaceAll(decimal, " ", ", "),
		strings.Trim(numbers[strings.Index(numbers, "{"):], "{}"), strings.Trim(fmt.Sprintf("%q", part), `"`), strings.Trim(fmt.Sprintf("%+q", part), `"`),
		base64.StdEncoding.EncodeToString(key[6:24]), base64.StdEncoding.EncodeToString(key)[:20],
	} {
		s[name] = append(s[name], strings.ToLower(spelled))
	}
}

// Fit are the verbs for which fmt calls the methods of a value. With other verbs it reads behind pointers.
var Fit = []string{"%v", "%+v", "%#v", "%x", "% x", "%X", "%d"}

// Every is Fit and the verbs that do not call methods.
var Every = append(Fit[:len(Fit):len(Fit)], "%s", "%q")

// Hidden fails the test if a subject reveals a secret when it is printed with the verbs, alone and within other values,
// logged, or encoded.
func (s Secrets) Hidden(t *testing.T, what string, subject any, verbs []string) {
	t.Helper()
	var text bytes.Buffer
	for _, verb := range verbs {
		for _, v := range []any{subject, []any{subject}, struct{ Inside any }{subject}, struct{ Inside any }{[]any{subject}}} {
			fmt.Fprintf(&text, verb+"\n", v)
		}
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&text, nil)} {
		slog.New(h).Info("secret?", "subject", subject, slog.Group("in", "side", subject))
	}
	encoded, _ := json.Marshal(subject)
	fmt.Fprintf(&text, "%s\n%v", encoded, fmt.Errorf("wrapped: %v", subject))
	low := strings.ToLower(text.String())
	for name, all := range s {
		for _, spelled := range all {
			if i := strings.Index(low, spelled); i >= 0 {
				t.Errorf("%s (%T) shows %s: %.100s", what, subject, name, low[max(i-20, 0):])
			}
		}
	}
}
