package runner

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/systems"
)

// part is one line of the table of snapshot contents. bytes is per second.
type part struct {
	name   string
	bytes  float64
	fields []part
}

// traffic prints the contents of the snapshots since the reading before: one line per component with its fields, largest
// first, then the bytes that belong to no component. It prints nothing under models that send inputs only.
func (r *reading) traffic(out io.Writer, before reading, seconds float64) {
	if r.sent.Bytes == 0 {
		return
	}
	all := parts(&r.sent, &before.sent, seconds)
	total := float64(r.sent.Bytes-before.sent.Bytes) / seconds
	updates := max(float64(r.server.Updates-before.server.Updates), 1)
	fmt.Fprintf(out, "snapshots %9.0f B/s   share   contents, %.1f bytes per update\n", total, total*seconds/updates)
	for _, p := range all {
		fmt.Fprintf(out, "  %-11s %5.0f %7.1f %%   %s\n", truncate(p.name, 11), p.bytes, 100*p.bytes/max(total, 1), formatFields(p.fields))
	}
	fmt.Fprintln(out)
}

// parts returns the components in the order of registration, followed by the other contents.
func parts(now, before *systems.Traffic, seconds float64) (all []part) {
	for i, c := range now.Components {
		var was systems.ComponentTraffic
		if i < len(before.Components) {
			was = before.Components[i]
		}
		p := part{name: c.Name}
		for k, f := range c.Fields {
			if k < len(was.Fields) {
				f.Sent -= was.Fields[k].Sent
			}
			// Estimates can shrink.
			bytes := max(f.Sent, 0) / seconds
			p.fields = append(p.fields, part{name: f.Path, bytes: bytes})
			p.bytes += bytes
		}
		if c.Sent > 0 {
			all = append(all, p)
		}
	}
	rate := func(now, before uint64) float64 { return float64(now-before) / seconds }
	return append(all,
		part{name: "own state", bytes: rate(now.Own, before.Own)},
		part{name: "presence", bytes: max(now.Presence.Sent-before.Presence.Sent, 0) / seconds,
			fields: []part{{name: "the list of entities and their changes"}}},
		part{name: "headers", bytes: rate(now.Headers+now.Heads, before.Headers+before.Heads), fields: []part{
			{name: "messages", bytes: rate(now.Headers, before.Headers)}, {name: "blocks", bytes: rate(now.Heads, before.Heads)}}})
}

// fieldsWidth is the approximate width of the list of fields, in columns.
const fieldsWidth = 66

// formatFields formats the fields with their bytes, largest first, up to the width of a line.
func formatFields(fields []part) string {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b part) int { return -cmp.Compare(a.bytes, b.bytes) })
	var b strings.Builder
	for _, f := range fields {
		s := f.name
		if f.bytes >= 0.5 {
			s = fmt.Sprintf("%s %.0f", f.name, f.bytes)
		} else if len(fields) > 1 {
			continue
		}
		if b.Len()+len(s) > fieldsWidth {
			b.WriteString(" …")
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	return b.String()
}

// truncate shortens a name to n runes.
func truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
