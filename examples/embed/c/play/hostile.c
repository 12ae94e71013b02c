// hostile calls the library as no program should, and expects an error of each call: hostile HOST:PORT. It is a part of the
// tests, and shows how threads may call.

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "tactus.h"

#define CHECK(holds)                                               \
  do {                                                             \
    if (!(holds)) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds); \
      exit(1);                                                     \
    }                                                              \
  } while (0)

static const char *server;

static void rest(long millis) { nanosleep(&(struct timespec){millis / 1000, millis % 1000 * 1000000}, NULL); }

static tactus_client open_client(void) {
  tactus_failure why = {0};
  const tactus_options options = {.size = sizeof options, .server = server};
  const tactus_client client = tactus_open(&options, &why);
  if (client == 0) fprintf(stderr, "%s\n", why.text);
  CHECK(client != 0);
  return client;
}

// refused opens nothing, and tells why.
static void refused(const tactus_options *options, const char *part) {
  tactus_failure why;
  memset(&why, 'x', sizeof why);
  CHECK(tactus_open(options, &why) == 0);
  CHECK(memchr(why.text, 0, sizeof why.text) != NULL && why.reason != TACTUS_GOING);
  if (!strstr(why.text, part)) fprintf(stderr, "%s: without %s\n", why.text, part);
  CHECK(strstr(why.text, part) != NULL);
  CHECK(tactus_open(options, NULL) == 0);
}

static void openings(void) {
  static char long_name[2 << 20];
  memset(long_name, 'a', sizeof long_name - 1);
  uint8_t token[2048] = {0};
  refused(NULL, "tactus_options");
  refused(&(tactus_options){0}, "tactus_options");
  refused(&(tactus_options){.size = 1, .server = server}, "tactus_options");
  refused(&(tactus_options){.size = sizeof(tactus_options)}, "host:port");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = "127.0.0.1"}, "port");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = ""}, "host:port");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = "\xff\xfe:70000"}, "");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = long_name}, "too long");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .token_size = 5}, "NULL");
  refused(&(tactus_options){.size = sizeof(tactus_options), .recording = token, .recording_size = sizeof token}, "not a recording");
  refused(&(tactus_options){.size = sizeof(tactus_options), .last_of = 77}, "no client 77");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .keep = 301}, "Keep");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .token = token, .token_size = SIZE_MAX}, "too long");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .token = token, .token_size = 7}, "2048");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .token = token, .token_size = sizeof token}, "token");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .token = token}, "2048");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .login = token, .login_size = 3}, "Login");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .now = 1}, "time");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .now = INT64_MIN}, "time");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .now = INT64_MAX}, "time");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .now = tactus_now() - INT64_C(3600000000000)}, "clock");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = "192.0.2.1:7777"}, "loopback");
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server, .flags = 8}, "flags 8");
}

// nobody calls everything for a client that is none.
static void nobody(tactus_client client) {
  const arena_Action in = {0};
  CHECK(tactus_set_input(client, &in, sizeof in) == TACTUS_NO_CLIENT);
  CHECK(tactus_set_input(client, NULL, 9) == TACTUS_NO_CLIENT);
  CHECK(tactus_advance(client, 0) == TACTUS_NO_CLIENT);
  CHECK(tactus_next(client) == 0);
  CHECK(tactus_frame(client, 0) == NULL);
  CHECK(tactus_send(client, 0, &in, sizeof in) == TACTUS_NO_CLIENT);
  CHECK(tactus_raise(client, 0, &in, sizeof in) == TACTUS_NO_CLIENT);
  CHECK(tactus_command(client, 0, &in, sizeof in) == TACTUS_NO_CLIENT);
  CHECK(tactus_end(client) == TACTUS_NO_CLIENT);
  CHECK(strstr(tactus_text(client), "no such client") != NULL);
  CHECK(tactus_close(client) == TACTUS_NO_CLIENT);
}

