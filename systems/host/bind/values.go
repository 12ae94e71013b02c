package bind

import "fmt"

// valueClass writes the class of a value in its own memory or in a module's, preceded by the classes of its nested values.
func valueClass(o *out, name string, n *node) {
	own := class{name: name, root: "this", head: fmt.Sprintf(`constructor(m) {
    this.$m = m ?? $memory(%d);
    this.$p = this.$o = 0;
    this.$v = this;
    this.bytes = m ? null : this.$m.u8.subarray(0, %d);`, n.size, n.size)}
	own.body = "\n  set(address) {\n    this.$p = address;\n    return this;\n  }\n"
	v := &values{o: o}
	for _, f := range n.in {
		v.member(&own, f, f.name, f.at)
	}
	own.write(o)
}

// values writes the classes of values.
type values struct{ o *out }

// inner returns the class of a nested value. In the class, v is the whole value and o the offset of the nested value.
func inner(of *class, name string) class {
	return class{name: of.name + "$" + name, root: "this.$v", head: "constructor(v, o) {\n    this.$v = v;\n    this.$o = o;"}
}

// addressOf returns the expression for an address.
func addressOf(root string, at uintptr) string {
	s := "this.$o"
	if root == "this" {
		s = "this.$p"
	} else {
		s = root + ".$p + " + s
	}
	if at > 0 {
		s += fmt.Sprintf(" + %d", at)
	}
	return s
}

// offset returns the expression for the offset of a nested value in the whole value.
func offset(root string, at uintptr) string {
	if root == "this" {
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("this.$o + %d", at)
}

// member adds an accessor that reads and writes a value.
func (v *values) member(to *class, n *node, name string, at uintptr) {
	m, where := to.root+".$m", addressOf(to.root, at)
	switch n.kind {
	case number:
		to.body += fmt.Sprintf("\n  get %s() {\n    return %s;\n  }\n\n  set %s(x) {\n    %s;\n  }\n", name, n.read(m, where), name, n.write(m, where))
	case text:
		to.head += fmt.Sprintf("\n    this.$%s = [];", name)
		to.body += fmt.Sprintf("\n  get %s() {\n    return %s;\n  }\n\n  set %s(x) {\n    %s;\n  }\n", name, readText(n, m, where, "this.$"+name, "0"), name, writeText(n, m, where))
	case structure:
		c := inner(to, name)
		for _, f := range n.in {
			v.member(&c, f, f.name, f.at)
		}
		c.write(v.o)
		to.head += fmt.Sprintf("\n    this.%s = new %s(%s, %s);", name, c.name, to.root, offset(to.root, at))
	case array, list:
		c := inner(to, name)
		v.elements(&c, n)
		c.write(v.o)
		to.head += fmt.Sprintf("\n    this.%s = new %s(%s, %s);", name, c.name, to.root, offset(to.root, at))
	}
}

// elements adds the accessors of arrays and lists.
func (v *values) elements(c *class, n *node) {
	body := n.head.body
	if n.kind == array {
		c.body += fmt.Sprintf("\n  get length() {\n    return %d;\n  }\n", n.n)
	} else {
		count := node{of: n.head.of}
		where := addressOf("this.$v", 0)
		c.body += fmt.Sprintf("\n  get length() {\n    return Math.min(%s, %d);\n  }\n\n  set length(x) {\n    $within(x, %d);\n    %s;\n  }\n",
			count.read("this.$v.$m", where), n.n, n.n+1, count.write("this.$v.$m", where))
	}
	e := n.elem
	at := addressOf("this.$v", body) + " + " + product("i", e.size)
	get, set := "", ""
	switch e.kind {
	case number:
		get, set = e.read("this.$v.$m", at), e.write("this.$v.$m", at)
	case text:
		c.head += "\n    this.$texts = [];"
		get, set = readText(e, "this.$v.$m", at, "this.$texts", "i"), writeText(e, "this.$v.$m", at)
	default:
		of := inner(c, "Element")
		if e.kind == structure {
			for _, f := range e.in {
				v.member(&of, f, f.name, f.at)
			}
		} else {
			v.elements(&of, e)
		}
		of.write(v.o)
		c.head += "\n    this.$items = [];"
		get = fmt.Sprintf("(this.$items[i] ??= new %s(this.$v, this.$o + %d + %s))", of.name, body, product("i", e.size))
	}
	c.body += fmt.Sprintf("\n  get(i) {\n    $within(i, %d);\n    return %s;\n  }\n", n.n, get)
	if set != "" {
		c.body += fmt.Sprintf("\n  set(i, x) {\n    $within(i, %d);\n    %s;\n  }\n", n.n, set)
	}
}

// readText returns the expression that reads a text.
func readText(n *node, m, at, seen, key string) string {
	return fmt.Sprintf("$text(%s, %s, %s + %d, %d, %s, %s)", m, n.counter(m, at), at, n.head.body, n.n, seen, key)
}

func writeText(n *node, m, at string) string {
	w := (&node{of: n.head.of}).write(m, at)
	return w[:len(w)-1] + fmt.Sprintf("$say(%s, %s + %d, %d, x)", m, at, n.head.body, n.n)
}
