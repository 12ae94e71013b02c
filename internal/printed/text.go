package printed

import (
	"bytes"
	"regexp"
	"sync"
	"testing"
	"time"
)

// Text is a writer that can be read while it is written. The zero value is empty.
type Text struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (x *Text) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.Write(b)
}

// String returns the text written so far.
func (x *Text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.String()
}

// limit is the minimum number of polls, 10 ms each, before a wait fails.
const limit = 6000

// Until waits until the text contains a number of matches of a pattern.
func (x *Text) Until(t *testing.T, pattern string, times int) {
	t.Helper()
	want := regexp.MustCompile(pattern)
	for range limit {
		if len(want.FindAllStringIndex(x.String(), times)) == times {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q is not printed %d times but\n%s", pattern, times, x)
}

// Find waits until the text contains a match of a pattern, and returns its first group.
func (x *Text) Find(t *testing.T, pattern string) string {
	t.Helper()
	x.Until(t, pattern, 1)
	return regexp.MustCompile(pattern).FindStringSubmatch(x.String())[1]
}
