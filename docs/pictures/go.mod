// A module of its own, so that who gets Tactus does not download its pictures.
module github.com/tactusgo/tactus/docs/pictures

go 1.26
