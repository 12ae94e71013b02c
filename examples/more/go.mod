module github.com/tactusgo/tactus/examples/more

go 1.26.0

replace (
	github.com/tactusgo/tactus => ../..
	github.com/tactusgo/tactus/examples => ..
	github.com/tactusgo/tactus/examples/starter => ../starter
	github.com/tactusgo/tactus/internal/bench => ../../internal/bench
	github.com/tactusgo/tactus/internal/tools => ../../internal/tools
	github.com/tactusgo/tactus/netsys/webtransport => ../../netsys/webtransport
	github.com/tactusgo/tactus/systems/devtools => ../../systems/devtools
	github.com/tactusgo/tactus/systems/host => ../../systems/host
	github.com/tactusgo/tactus/systems/rooms => ../../systems/rooms
	github.com/tactusgo/tactus/systems/rooms/fleet => ../../systems/rooms/fleet
)

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
	github.com/go-jose/go-jose/v4 v4.1.9
	github.com/hajimehoshi/ebiten/v2 v2.8.8
	github.com/jakecoffman/cp/v2 v2.1.0
	github.com/letsencrypt/pebble/v2 v2.10.3
	github.com/miekg/dns v1.1.73
	github.com/nats-io/nats-server/v2 v2.15.2
	github.com/tactusgo/tactus v0.1.0
	github.com/tactusgo/tactus/examples v0.1.0
	github.com/tactusgo/tactus/examples/starter v0.1.0
	github.com/tactusgo/tactus/internal/bench v0.0.0-00010101000000-000000000000
	github.com/tactusgo/tactus/internal/tools v0.0.0-00010101000000-000000000000
	github.com/tactusgo/tactus/netsys/webtransport v0.1.0
	github.com/tactusgo/tactus/systems/devtools v0.1.0
	github.com/tactusgo/tactus/systems/host v0.1.0
	github.com/tactusgo/tactus/systems/rooms v0.1.0
	github.com/tactusgo/tactus/systems/rooms/fleet v0.1.0
	go.yaml.in/yaml/v2 v2.4.2
	modernc.org/sqlite v1.62.0
)

require (
	github.com/andybalholm/brotli v1.3.0 // indirect
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/dunglas/httpsfv v1.1.1 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/ebitengine/gomobile v0.0.0-20240911145611-4856209ac325 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/purego v0.8.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/gobwas/ws v1.5.0 // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/jezek/xgb v1.1.1 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/letsencrypt/challtestsrv v1.4.2 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/mlange-42/arche v0.15.3 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/nats-io/jwt/v2 v2.8.2 // indirect
	github.com/nats-io/nats.go v1.55.0 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/panjf2000/ants/v2 v2.11.3 // indirect
	github.com/panjf2000/gnet/v2 v2.9.7 // indirect
	github.com/prometheus/client_golang v1.23.2 // indirect
	github.com/prometheus/client_model v0.6.2 // indirect
	github.com/prometheus/common v0.66.1 // indirect
	github.com/prometheus/procfs v0.16.1 // indirect
	github.com/quic-go/qpack v0.6.0 // indirect
	github.com/quic-go/quic-go v0.62.0 // indirect
	github.com/quic-go/webtransport-go v0.13.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.uber.org/zap v1.27.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.16.0 // indirect
	google.golang.org/protobuf v1.36.8 // indirect
	gopkg.in/natefinch/lumberjack.v2 v2.2.1 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
