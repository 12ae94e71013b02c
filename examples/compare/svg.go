package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
)

// Colours of a chart: ink, and hues that people with any colour vision tell apart.
const (
	ink    = "#1f2933"
	faint  = "#6b7785"
	rule   = "#dfe4ea"
	blue   = "#2a78d6"
	orange = "#e0702a"
	pale   = "#b9c4d0"
	violet = "#7a5fc0"
)

// canvas is an SVG document under way, in pixels from the top left.
type canvas struct{ bytes.Buffer }

func newCanvas(width, height float64) *canvas {
	c := &canvas{}
	_, _ = fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" `+
		`font-family="system-ui, 'DejaVu Sans', Arial, sans-serif">`+"\n", width, height, width, height)
	c.rect(0, 0, width, height, "#ffffff")
	return c
}

// end closes the document and returns it.
func (c *canvas) end() []byte {
	c.WriteString("</svg>\n")
	return c.Bytes()
}

func (c *canvas) rect(x, y, w, h float64, fill string) {
	_, _ = fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n",
		x, y, max(w, 0), max(h, 0), fill)
}

func (c *canvas) line(x0, y0, x1, y1, width float64, stroke string) {
	_, _ = fmt.Fprintf(c, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"/>`+"\n",
		x0, y0, x1, y1, stroke, width)
}

func (c *canvas) dot(x, y, r float64, fill string) {
	_, _ = fmt.Fprintf(c, `<circle cx="%.1f" cy="%.1f" r="%g" fill="%s" stroke="#ffffff" stroke-width="1.5"/>`+"\n",
		x, y, r, fill)
}

// Where a text's position is.
const (
	atStart  = "start"
	atMiddle = "middle"
	atEnd    = "end"
)

func (c *canvas) text(x, y, size float64, anchor, fill, text string) {
	_, _ = fmt.Fprintf(c, `<text x="%.1f" y="%.1f" font-size="%g" text-anchor="%s" fill="%s">`,
		x, y, size, anchor, fill)
	_ = xml.EscapeText(c, []byte(text)) // a buffer has no errors
	c.WriteString("</text>\n")
}

func (c *canvas) title(x, y float64, title, says string) {
	_, _ = fmt.Fprintf(c, `<g font-weight="600">`)
	c.text(x, y, 15, atStart, ink, title)
	c.WriteString("</g>\n")
	c.text(x, y+18, 12, atStart, faint, says)
}

// series is a name with a colour, as legends show it.
type series struct{ name, fill string }

// legend draws names in a row.
func (c *canvas) legend(x, y float64, all ...series) {
	for _, s := range all {
		c.rect(x, y-9, 10, 10, s.fill)
		c.text(x+15, y, 12, atStart, ink, s.name)
		x += 15 + 7*float64(len(s.name)) + 16
	}
}

// frame is the area of a chart whose vertical axis begins at 0.
type frame struct {
	c          *canvas
	x, y, w, h float64
	top        float64 // the value at the upper end
}

// framed draws the lines and figures of a vertical axis that holds most.
func (c *canvas) framed(x, y, w, h, most float64) frame {
	f := frame{c, x, y, w, h, 1}
	by := f.scale(most)
	for v := 0.0; v <= f.top+by/2; v += by {
		at := f.at(v)
		c.line(x, at, x+w, at, 1, rule)
		c.text(x-7, at+4, 11, atEnd, faint, figure(v))
	}
	return f
}

// scale chooses the upper end and returns the distance of lines.
func (f *frame) scale(most float64) (by float64) {
	if most <= 0 {
		most = 1
	}
	by = math.Pow(10, math.Floor(math.Log10(most)))
	switch lines := most / by; {
	case lines <= 1.2:
		by /= 4
	case lines <= 2.5:
		by /= 2
	case lines > 5:
		by *= 2
	}
	f.top = math.Ceil(most/by-1e-9) * by
	return by
}

func (f *frame) at(v float64) float64 { return f.y + f.h - v/f.top*f.h }

// figure is a number with as many digits as it needs, three at most.
func figure(v float64) string {
	switch {
	case v >= 10000:
		return figure(v/1000) + "k"
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}
