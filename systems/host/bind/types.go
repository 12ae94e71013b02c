package bind

import (
	"fmt"
	"strconv"
	"strings"
)

// ownTypes are the types that all bindings have.
const ownTypes = `
/** The memory of a module: Module of @tactusgo/client is one. */
export interface Memory {
  readonly u8: Uint8Array;
  readonly i8: Int8Array;
  readonly u16: Uint16Array;
  readonly i16: Int16Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
  readonly u64: BigUint64Array;
  readonly i64: BigInt64Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
}
`

// types returns the TypeScript declarations.
func types(m *model) []byte {
	o := &out{}
	o.WriteString(mark)
	o.line("// Bindings of %s. Values are valid until the next call of the game: read them again in each frame.", m.lines[0])
	o.WriteString(ownTypes)
	for _, e := range m.enums {
		o.line("\n/** Values of %s. */\nexport const %s: {", strings.Join(e.Fields, ", "), e.Name)
		var all []string
		for _, v := range e.Values {
			o.line("  readonly %s: %d;", v.Name, v.Number)
			all = append(all, strconv.FormatInt(v.Number, 10))
		}
		o.line("};\nexport type %s = %s;", e.Name, strings.Join(all, " | "))
	}
	for _, k := range m.columns {
		o.line("\n%sexport interface %sColumn {", docComment("", k.title()+". r is the row."), k.name)
		for _, f := range k.in {
			columnType(o, f, f.name, "  ", []string{"r: number"})
		}
		if k.floats() == k.size {
			o.line("  /** The whole column, %d numbers per row, for uploading it at once. The array stays the same while the column does not move. */\n  floats(rows: number): Float32Array;", k.size/4)
		}
		o.line("}")
	}
	o.line("\n/** Rows with the same components. The columns of missing components are null. */\nexport interface Table {")
	o.line("  rows: number;\n  /** Whether the client simulates these rows ahead of the server. */\n  simulated: boolean;\n  ids: number;\n  set(at: number): this;\n  /** The NetID of a row; 0 for a spawn that the server has not confirmed. */\n  id(r: number): number;")
	for _, k := range m.columns {
		o.line("  readonly %s: %sColumn | null;", k.name, k.name)
	}
	o.line("}")
	for _, k := range m.one {
		o.line("\n%sexport interface %sValue {", docComment("", "Component "+k.name+", a singleton."), k.name)
		members(o, k.in, "  ", "readonly ")
		o.line("}")
	}
	o.line("\n/** The singletons of the world; null until they arrive. */\nexport interface Singletons {\n  set(at: number): this;")
	for _, k := range m.one {
		o.line("  readonly %s: %sValue | null;", k.name, k.name)
	}
	o.line("}\n\n/** The player's input. */\nexport interface Input {\n  /** The value as it is sent. */\n  readonly bytes: Uint8Array;")
	if m.input != nil {
		members(o, m.input.in, "  ", "")
	}
	o.line("}")
	if m.login != nil {
		o.line("\n/** The login request of a player: pass its bytes as login. */\nexport interface Login {\n  /** The value as it is sent. */\n  readonly bytes: Uint8Array;")
		members(o, m.login.in, "  ", "")
		o.line("}")
	}
	for _, n := range m.values() {
		how := "The server sends this type: see Told."
		made := "set(address: number): this;"
		access := "readonly "
		for _, s := range m.sent {
			if s.name == n.name {
				how, access = "Clients send this type: see sent.", ""
				made = "set(address: number): this;\n  /** The value as it is sent. */\n  readonly bytes: Uint8Array;"
			}
		}
		o.line("\n/** %s */\nexport interface %s {\n  %s", how, n.name, made)
		members(o, n.in, "  ", access)
		o.line("}")
	}
	o.line("\n/** Reads the values of news items. */\nexport interface Told {")
	o.line("  /** The value of an item, by type; null if the item has no such value. The same object is reused for every item of a type. */")
	var kinds []string
	seen := map[string]bool{}
	for _, t := range m.told {
		if !seen[t.name] {
			kinds = append(kinds, fmt.Sprintf("(%s & { readonly type: '%s' })", t.name, t.name))
		}
		seen[t.name] = true
	}
	o.line("  read(n: { readonly kind: string; readonly which: number; readonly at: number; readonly size: number }): %s;\n}", strings.Join(append(kinds, "null"), " | "))
	o.line("\n/** The classes that bind of @tactusgo/client makes. */\nexport interface Bindings {\n  /** The lines of the protocol. A module with other lines is rejected. */\n  readonly lines: readonly string[];")
	o.line("  /** The hash of the protocol. */\n  readonly hash: '%016x';", m.hash)
	for _, name := range []string{"Table", "Singletons", "Told"} {
		o.line("  readonly %s: new (m: Memory) => %s;", name, name)
	}
	o.line("  readonly Input: new () => Input;")
	if m.login != nil {
		o.line("  readonly Login: new () => Login;")
	}
	for _, e := range m.enums {
		o.line("  readonly %s: typeof %s;", e.Name, e.Name)
	}
	o.line("  /** The types that clients send, by name: fill in a new Value. */\n  readonly sent: {")
	for _, s := range m.sent {
		o.line("    /** Clients send this %s. */\n    readonly %s: { readonly what: %d; readonly which: %d; readonly Value: new (m?: Memory) => %s };", whats[s.what], s.name, s.what, s.which, s.name)
	}
	o.line("  };\n}\n\n/** The layout of the types: pass it to bind of @tactusgo/client. */\ndeclare const layout: { readonly bindings?: Bindings };\nexport default layout;")
	return []byte(o.String())
}

