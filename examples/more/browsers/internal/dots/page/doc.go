// Command page is the client of package dots for a browser, by package browser.
package main