// wrong passes what cannot be, before the client is connected.
static void wrong(tactus_client client) {
  const arena_Action in = {0};
  const arena_Say say = {0};
  const arena_Rename name = {0};
  CHECK(strcmp(tactus_text(client), "") == 0);
  CHECK(tactus_set_input(client, NULL, 0) == TACTUS_VALUE);
  CHECK(tactus_set_input(client, NULL, sizeof in) == TACTUS_ARGUMENT && strstr(tactus_text(client), "NULL") != NULL);
  CHECK(tactus_set_input(client, &in, sizeof in - 1) == TACTUS_VALUE && strstr(tactus_text(client), "11 bytes") != NULL);
  CHECK(tactus_set_input(client, &in, sizeof in + 1) == TACTUS_VALUE);
  CHECK(tactus_set_input(client, &in, SIZE_MAX) == TACTUS_ARGUMENT);
  CHECK(tactus_set_input(client, &in, (size_t)1 << 30) == TACTUS_ARGUMENT);
  CHECK(tactus_set_input(client, &in, sizeof in) == 0);
  CHECK(tactus_send(client, arena_send_Say, &say, sizeof say) == TACTUS_NOT_CONNECTED);
  CHECK(tactus_send(client, 2, &say, sizeof say) == TACTUS_VALUE);
  CHECK(tactus_send(client, UINT32_MAX, &say, sizeof say) == TACTUS_VALUE);
  CHECK(tactus_send(client, arena_send_Say, &say, 3) == TACTUS_VALUE);
  CHECK(tactus_send(client, arena_send_Say, NULL, sizeof say) == TACTUS_ARGUMENT);
  CHECK(tactus_raise(client, 0, &say, sizeof say) == TACTUS_VALUE);
  CHECK(tactus_command(client, arena_send_Rename, &name, sizeof name) == TACTUS_NOT_CONNECTED);
  CHECK(tactus_command(client, 1, &name, sizeof name) == TACTUS_VALUE);
  CHECK(tactus_command(client, arena_send_Rename, NULL, 0) == TACTUS_VALUE);
  const int64_t now = tactus_now(), times[] = {1, -1, INT64_MIN, INT64_MAX, now - 1000000000};
  CHECK(tactus_advance(client, now) >= 0);
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    CHECK(tactus_advance(client, times[i]) == TACTUS_TIME);
    CHECK(tactus_frame(client, times[i]) == NULL && strstr(tactus_text(client), "time") != NULL);
  }
  CHECK(tactus_end(client) == TACTUS_GOING);
}

// whole reads every byte that a view leads to.
static uint64_t whole(const tactus_view *view) {
  static const size_t sizes[arena_columns] = {
      sizeof(arena_Owner), sizeof(arena_SpawnKey), sizeof(arena_Position), sizeof(arena_Heading), sizeof(arena_Velocity), sizeof(arena_Health),
      sizeof(arena_Fighter), sizeof(arena_Gun), sizeof(arena_Player), sizeof(arena_Named), sizeof(arena_Verdict), sizeof(arena_Teleports), sizeof(arena_Feed), 0};
  uint64_t sum = 0;
  CHECK(view->columns_count == arena_columns);
  for (uint32_t i = 0; i < view->tables; i++) {
    const tactus_table *t = &view->table[i];
    for (uint32_t r = 0; r < t->rows; r++) sum += t->handles[r] + (t->ids ? t->ids[r] : 0);
    for (uint32_t c = 0; c < view->columns_count; c++) {
      CHECK((t->columns[c] != NULL) == (t->mask >> c & 1));
      for (size_t b = 0; t->columns[c] && b < t->rows * sizes[c]; b++) sum += ((const uint8_t *)t->columns[c])[b];
    }
  }
  for (uint32_t c = 0; c < view->columns_count; c++)
    for (size_t b = 0; view->singles[c] && b < sizes[c]; b++) sum += ((const uint8_t *)view->singles[c])[b];
  for (uint32_t n = 0; n < view->news_count; n++) {
    CHECK(view->news[n].kind <= TACTUS_REFUSED && (uint64_t)view->news[n].at + view->news[n].size <= view->values_size);
    for (uint32_t b = 0; b < view->news[n].size; b++) sum += view->values[view->news[n].at + b];
  }
  CHECK(view->stats_count * sizeof(double) == sizeof(arena_Stats));
  for (uint32_t i = 0; i < view->stats_count; i++) sum += view->stats[i] != 0;
  return sum;
}

// play_a_while plays until the client has joined, and then for some frames.
static void play_a_while(tactus_client client, int frames) {
  bool joined = false;
  for (int i = 0; i < 1000 && frames > 0; i++) {
    const arena_Action in = {.Buttons = arena_Buttons_Right | arena_Buttons_Fire, .Aim = (uint16_t)(i * 100)};
    CHECK(tactus_set_input(client, &in, sizeof in) == 0);
    CHECK(tactus_advance(client, 0) >= 0);
    const tactus_view *view = tactus_frame(client, 0);
    CHECK(view != NULL);
    whole(view);
    joined = joined || ((const arena_Stats *)view->stats)->Joined == 1;
    frames -= joined;
    const int64_t next = tactus_next(client), now = tactus_now();
    CHECK(next > 0 && next < now + 1000000000);
    rest(10);
  }
  CHECK(joined);
}

// A thread with a client of its own.
static void *alone(void *unused) {
  const tactus_client client = open_client();
  play_a_while(client, 40);
  CHECK(tactus_close(client) == 0);
  return unused;
}

