package bind

import (
	"fmt"
	"math"
	"strings"

	"github.com/tactusgo/tactus/systems/host"
)

// header returns the header file for C11 and C++11.
func header(m *model) []byte {
	o := &out{}
	o.WriteString(mark)
	upper := strings.ToUpper(m.name)
	o.line(`// Bindings of %s, for C11 and C++11: values as they lie in the memory of the game's client.
//
// Pointers to columns, singletons and values are pinned: the library's garbage collector does not move them. They are
// valid until the next call of the library for the same client: read them again in each frame. Do not write through
// them. Row r of a column is column[r]. Numbers are in the machine's byte order.

#ifndef TACTUS_%s_H
#define TACTUS_%s_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
#define %s_ASSERT(holds) static_assert(holds, #holds)
#else
#define %s_ASSERT(holds) _Static_assert(holds, #holds)
#endif
`, m.lines[0], upper, upper, upper, upper)
	o.line("// The hash of the protocol.\n#define %s_HASH UINT64_C(0x%016x)", upper, m.hash)
	checkFunction(m, o)
	for i := range m.enums {
		enumC(m, o, &m.enums[i])
	}
	var places, singles []string
	for _, k := range m.columns {
		places = append(places, fmt.Sprintf("%s_column_%s = %d", m.name, k.name, k.place))
	}
	for _, k := range m.one {
		singles = append(singles, k.name)
	}
	writeEnum(m, o, "Indices of components among the columns of a table and among the singletons.", append(places, fmt.Sprintf("%s_columns = %d", m.name, m.places)))
	if len(singles) > 0 {
		o.line("// Singletons of the world: %s.", strings.Join(singles, ", "))
	}
	var sent, told []string
	for _, s := range m.sent {
		sent = append(sent, fmt.Sprintf("%s_send_%s = %d", m.name, s.name, s.which))
	}
	for _, t := range m.told {
		told = append(told, fmt.Sprintf("%s_%s_%s = %d", m.name, t.what, t.name, t.which))
	}
	writeEnum(m, o, "Numbers of the types that clients send. Messages, events and commands are numbered separately.", sent)
	writeEnum(m, o, "Numbers of the types that clients receive.", told)
	done := map[string]bool{}
	structC := func(n *node, what string) {
		if !done[n.name] && n.size > 0 {
			structureC(m, o, n, what)
		}
		done[n.name] = true
	}
	for _, k := range m.columns {
		structC(k.node, k.title())
	}
	if m.input != nil {
		structC(m.input, "The player's input")
	}
	if m.login != nil {
		structC(m.login, "The login request of a player")
	}
	for _, s := range m.sent {
		structC(s.node, "Clients send this "+whats[s.what])
	}
	for _, t := range m.told {
		structC(t.node, "The server sends this "+t.what)
	}
	o.line("\n// Figures of the connection and the prediction: see host.Stats.\ntypedef struct %s_Stats {\n  double %s;\n} %s_Stats;", m.name, strings.Join(host.StatNames(), ", "), m.name)
	o.line("%s_ASSERT(sizeof(%s_Stats) == %d);", upper, m.name, 8*len(host.StatNames()))
	o.line("\n#undef %s_ASSERT\n#endif", upper)
	return []byte(o.String())
}

// writeEnum writes an enumeration with a comment.
func writeEnum(m *model, o *out, what string, all []string) {
	if len(all) > 0 {
		o.line("\n// %s\nenum {\n  %s,\n};", what, strings.Join(all, ",\n  "))
	}
}

// checkFunction writes the C function that compares the library's lines with those of the bindings.
func checkFunction(m *model, o *out) {
	o.line(`
// %[1]s_check reports whether the library belongs to this game. lines are the library's lines, separated by \n: see
// host.Lines. If it returns false, it writes the first line that differs, in both versions, to the size bytes at text.
static inline bool %[1]s_check(const char *lines, char *text, size_t size) {
  static const char *const known[] = {`, m.name)
	for _, l := range m.lines {
		o.line("      %q,", l)
	}
	o.line(`  };
  const size_t count = sizeof known / sizeof *known;
  const char *there = lines;
  for (size_t i = 0;; i++) {
    const char *here = i < count ? known[i] : NULL;
    size_t n = there ? strcspn(there, "\n") : 0;
    if (!here && !there) return true;
    if (!here || !there || strlen(here) != n || memcmp(here, there, n) != 0) {
      snprintf(text, size, "the bindings and the library have different protocols: run go generate and rebuild both\n  library:  %%.*s\n  bindings: %%s",
               there ? (int)n : 14, there ? there : "(no such line)", here ? here : "(no such line)");
      return false;
    }
    there = there[n] ? there + n + 1 : NULL;
  }
}`)
}

