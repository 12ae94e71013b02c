module github.com/tactusgo/tactus/internal/tools/newgame/played

go 1.26.0

replace (
	github.com/tactusgo/tactus => ../../../..
	github.com/tactusgo/tactus/examples => ../../../../examples
	github.com/tactusgo/tactus/internal/tools => ../..
	github.com/tactusgo/tactus/systems/devtools => ../../../../systems/devtools
	github.com/tactusgo/tactus/systems/host => ../../../../systems/host
	github.com/tactusgo/tactus/systems/rooms => ../../../../systems/rooms
)

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
	github.com/tactusgo/tactus/internal/tools v0.0.0-00010101000000-000000000000
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/tactusgo/tactus v0.1.0 // indirect
)