// docComment returns a comment, or "" if text is empty.
func docComment(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ToUpper(text[:1]) + text[1:] + " */\n"
}

// scriptDoc returns the comment of a value.
func scriptDoc(n *node, indent string) string {
	s := n.describe()
	switch {
	case n.kind == number && n.big():
		s += "; a bigint, created by each read"
	case n.kind == array && s == "":
		s = fmt.Sprintf("%d elements", n.n)
		if e := n.elem.describe(); e != "" {
			s += ": " + e
		}
	case n.kind == list && n.elem.describe() != "":
		s += ": " + n.elem.describe()
	}
	return docComment(indent, s)
}

// columnType writes the methods that read a value of a row.
func columnType(o *out, n *node, name, indent string, params []string) {
	o.WriteString(scriptDoc(n, indent))
	columnMember(o, n, name, indent, params)
}

func columnMember(o *out, n *node, name, indent string, params []string) {
	args := strings.Join(params, ", ")
	more := append(params[:len(params):len(params)], string(rune('i'+len(params)-1))+": number")
	switch n.kind {
	case number:
		o.line("%s%s(%s): %s;", indent, name, args, n.kindOf())
	case text:
		o.line("%s%s(%s): string;", indent, name, args)
	case array:
		columnMember(o, n.elem, name, indent, more)
	case structure:
		o.line("%sreadonly %s: {", indent, name)
		for _, f := range n.in {
			columnType(o, f, f.name, indent+"  ", params)
		}
		o.line("%s};", indent)
	case list:
		o.line("%sreadonly %s: {\n%s  length(%s): number;", indent, name, indent, args)
		if n.elem.kind == structure {
			for _, f := range n.elem.in {
				columnType(o, f, f.name, indent+"  ", more)
			}
		} else {
			columnMember(o, n.elem, "get", indent+"  ", more)
		}
		o.line("%s};", indent)
	}
}

// members writes the fields of a value. access is "readonly " for read-only values.
func members(o *out, in []*node, indent, access string) {
	for _, f := range in {
		o.WriteString(scriptDoc(f, indent))
		if f.kind == number || f.kind == text {
			o.line("%s%s%s: %s;", indent, access, f.name, valueType(f, indent, access))
		} else {
			o.line("%sreadonly %s: %s;", indent, f.name, valueType(f, indent, access))
		}
	}
}

// valueType returns the TypeScript type of a value.
func valueType(n *node, indent, access string) string {
	o := &out{}
	switch n.kind {
	case number:
		return n.kindOf()
	case text:
		return "string"
	case structure:
		o.line("{")
		members(o, n.in, indent+"  ", access)
	default:
		length := access
		if n.kind == array {
			length = "readonly "
		}
		of := valueType(n.elem, indent+"  ", access)
		o.line("{\n%s  %slength: number;\n%s  get(i: number): %s;", indent, length, indent, of)
		if access == "" && (n.elem.kind == number || n.elem.kind == text) {
			o.line("%s  set(i: number, x: %s): void;", indent, of)
		}
	}
	o.WriteString(indent + "}")
	return o.String()
}