// A thread that calls for a client that others call for, and reads nothing.
static void *beside(void *one) {
  const tactus_client client = *(const tactus_client *)one;
  const arena_Action in = {0};
  for (int i = 0; i < 2000; i++) {
    tactus_set_input(client, &in, sizeof in);
    tactus_advance(client, 0);
    tactus_frame(client, 0);
    tactus_end(client);
    if (i % 50 == 0) rest(1);
  }
  return NULL;
}

static void threads(void) {
  tactus_client shared = open_client();
  pthread_t all[8];
  for (size_t i = 0; i < 8; i++) CHECK(pthread_create(&all[i], NULL, i < 4 ? alone : beside, &shared) == 0);
  rest(150);
  tactus_close(shared); // while others call for it
  for (size_t i = 0; i < 8; i++) CHECK(pthread_join(all[i], NULL) == 0);
}

// any makes calls at random, with memory that is there and numbers that are not.
static void any(uint64_t seed) {
  uint8_t bytes[4096];
  tactus_client clients[8] = {0};
  for (int i = 0; i < 20000; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    const uint64_t r = seed * UINT64_C(0x2545f4914f6cdd1d);
    tactus_client *one = &clients[r >> 8 & 7];
    const tactus_client client = r >> 11 & 7 ? *one : (tactus_client)(r >> 32);
    const size_t sizes[] = {0, 1, sizeof(arena_Action), sizeof(arena_Say), sizeof(arena_Rename), sizeof bytes, SIZE_MAX, (size_t)1 << 21};
    const size_t size = sizes[r >> 14 & 7];
    const void *p = size <= sizeof bytes ? bytes : NULL;
    const int64_t times[] = {0, 0, 0, tactus_now(), tactus_now() - 1, (int64_t)r, -1, INT64_MIN};
    const int64_t now = times[r >> 17 & 7];
    for (size_t b = 0; b < 32; b++) bytes[(r % sizeof bytes & ~(size_t)31) + b] = (uint8_t)(r >> b);
    switch (r & 15) {
    case 0: tactus_set_input(client, p, size); break;
    case 1: tactus_send(client, (uint32_t)(r >> 20 & 3), p, size); break;
    case 2: tactus_raise(client, (uint32_t)(r >> 20 & 3), p, size); break;
    case 3: tactus_command(client, (uint32_t)(r >> 20 & 3), p, size); break;
    case 4: tactus_end(client), tactus_text(client), tactus_next(client); break;
    case 5:
      if (r >> 40 & 7) break;
      tactus_close(client);
      if (client == *one) *one = 0;
      break;
    case 6:
      if (*one == 0) *one = tactus_open(&(tactus_options){.size = sizeof(tactus_options), .server = server, .flags = (uint32_t)(r >> 32 & 15), .player = r >> 50, .connect_millis = (uint32_t)(r >> 33), .login = r >> 60 ? NULL : bytes, .login_size = r >> 60 ? 0 : size & 4095}, NULL);
      break;
    case 7:
      if (now == (int64_t)r) break; // that may be in a year from now: what comes then would be in the past
      tactus_advance(client, now);
      break;
    default: {
      tactus_advance(client, 0);
      const tactus_view *view = tactus_frame(client, 0);
      if (view) whole(view);
      if (r >> 20 & 1) rest(1);
    }
    }
  }
  for (size_t i = 0; i < 8; i++) tactus_close(clients[i]);
}

int main(int n, char **args) {
  char why[4096];
  CHECK(n == 3);
  server = args[1];
  CHECK(tactus_abi() == TACTUS_ABI);
  CHECK(tactus_replay(0, TACTUS_SEEK, 1) != tactus_replay(0, TACTUS_SEEK, 1)); // NaN
  CHECK(tactus_lines() == tactus_lines() && arena_check(tactus_lines(), why, sizeof why));
  const int64_t now = tactus_now();
  CHECK(llabs(now / 1000000000 - (int64_t)time(NULL)) <= 2 && tactus_now() >= now);
  openings();
  const tactus_client never[] = {0, 1, 64, 65, 255, 256, 257, 320, 321, UINT32_MAX};
  for (size_t i = 0; i < sizeof never / sizeof *never; i++) nobody(never[i]);

  const tactus_client client = open_client();
  wrong(client);
  nobody(client + 256);
  nobody(client + 1);
  play_a_while(client, 30);
  CHECK(tactus_close(client) == 0);
  nobody(client);

  tactus_client all[TACTUS_CLIENTS];
  for (size_t i = 0; i < TACTUS_CLIENTS; i++) all[i] = open_client();
  refused(&(tactus_options){.size = sizeof(tactus_options), .server = server}, "64");
  nobody(client); // another client has its place
  for (size_t i = 0; i < TACTUS_CLIENTS; i++) {
    CHECK(all[i] != client);
    CHECK(tactus_close(all[i]) == 0);
  }
  threads();
  any(strtoull(args[2], NULL, 10) * 2 + 1);
  printf("ok\n");
  return 0;
}
