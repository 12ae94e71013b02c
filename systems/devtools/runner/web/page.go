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

// page is what the site consists of beside the client.
//
//go:embed page
var page embed.FS

// front is the page that players open.
type front struct {
	title   string
	html    []byte
	scripts string // sources that its policy allows beside 'self', with a space before each
	styles  string
}

// inline finds scripts and styles that stand in a page: the name of the element, and what is in it.
var inline = regexp.MustCompile(`(?is)<(script|style)\b[^>]*>(.*?)</(?:script|style)\s*>`)

// frontOf makes the page of a site.
func frontOf(c *Config) front {
	title := c.Title
	if title == "" {
		title = c.Package
	}
	if c.Page != "" {
		f := front{title: title, html: []byte(c.Page)}
		for _, found := range inline.FindAllStringSubmatch(c.Page, -1) {
			if found[2] == "" {
				continue
			}
			sum := sha256.Sum256([]byte(strings.ReplaceAll(found[2], "\r\n", "\n"))) // as browsers read it
			source := " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if strings.EqualFold(found[1], "script") {
				f.scripts += source
			} else {
				f.styles += source
			}
		}
		return f
	}
	first, last := "", title
	if at := strings.LastIndexByte(title, ' '); at > 0 {
		first, last = title[:at+1], title[at+1:]
	}
	var out bytes.Buffer
	err := template.Must(template.ParseFS(page, "page/index.html")).Execute(&out, map[string]any{
		"Title": title, "First": first, "Last": last, "Rules": c.Rules, "Nameless": c.Nameless, "Keys": c.Keys, "Touch": c.Touch, "Lobby": c.Lobby != nil, "Others": c.Others,
	})
	if err != nil {
		panic(err) // it is embedded
	}
	return front{title: title, html: out.Bytes()}
}
