// Package browsers tests the pages of the examples in Chromium. It is a module of its own because it needs a browser and the
// package chromedp.
package browsers
