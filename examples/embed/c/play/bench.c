// bench says what calls of the library cost: bench LIBRARY HOST:PORT [FRAMES].

#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#define TACTUS_TYPES_ONLY
#include "tactus.h"

static double nanos(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// find is a function of the library.
#define FIND(result, name, ...)                                \
  result (*name)(__VA_ARGS__) = NULL;                          \
  {                                                            \
    void *found = dlsym(library, #name);                       \
    if (!found) return fprintf(stderr, "%s\n", dlerror()), 1;  \
    memcpy(&name, &found, sizeof found);                       \
  }

#define TIME(what, call)                                                  \
  do {                                                                    \
    const int times = 200000;                                             \
    const double from = nanos();                                          \
    for (int i = 0; i < times; i++) call;                                 \
    printf("%-44s %8.0f ns\n", what, (nanos() - from) / times);           \
  } while (0)

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int n, char **args) {
  if (n < 3) return fprintf(stderr, "usage: bench LIBRARY HOST:PORT [FRAMES]\n"), 2;
  const int frames = n > 3 ? atoi(args[3]) : 600;
  double from = nanos();
  void *library = dlopen(args[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  FIND(int32_t, tactus_abi, void)
  FIND(tactus_client, tactus_open, const tactus_options *, tactus_failure *)
  FIND(int32_t, tactus_set_input, tactus_client, const void *, size_t)
  FIND(int32_t, tactus_advance, tactus_client, int64_t)
  FIND(int64_t, tactus_next, tactus_client)
  FIND(const tactus_view *, tactus_frame, tactus_client, int64_t)
  FIND(int32_t, tactus_close, tactus_client)
  tactus_abi();
  printf("%-44s %8.1f ms\n", "load, and the first call", (nanos() - from) / 1e6);

  tactus_failure why;
  const tactus_options options = {.size = sizeof options, .server = args[2]};
  from = nanos();
  const tactus_client client = tactus_open(&options, &why);
  if (client == 0) return fprintf(stderr, "%s\n", why.text), 1;
  printf("%-44s %8.1f ms\n", "tactus_open", (nanos() - from) / 1e6);

  double *advance = calloc((size_t)frames, sizeof *advance), *frame = calloc((size_t)frames, sizeof *frame), sum = 0;
  uint64_t read = 0, rows = 0;
  double reading = 0;
  for (int i = 0, all = 0; i < frames && all < frames + 600; all++) {
    const arena_Action in = {.Buttons = (uint8_t)(1 << (i / 60 % 4)), .Aim = (uint16_t)(i * 50)};
    tactus_set_input(client, &in, sizeof in);
    const double a = nanos();
    tactus_advance(client, 0);
    const double b = nanos();
    const tactus_view *view = tactus_frame(client, 0);
    const double c = nanos();
    if (!view) return fprintf(stderr, "no frame\n"), 1;
    if (((const arena_Stats *)view->stats)->Joined == 1) {
      for (uint32_t t = 0; t < view->tables; t++) {
        const arena_Position *p = (const arena_Position *)view->table[t].columns[arena_column_Position];
        for (uint32_t r = 0; p && r < view->table[t].rows; r++, read++) sum += p[r].X + p[r].Y;
      }
      reading += nanos() - c;
      rows += (uint64_t)((const arena_Stats *)view->stats)->Rows;
      advance[i] = b - a, frame[i] = c - b;
      i++;
    }
    nanosleep(&(struct timespec){0, 1000000000 / 60}, NULL);
  }
  qsort(advance, (size_t)frames, sizeof *advance, by_size);
  qsort(frame, (size_t)frames, sizeof *frame, by_size);
  printf("%-44s %8.0f µs, 99 of 100 %.0f µs\n", "tactus_advance at 60 frames a second", advance[frames / 2] / 1e3, advance[frames * 99 / 100] / 1e3);
  printf("%-44s %8.0f µs, 99 of 100 %.0f µs\n", "tactus_frame", frame[frames / 2] / 1e3, frame[frames * 99 / 100] / 1e3);
  printf("%-44s %8.2f µs for %.0f entities (%.0f)\n", "reading a position of each", reading / frames / 1e3, (double)rows / frames, sum / (double)(read + 1));

  const arena_Action in = {0};
  TIME("tactus_abi: a call that does nothing", tactus_abi());
  TIME("tactus_next", tactus_next(client));
  TIME("tactus_set_input", tactus_set_input(client, &in, sizeof in));
  TIME("tactus_advance, no tick due mostly", tactus_advance(client, 0));
  tactus_close(client);
  free(advance);
  free(frame);
  return 0;
}