// enumC writes the names of values. Values outside the range of int become macros.
func enumC(m *model, o *out, e *Enum) {
	fits := true
	for _, v := range e.Values {
		fits = fits && v.Number >= math.MinInt32 && v.Number <= math.MaxInt32
	}
	if !fits {
		o.line("\n// Values of %s.", strings.Join(e.Fields, ", "))
		for _, v := range e.Values {
			o.line("#define %s_%s_%s INT64_C(%d)", m.name, e.Name, v.Name, v.Number)
		}
		return
	}
	var all []string
	for _, v := range e.Values {
		all = append(all, fmt.Sprintf("%s_%s_%s = %d", m.name, e.Name, v.Name, v.Number))
	}
	writeEnum(m, o, "Values of "+strings.Join(e.Fields, ", ")+".", all)
}

// structureC writes a struct, and an assertion of its size. Padding is explicit, so every field of a struct with the right
// size has its offset.
func structureC(m *model, o *out, n *node, what string) {
	name := m.name + "_" + n.name
	o.line("\n// %s.\ntypedef struct %s {", what, name)
	fieldsC(o, n.in, n.size, "  ")
	o.line("} %s;", name)
	o.line("%s_ASSERT(sizeof(%s) == %d);", strings.ToUpper(m.name), name, n.size)
}

// fieldsC writes the fields of a struct of size bytes, with explicit padding.
func fieldsC(o *out, in []*node, size uintptr, indent string) {
	var at uintptr
	pads := 0
	fill := func(to uintptr) {
		if to > at {
			o.line("%suint8_t _%d[%d];", indent, pads, to-at)
			pads++
		}
		at = to
	}
	for _, f := range in {
		fill(f.at)
		declare(o, f, f.name, indent)
		at += f.size
	}
	fill(size)
}

// declare writes the declaration of a field, with a comment.
func declare(o *out, n *node, name, indent string) {
	doc := n.describe()
	if n.kind == array && doc == "" {
		doc = n.elem.describe()
	}
	if doc != "" {
		o.line("%s// %s", indent, strings.ToUpper(doc[:1])+doc[1:])
	}
	var dims strings.Builder
	for n.kind == array {
		dims.WriteString(fmt.Sprintf("[%d]", n.n))
		n = n.elem
	}
	switch n.kind {
	case number:
		o.line("%s%s %s%s;", indent, scalars[n.of].c, name, dims.String())
	case structure:
		o.line("%sstruct {", indent)
		fieldsC(o, n.in, n.size, indent+"  ")
		o.line("%s} %s%s;", indent, name, dims.String())
	default:
		if n.head.count == "" {
			o.line("%sstruct {", indent)
			countedC(o, n, "length", "items", indent+"  ")
			o.line("%s} %s%s;", indent, name, dims.String())
		} else {
			countedC(o, n, n.head.count, name, indent)
		}
	}
}

// countedC writes the count and the elements of a list or a text.
func countedC(o *out, n *node, count, items, indent string) {
	c := scalars[n.head.of]
	o.line("%s%s %s;", indent, c.c, count)
	at := uintptr(1) << c.shift
	if n.head.body > at {
		o.line("%suint8_t _%s[%d];", indent, count, n.head.body-at)
	}
	if n.kind == text {
		o.line("%schar %s[%d];", indent, items, n.n)
		at = n.head.body + uintptr(n.n)
	} else {
		of := *n.elem
		of.says = nil // the comment of the list covers the elements
		if of.kind == structure && len(of.in) == 0 {
			o.line("%suint8_t %s[%d];", indent, items, uintptr(n.n)*of.size)
		} else {
			declare(o, &node{kind: array, n: n.n, elem: &of, size: uintptr(n.n) * of.size}, items, indent)
		}
		at = n.head.body + uintptr(n.n)*of.size
	}
	if n.size > at {
		o.line("%suint8_t _%s_end[%d];", indent, count, n.size-at)
	}
}
