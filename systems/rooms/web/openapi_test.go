package web

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/jsonbody"
	"github.com/tactusgo/tactus/systems/rooms"
)

// The document and the handler have the same paths and methods, bodies the same fields of the same types, and failures the
// same codes: in both directions.
func TestOpenAPI(t *testing.T) {
	d := document()
	described := make(map[string]operation)
	for path, methods := range d.Paths {
		for method, op := range methods {
			described[strings.ToUpper(method)+" "+path] = op
		}
	}
	for _, x := range routes {
		name := x.method + " " + x.path
		op, ok := described[name]
		delete(described, name)
		switch {
		case !ok:
			t.Errorf("%s is not described", name)
		case (x.body == nil) != (op.RequestBody == nil):
			t.Errorf("%s: takes a body: %v, described: %v", name, x.body != nil, op.RequestBody != nil)
		case x.body != nil:
			ref := op.RequestBody.Content["application/json"].Schema.Ref
			if want := "#/components/schemas/" + reflect.TypeOf(x.body).Name(); ref != want {
				t.Errorf("%s takes %s, described as %s", name, want, ref)
			}
		}
		for _, p := range op.Parameters {
			if p.In == "path" && !strings.Contains(x.path, "{"+p.Name+"}") || p.In == "header" && (p.Name != playerHeader || x.open) {
				t.Errorf("%s has no parameter %s", name, p.Name)
			}
		}
	}
	for name := range described {
		t.Errorf("%s is described, and not there", name)
	}
	schemas := maps.Clone(d.Components.Schemas)
	for _, v := range []any{JoinBody{}, CreateBody{}, QueueBody{}, SeatBody{}, rooms.Endpoints{}, Admission{}, Waiting{}, Listed{}, List{}, Failure{}} {
		of := reflect.TypeOf(v)
		s := schemas[of.Name()]
		delete(schemas, of.Name())
		if s == nil {
			t.Errorf("%s is not described", of.Name())
			continue
		}
		left := maps.Clone(s.Properties)
		for i := range of.NumField() {
			f := of.Field(i)
			if !f.IsExported() {
				continue
			}
			name := jsonbody.Fields(of)[i]
			p := left[name]
			delete(left, name)
			if p == nil {
				t.Errorf("%s.%s is not described", of.Name(), name)
			} else if got := kindOf(f.Type); p.Ref == "" && p.Type != got || p.Ref != "" && p.Ref != "#/components/schemas/"+got {
				t.Errorf("%s.%s is %s, described as %v%s", of.Name(), name, got, p.Type, p.Ref)
			}
		}
		for name := range left {
			t.Errorf("%s.%s is described, and not there", of.Name(), name)
		}
		if s.More != false {
			t.Errorf("%s: other fields are refused, described as %v", of.Name(), s.More)
		}
	}
	delete(schemas, "Options")
	for name := range schemas {
		t.Errorf("%s is described, and not there", name)
	}
	codes := slices.Sorted(maps.Keys(statuses))
	if got := slices.Sorted(slices.Values(d.Components.Schemas["Failure"].Properties["code"].Enum)); !slices.Equal(got, codes) {
		t.Errorf("codes %v, described as %v", codes, got)
	}
	for _, c := range causes {
		if statuses[c.code] == 0 || c.message == "" {
			t.Errorf("%v is answered with %q", c.err, c.code)
		}
	}
	for _, p := range d.Paths["/rooms"]["get"].Parameters {
		query := p.Name + "=1"
		if p.Style == "deepObject" {
			query = p.Name + "[x]=1"
		}
		if p.Name == "after" {
			query = "after=" + rooms.ID(1).String()
		}
		if _, err := parseFilter(query); err != nil {
			t.Errorf("%s is described, and refused: %v", query, err)
		}
	}
	_, err := parseFilter("?")
	for name := range strings.SplitSeq("kind free limit after is min max", " ") {
		if !strings.Contains(err.Error(), name) || !slices.ContainsFunc(d.Paths["/rooms"]["get"].Parameters, func(p struct{ Name, In, Style string }) bool { return p.Name == name }) {
			t.Errorf("%s is taken, and not described", name)
		}
	}
}

// kindOf returns the type of a Go type in the document, or the name of its schema.
func kindOf(x reflect.Type) string {
	switch {
	case x == reflect.TypeFor[rooms.Options](), x == reflect.TypeFor[rooms.Endpoints]():
		return x.Name()
	case x == reflect.TypeFor[rooms.ID](), x == reflect.TypeFor[rooms.State](), x == reflect.TypeFor[time.Time]():
		return "string" // they write themselves
	}
	switch x.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Uint16, reflect.Uint32:
		return "integer"
	case reflect.Slice:
		return "array"
	}
	return x.String()
}
