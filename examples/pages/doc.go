// Package pages says where the pages of the example worlds are, so that each can name the others: [Others].
package pages
