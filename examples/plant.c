/* A trolley on a spring as a plant, in plain C: cc plant.c -o plant && rhc explore --command
 * ./plant One JSON object a line comes in, one goes out; docs/protocol.md says which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char system_json[] =
    "{\"name\": \"trolley\", \"time_step\": 0.1, \"horizon\": 50,"
    " \"observation\": ["
    "  {\"name\": \"x\", \"unit\": \"m\", \"start\": 0, \"limits\": [-2, 2]},"
    "  {\"name\": \"v\", \"unit\": \"m/s\", \"start\": 0, \"range\": [-3, 3]}],"
    " \"action\": [{\"name\": \"force\", \"unit\": \"N\", \"bounds\": [-1, 1]}]}";

/* The numbers of "key": [1, 2, ...]. rhc writes its lines without blanks, so this is enough. */
static int numbers(const char* line, const char* key, double* values, int count) {
  const char* at = strstr(line, key);
  for (int i = 0; i < count; ++i) {
    if (!at || !(at = strpbrk(at, i == 0 ? "[" : ","))) return 0;
    values[i] = strtod(++at, NULL);
  }
  return 1;
}

int main(void) {
  static char line[65536];
  double x = 0, v = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (strstr(line, "\"type\":\"hello\"")) {
      printf("{\"protocol\": 1, \"system\": %s}\n", system_json);
    } else if (strstr(line, "\"type\":\"close\"")) {
      break;
    } else {
      double start[2], force;
      if (numbers(line, "\"start\":", start, 2)) {
        x = start[0];
        v = start[1];
      } else if (numbers(line, "\"action\":", &force, 1)) {
        for (int i = 0; i < 10; ++i) {
          v += 0.01 * (force - 0.5 * x - x * x * x - 0.1 * v);
          x += 0.01 * v;
        }
      }
      /* Beyond this something is wrong, and nothing may move before a person has looked. */
      if (v < -10 || v > 10)
        printf("{\"stop\": \"the trolley moves with %.1f m/s\"}\n", v);
      else
        printf("{\"observation\": [%.17g, %.17g]}\n", x, v);
    }
    fflush(stdout);
  }
  return 0;
}
