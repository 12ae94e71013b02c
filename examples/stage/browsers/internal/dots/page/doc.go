// Command page is the client of package dots for a browser, by package browser: it tells the page how many dots there are.
package main
