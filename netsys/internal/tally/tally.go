package tally

import (
	"fmt"
	"strings"
)

// Text returns the nonzero counts with their names, "token expired=3, malformed=1", or "none" if all are zero.
func Text(names []string, counts []uint64) string {
	var b strings.Builder
	for i, n := range counts {
		if n == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s=%d", names[i], n)
	}
	if b.Len() == 0 {
		return "none"
	}
	return b.String()
}

// Name returns the i-th name. For a number without a name, it returns kind and the number.
func Name(kind string, names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// Total returns the sum of counts.
func Total(counts []uint64) (sum uint64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
