package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"regexp"
	"strings"
)

// page contains the files of the site besides the client.
//
//go:embed page
var page embed.FS

// front is the page that players open.
type front struct {
	html    []byte
	scripts string // additional script sources of the policy, each preceded by a space
	styles  string
}

// inline matches inline scripts and styles: the element's name and its content.
var inline = regexp.MustCompile(`(?is)<(script|style)\b[^>]*>(.*?)</(?:script|style)\s*>`)

// newFront builds the page of a site.
func newFront(c *Config) front {
	title := c.Title
	if title == "" {
		title = c.Package
	}
	if c.Page != "" {
		f := front{html: []byte(c.Page)}
		for _, found := range inline.FindAllStringSubmatch(c.Page, -1) {
			if found[2] == "" {
				continue
			}
			sum := sha256.Sum256([]byte(strings.ReplaceAll(found[2], "\r\n", "\n"))) // browsers normalize line ends
			source := " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if strings.EqualFold(found[1], "script") {
				f.scripts += source
			} else {
				f.styles += source
			}
		}
		return f
	}
	first, last := title, ""
	if at := strings.LastIndexByte(title, ' '); at > 0 {
		first, last = title[:at+1], title[at+1:]
	}
	var out bytes.Buffer
	err := template.Must(template.ParseFS(page, "page/index.html")).Execute(&out, map[string]any{
		"Title": title, "First": first, "Last": last, "Rules": c.Rules, "Keys": c.Keys, "Touch": c.Touch,
	})
	if err != nil {
		panic(err) // embedded files exist
	}
	return front{html: out.Bytes()}
}
